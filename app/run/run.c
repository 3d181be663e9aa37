/* Starting and stopping: choice to plan, plan to streams, and back. */
#include "run/run.h"

#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "capture/capture.h"
#include "engines/engine.h"
#include "port/port.h"
#include "port/port_verbose.h"
#include "record/record.h"
#include "run/run_extbuf.h"
#include "run/run_launch.h"
#include "run/streams.h"
#include "watch/run_show.h"
#include "watch/run_stats.h"

#include <rte_cycles.h>
#include <rte_lcore.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void
run_lcores_default(struct run *r)
{
	unsigned int lcore;

	r->choice.n_lcores = 0;
	RTE_LCORE_FOREACH_WORKER(lcore)
		r->choice.lcores[r->choice.n_lcores++] = lcore;
	r->choice.use_lcores = r->choice.n_lcores > 0 ? 1 : 0;
}

void
run_init(struct run *r)
{
	r->engine = r->engines[0];
	r->choice.topology = PLAN_PAIRED;
	run_lcores_default(r);
	run_ports_changed(r);
}

void
run_ports_changed(struct run *r)
{
	struct plan_choice *c = &r->choice;
	bool all = c->use_ports == c->n_ports;
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n, kept = 0;

	for (i = 0; i < c->n_ports; i++)
		if (port_at(r->ports, c->ports[i]) != NULL)
			c->ports[kept++] = c->ports[i];
	n = port_ids(r->ports, ids);
	for (i = 0; i < n; i++)
		if (!r->known[ids[i]])
			c->ports[kept++] = ids[i];
	memset(r->known, 0, sizeof(r->known));
	for (i = 0; i < n; i++)
		r->known[ids[i]] = true;
	c->n_ports = kept;
	run_mirror_ports_changed(r);
	if (all || c->use_ports > kept)
		c->use_ports = kept;
}

void
run_odd_warn(struct run *r)
{
	if (r->odd_warned || r->choice.topology != PLAN_PAIRED || r->choice.use_ports % 2 == 0)
		return;
	r->odd_warned = true;
	out_warn(r->out,
		"\nWarning! port-topology=paired and odd forward ports number, the last port will pair with "
		"itself.\n\n");
}

const struct engine *
run_engine(const struct run *r, const char *name)
{
	unsigned int i;

	for (i = 0; r->engines[i] != NULL; i++)
		if (strcmp(r->engines[i]->name, name) == 0)
			return r->engines[i];
	return NULL;
}

void
run_engine_choose(struct run *r, const struct engine *engine, bool retry)
{
	pthread_mutex_lock(&r->lock);
	r->engine = engine;
	r->retry = retry;
	pthread_mutex_unlock(&r->lock);
}

int
run_plan(const struct run *r, const struct engine *engine, struct plan *plan, struct err *e)
{
	struct plan_choice c = r->choice;

	c.n_rxq = (unsigned int)setting_u64(r->settings, "rxq");
	c.n_txq = (unsigned int)setting_u64(r->settings, "txq");
	c.echo = (engine->flags & ENGINE_ECHOES) != 0;
	if (engine->team != NULL && engine->team->split(r->settings, &c, e) != 0)
		return -e->code;
	return plan_make(plan, &c, e);
}

static int
check_queues(const struct run *r, const struct engine *engine, struct err *e)
{
	bool rx = setting_u64(r->settings, "rxq") > 0, tx = setting_u64(r->settings, "txq") > 0;

	if ((engine->flags & ENGINE_NO_TX) != 0 && !rx)
		return err_set(e, EINVAL, "rxq are 0, cannot use %s fwd mode", engine->name);
	if ((engine->flags & ENGINE_NO_RX) != 0 && !tx)
		return err_set(e, EINVAL, "txq are 0, cannot use %s fwd mode", engine->name);
	if ((engine->flags & (ENGINE_NO_RX | ENGINE_NO_TX)) == 0 && (!rx || !tx))
		return err_set(e, EINVAL, "Either rxq or txq are 0, cannot use %s fwd mode",
			engine->name);
	return 0;
}

/* Free the last run. Lock held. */
static void
forget(struct run *r)
{
	streams_free(r->streams, r->plan.n_routes);
	plan_free(&r->plan);
	free(r->base);
	free(r->work);
	r->streams = NULL;
	r->base = NULL;
	r->work = NULL;
}

static void
running_set(struct run *r, bool running)
{
	pthread_mutex_lock(&r->lock);
	r->running = running;
	r->ports->forwarding = running;
	*(running ? &r->begin_tsc : &r->end_tsc) = rte_rdtsc();
	r->n_runs += running;
	pthread_mutex_unlock(&r->lock);
}

/* Replace the figures of the last run by those of a new one. */
static int
adopt(struct run *r, const struct engine *engine, struct plan *plan, struct err *e)
{
	struct stream **streams = streams_make(r, engine, plan, e);
	struct run_count *base;
	struct run_work *work;

	if (streams == NULL)
		goto no_streams;
	base = calloc(plan->n_routes, sizeof(*base));
	work = calloc(plan_lcores(plan), sizeof(*work));
	if (base == NULL || work == NULL) {
		err_set(e, ENOMEM, "no memory for the figures of %u streams", plan->n_routes);
		goto no_figures;
	}
	pthread_mutex_lock(&r->lock);
	forget(r);
	r->plan = *plan;
	r->streams = streams;
	r->base = base;
	r->work = work;
	r->engine_run = engine;
	pthread_mutex_unlock(&r->lock);
	return 0;
no_figures:
	free(base);
	free(work);
	streams_free(streams, plan->n_routes);
no_streams:
	plan_free(plan);
	return -e->code;
}

/* "number of flows for port 0: 1024"; text only, show settings has the value. */
static void
shown_say(const struct run *r, const struct setting *s)
{
	for (unsigned int i = 0; s != NULL && i < r->choice.use_ports; i++)
		out_text(r->out, "  number of %s for port %u: %" PRIu64 "\n", s->unit,
			r->choice.ports[i], setting_u64(r->settings, s->name));
}

/* Whether a run may begin, and what has to be done to ports before. */
static int
ready(struct run *r, struct err *e)
{
	int ret = check_queues(r, r->engine, e);

	if (ret != 0)
		return ret;
	if (!port_all_started(r->ports, r->choice.ports, r->choice.n_ports))
		return err_set(e, ENETDOWN, "Not all ports were started");
	if (r->running)
		return err_set(e, EALREADY, "Packet forwarding already started");
	ret = run_extbuf_prepare(r, e);
	if (ret == 0)
		/* Queues may have come since the level was set. */
		ret = port_verbose_apply(r->ports, e);
	return ret == 0 ? capture_apply(r->ports->captures, e) : ret;
}

/* Make the streams of this run, in place of those of the last. */
static int
make(struct run *r, struct err *e)
{
	struct plan plan;
	int ret = run_plan(r, r->engine, &plan, e);

	if (ret != 0)
		return ret;
	ret = run_mirror_prepare(r, &plan, e);
	if (ret == 0)
		return adopt(r, r->engine, &plan, e);
	plan_free(&plan);
	return ret;
}

/* The last steps before packets flow, and the first. */
static int
begin(struct run *r, unsigned int tx_first, struct err *e)
{
	int ret = 0;

	atomic_store(&r->ending, false);
	if (tx_first > 0)
		ret = run_launch_first(r, r->streams, tx_first, e);
	if (ret == 0)
		ret = run_mirror_begin(r, e);
	if (ret != 0)
		return ret;
	atomic_store(&r->stop, false);
	ret = run_launch(r, &r->plan, r->streams, r->work, e);
	if (ret != 0)
		run_mirror_end(r);
	return ret;
}

int
run_start(struct run *r, unsigned int tx_first, struct err *e)
{
	int ret;

	if (r->attach.secondary)
		return run_attach_start(r, e);
	ret = ready(r, e);
	if (ret == 0)
		ret = make(r, e);
	if (ret == 0)
		ret = run_recycle_apply(r, e);
	if (ret == 0)
		ret = run_show_fwd(r, e);
	if (ret != 0)
		return ret;
	shown_say(r, r->engine->shown);
	if (setting_on(r->settings, "flush_rx"))
		port_flush_rx(r->ports, r->choice.ports, r->choice.use_ports);
	run_show_rxtx(r);
	run_count_record(r);
	run_count_clear(r);
	record_run_begin(r->record);
	ret = begin(r, tx_first, e);
	if (ret == 0) {
		running_set(r, true);
		return 0;
	}
	streams_finish(r->streams, r->plan.n_routes);
	record_run_end(r->record);
	return ret;
}

bool
run_busy(const struct run *r)
{
	return r->running || atomic_load(&r->attach.lending);
}

int
run_stop(struct run *r, struct err *e)
{
	if (!run_busy(r))
		return err_set(e, ENOENT, "Packet forwarding not started");
	out_text(r->out, "Telling cores to stop...");
	out_text(r->out, "\nWaiting for lcores to finish...\n");
	run_launch_end(r);
	run_mirror_end(r);
	if (r->attach.secondary) {
		run_attach_stopped(r);
		return 0;
	}
	streams_finish(r->streams, r->plan.n_routes);
	record_run_end(r->record);
	running_set(r, false);
	run_stats_show(r);
	out_text(r->out, "\nDone.\n");
	return 0;
}

void
run_close(struct run *r)
{
	pthread_mutex_lock(&r->lock);
	forget(r);
	pthread_mutex_unlock(&r->lock);
}

void
run_end(struct run *r)
{
	struct err e;

	err_clear(&e);
	run_attach_close(r);
	if (run_busy(r))
		run_stop(r, &e);
	run_close(r);
	ring_routes_clear(&r->routes);
}
