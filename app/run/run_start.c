/* The commands start and stop: make a plan and its streams, run them, end them, and print
 * what testpmd prints. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_start.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "port/port.h"
#include "port/port_feature.h"
#include "port/port_link.h"
#include "port/port_setup.h"
#include "run/account/run_account.h"
#include "run/account/run_count.h"
#include "run/account/run_law.h"
#include "run/account/run_stats.h"
#include "run/account/run_summary.h"
#include "run/packets/run_fast_free.h"
#include "run/packets/run_frames.h"
#include "run/packets/run_rx_pool.h"
#include "run/packets/run_segments.h"
#include "run/packets/run_split.h"
#include "run/packets/run_writable.h"
#include "run/recycle_named.h"
#include "run/run.h"
#include "run/run_check.h"
#include "run/run_classes.h"
#include "run/run_cpu.h"
#include "run/run_engines.h"
#include "run/run_launch.h"
#include "run/run_mirror.h"
#include "run/run_move.h"
#include "run/run_recycle.h"
#include "run/run_show.h"
#include "run/streams.h"
#include "stream/plan.h"

#include <rte_cycles.h>
#include <rte_lcore.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What belongs to one run and is replaced by the next. */
struct one_run {
	const struct engine *engine;
	struct plan plan;
	struct stream **streams;
	struct run_count *base;
	struct stream_count *timed_base;
	struct run_work *work;
	struct run_moved *moved;
};

static void
one_run_free(struct one_run *one)
{
	streams_free(one->streams, one->plan.n_streams);
	plan_free(&one->plan);
	free(one->base);
	free(one->timed_base);
	free(one->work);
	for (struct run_moved *before; one->moved != NULL; one->moved = before) {
		before = one->moved->before;
		free(one->moved);
	}
}

/* Let *one be the run of r. Returns what was. */
static struct one_run
exchange(struct run *r, const struct one_run *one)
{
	struct one_run last;

	pthread_mutex_lock(&r->lock);
	last = (struct one_run){ r->engine_run, r->plan, r->streams, r->base, r->timed_base,
		r->work, r->moving.moved };
	r->engine_run = one->engine;
	r->plan = one->plan;
	r->streams = one->streams;
	r->base = one->base;
	r->timed_base = one->timed_base;
	r->work = one->work;
	r->moving.moved = one->moved;
	pthread_mutex_unlock(&r->lock);
	return last;
}

static void
running_set(struct run *r, bool running, uint64_t tsc)
{
	pthread_mutex_lock(&r->lock);
	r->running = running;
	r->ports->forwarding = running;
	*(running ? &r->begin_tsc : &r->end_tsc) = tsc;
	r->n_runs += running;
	pthread_mutex_unlock(&r->lock);
}

/* Make the streams of a plan, which *one owns. Errors: everything is freed, the plan too. */
static int
one_run_make(const struct run *r, const struct plan *plan, struct one_run *one, struct err *e)
{
	*one = (struct one_run){ .engine = r->engine, .plan = *plan };
	one->streams = streams_make(r, r->engine, plan, e);
	one->base = calloc(plan->n_streams, sizeof(*one->base));
	one->timed_base = calloc(plan->n_streams, sizeof(*one->timed_base));
	one->work = calloc(plan_lcores(plan), sizeof(*one->work));
	if (one->streams != NULL && one->base != NULL && one->timed_base != NULL &&
		one->work != NULL)
		return 0;
	if (one->streams != NULL)
		err_set(e, ENOMEM, "no memory for the statistics of %u streams", plan->n_streams);
	one_run_free(one);
	return -e->code;
}

/* Let the ports receive into the engine's pool, and set their features up. */
static int
prepare_ports(struct run *r, bool tx_first, struct err *e)
{
	int ret = run_rx_pool_prepare(r, e);

	if (ret == 0)
		ret = run_segments_prepare(r, tx_first, e);
	if (ret == 0)
		ret = run_fast_free_prepare(r, tx_first, e);
	if (ret == 0)
		ret = port_features_run(r->ports, e);
	return ret;
}

/* Let the engine finish its streams, and call the observer. */
static void
finish(struct run *r)
{
	streams_finish(r->streams, r->plan.n_streams);
	run_frames_end(r);
	if (r->observer.end != NULL)
		r->observer.end(r->observer.context);
}

/* Discard the packets that wait in receive queues, unless flush_rx is off. */
static void
flush_waiting(struct run *r)
{
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++)
		r->ports->port[id].flushed = 0;
	r->flushed = setting_on(r->settings, "flush_rx")
		? port_flush_rx(r->ports, r->choice.ports, r->choice.use_ports)
		: 0;
}

/* Let all streams share the packet limit. */
static void
limit_set(struct run *r, const struct one_run *next)
{
	const bool made = (next->engine->flags & ENGINE_MAKES) != 0;

	atomic_store(&r->limit_left, (long long)r->limit);
	for (unsigned int i = 0; r->limit > 0 && i < next->plan.n_streams; i++)
		next->streams[i]->limit = (struct stream_limit){ .left = &r->limit_left,
			.burst = next->streams[i]->burst,
			.made = made };
}

/* Print testpmd's configuration blocks, and what the engine's settings say per port. */
static int
config_show(struct run *r, struct err *e)
{
	const struct setting *per_port = r->engine->shown;
	const bool terminal = out_on_terminal(r->out);
	int ret;

	/* On a terminal the streams come last, where a screen of 24 lines still shows them. */
	if (terminal)
		run_show_rxtx(r);
	ret = run_show_fwd(r, e);
	if (ret != 0)
		return ret;
	/* Text only: in JSON, show settings has the value. */
	for (unsigned int i = 0; per_port != NULL && i < r->choice.use_ports; i++)
		out_text(r->out, "  number of %s for port %u: %" PRIu64 "\n", per_port->unit,
			r->choice.ports[i], setting_u64(r->settings, per_port->name));
	if (!terminal) {
		out_nest(r->out, "config", OUT_OBJECT);
		run_show_rxtx(r);
		out_unnest(r->out);
	}
	run_show_defaults(r);
	return 0;
}

static void
flushed_show(const struct run *r)
{
	out_u64(r->out, "flushed", NULL, r->flushed);
	if (r->flushed > 0)
		out_note(r->out,
			"flush_rx discarded %" PRIu64
			" packets that waited in receive queues; \"set flush_rx off\" keeps them\n",
			r->flushed);
}

/* Add the Rx callbacks of the run, before the workers. Errors: then there are none. */
static int
callbacks_begin(struct run *r, struct err *e)
{
	/* Mirrors and engines get packets without empty segments. */
	int ret = run_split_begin(r, e);

	if (ret != 0)
		return ret;
	ret = run_mirror_begin(r, e);
	if (ret == 0) {
		ret = run_writable_begin(r, e);
		if (ret != 0)
			run_mirror_end(r);
	}
	if (ret != 0)
		run_split_end(r);
	return ret;
}

/* Remove the Rx callbacks of the run, after the workers. */
static void
callbacks_end(struct run *r)
{
	run_writable_end(r);
	run_mirror_end(r);
	run_split_end(r);
}

int
run_links_await(struct run *r, bool show, struct err *e)
{
	return port_links_await(r->ports, r->choice.ports, r->choice.use_ports, r->interrupt, show,
		e);
}

/* Check that the next run may begin, prepare its ports, and make its plan. */
static int
prepare(struct run *r, bool tx_first, bool show, struct plan *plan, struct err *e)
{
	int ret = run_check_start(r, e);

	if (ret == 0)
		ret = prepare_ports(r, tx_first, e);
	if (ret == 0)
		ret = run_links_await(r, show, e);
	if (ret == 0)
		ret = run_plan(r, r->engine, plan, e);
	if (ret != 0)
		return ret;
	ret = run_plan_started(r, tx_first, plan, e);
	if (ret == 0 && r->assign != NULL)
		run_move_spares(r, plan);
	if (ret == 0)
		ret = run_check_plan(r, plan, e);
	if (ret == 0) {
		run_check_warn(r, plan);
		ret = run_mirror_prepare(r, plan, e);
	}
	if (ret != 0)
		plan_free(plan);
	return ret;
}

/*
 * Make the next run, which owns the plan, and let everything that may refuse it see its streams. The
 * last run is untouched. Errors: the plan is freed.
 */
static int
make(struct run *r, const struct plan *plan, bool show, struct one_run *next, struct err *e)
{
	int ret = one_run_make(r, plan, next, e);

	if (ret != 0)
		return ret;
	limit_set(r, next);
	if (next->engine->apply != NULL)
		ret = next->engine->apply(next->streams, plan->n_streams,
			run_engines_config(r, next->engine), false, e);
	if (ret == 0 && next->streams[0]->feed != NULL)
		ret = recycle_named_apply(&r->recycle, next->streams, plan->n_streams, e);
	if (ret == 0)
		run_recycle_warn(r, next->streams, plan->n_streams);
	if (ret == 0 && show)
		ret = config_show(r, e);
	if (ret != 0)
		one_run_free(next);
	return ret;
}

/* Begin to count, and launch the lcores. */
static int
launch(struct run *r, unsigned int tx_first, struct err *e)
{
	const struct run_observer *o = &r->observer;
	uint64_t begin_tsc = 0;
	int ret = 0;

	flush_waiting(r);
	settings_keep(r->settings);
	run_cpu_begin(r);
	run_count_record(r);
	run_count_begin(r);
	if (o->begin != NULL)
		o->begin(o->context);

	atomic_store(&r->ending, false);
	ret = run_frames_begin(r, e);
	if (ret == 0 && tx_first > 0)
		ret = run_launch_first(r, r->streams, tx_first, e);
	if (ret == 0)
		ret = callbacks_begin(r, e);
	if (ret == 0) {
		atomic_store(&r->stop, false);
		begin_tsc = rte_rdtsc();
		ret = run_launch(r, &r->plan, r->streams, r->work, e);
		if (ret != 0)
			callbacks_end(r);
	}
	if (ret != 0) {
		finish(r);
		return ret;
	}
	running_set(r, true, begin_tsc);
	return 0;
}

int
run_start(struct run *r, unsigned int tx_first, bool show, struct err *e)
{
	struct one_run next, last;
	struct plan plan;
	int ret;

	if (r->secondary)
		return run_engines_lend(r, e);
	ret = prepare(r, tx_first > 0, show, &plan, e);
	if (ret == 0)
		ret = make(r, &plan, show, &next, e);
	if (ret != 0)
		return ret;
	last = exchange(r, &next);
	one_run_free(&last);
	ret = launch(r, tx_first, e);
	if (ret == 0 && show)
		flushed_show(r);
	return ret;
}

uint64_t
run_halt(struct run *r)
{
	uint64_t end_tsc = 0;

	run_launch_end(r);
	for (unsigned int i = 0; r->work != NULL && i < plan_lcores(&r->plan); i++)
		end_tsc = RTE_MAX(end_tsc, r->work[i].ended_tsc);
	return end_tsc != 0 ? end_tsc : rte_rdtsc();
}

void
run_stop(struct run *r)
{
	const uint64_t end_tsc = run_halt(r);

	callbacks_end(r);
	if (r->secondary) {
		atomic_store(&r->lending, false);
		return;
	}
	run_count_end(r);
	/* While the run is not over only the observer reads it. */
	r->end_tsc = end_tsc;
	finish(r);
	running_set(r, false, end_tsc);
	if (r->check)
		run_law_check(r);
}

/* summary: print the summary line after testpmd's statistics. */
static int
stop_show(struct run *r, bool summary, struct err *e)
{
	if (!run_busy(r))
		return err_set(e, ENOENT, "Packet forwarding not started");
	out_text(r->out, "Telling cores to stop...");
	out_text(r->out, "\nWaiting for lcores to finish...\n");
	run_stop(r);
	if (!r->secondary)
		run_stats_show(r);
	if (summary && !r->secondary)
		run_summary_text(r);
	out_text(r->out, "\nDone.\n");
	if (r->secondary)
		return 0;
	run_summary_verdict(r);
	return run_account_valid(r, e);
}

int
run_stop_show(struct run *r, struct err *e)
{
	return stop_show(r, setting_on(r->settings, "run-summary"), e);
}

int
run_stop_summary(struct run *r, struct err *e)
{
	return stop_show(r, true, e);
}

void
run_close(struct run *r)
{
	struct one_run last = exchange(r, &(struct one_run){ .engine = r->engine_run });

	one_run_free(&last);
	pthread_mutex_lock(&r->lock);
	run_cpu_free(r);
	pthread_mutex_unlock(&r->lock);
}

void
run_end(struct run *r)
{
	if (run_busy(r))
		run_stop(r);
	run_close(r);
	run_engines_close(r);
}
