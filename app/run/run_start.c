/* The commands start and stop: make a plan and its streams, run them, end them, and print
 * what testpmd prints. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_start.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "memory/pool.h"
#include "memory/pool_ops.h"
#include "pmd_shims/rx_call.h"
#include "port/port.h"
#include "port/port_feature.h"
#include "port/port_link.h"
#include "port/port_setup.h"
#include "run/run.h"
#include "run/run_account.h"
#include "run/run_classes.h"
#include "run/run_count.h"
#include "run/run_cpu.h"
#include "run/run_engines.h"
#include "run/run_fast_free.h"
#include "run/run_frames.h"
#include "run/run_launch.h"
#include "run/run_mirror.h"
#include "run/run_recycle.h"
#include "run/run_rx_pool.h"
#include "run/run_show.h"
#include "run/run_stats.h"
#include "run/run_summary.h"
#include "run/run_writable.h"
#include "run/streams.h"
#include "stream/plan.h"

#include <rte_cycles.h>
#include <rte_lcore.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The checks of a stopped run: its account, and the packet balance of every stream by its counters
 * since creation, which `clear fwd stats` does not change. */

static void
account_check(struct run *r)
{
	struct err e = { 0 };

	/* Lcores count on between the counters of a clear, so the law does not hold after it. */
	if (r->base_tsc > r->begin_tsc || run_account_check(r, &e) == 0)
		return;
	r->broken++;
	out_warn(r->out, "%s\n", e.text);
}

void
run_law_check(struct run *r)
{
	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		const struct stream *s = r->streams[i];
		struct run_count read;
		const struct stream_count *c = &read.count;
		uint64_t in, out;

		run_count_read(s, &read);
		in = c->rx + c->made;
		out = c->tx + c->tx_dropped + c->absorbed;
		if (in == out)
			continue;
		r->broken++;
		out_warn(r->out,
			"Stream %u (%s, port %u queue %u to port %u queue %u): %" PRIu64
			" packets %s: rx %" PRIu64 " + made %" PRIu64 ", tx %" PRIu64
			" + dropped %" PRIu64 " + absorbed %" PRIu64 "\n",
			i, s->engine->name, s->rx_port, s->rx_queue, s->tx_port, s->tx_queue,
			in > out ? in - out : out - in, in > out ? "are missing" : "too many",
			(uint64_t)c->rx, (uint64_t)c->made, (uint64_t)c->tx,
			(uint64_t)c->tx_dropped, (uint64_t)c->absorbed);
	}
}

/* Check that a plan polls each shared Rx queue from one lcore only. */

static int
pair_check(const struct run *r, const struct plan_stream *a, const struct plan_stream *b,
	struct err *e)
{
	const struct port *pa = port_at(r->ports, a->rx_port), *pb = port_at(r->ports, b->rx_port);

	if (a->lcore == b->lcore || pa == NULL || pb == NULL ||
		!port_rx_share_same(pa, a->rx_queue, pb, b->rx_queue))
		return 0;
	return err_set(e, EINVAL,
		"Shared Rx queue group %u queue %u can't be scheduled on different cores:\n"
		"  lcore %u Port %u queue %u\n  lcore %u Port %u queue %u\n"
		"Please use --nb-cores=%u to limit number of forwarding cores",
		(unsigned int)(a->rx_port / setting_u64(r->settings, "rxq-share")) + 1, a->rx_queue,
		a->lcore, a->rx_port, a->rx_queue, b->lcore, b->rx_port, b->rx_queue,
		(unsigned int)setting_u64(r->settings, "rxq"));
}

int
run_share_check(const struct run *r, const struct plan *plan, struct err *e)
{
	int ret = 0;

	if (setting_u64(r->settings, "rxq-share") == 0)
		return 0;
	for (unsigned int i = 0; i < plan->n_streams && ret == 0; i++)
		for (unsigned int j = i + 1; j < plan->n_streams && ret == 0; j++)
			ret = pair_check(r, &plan->streams[i], &plan->streams[j], e);
	return ret;
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

/* What belongs to one run and is replaced by the next. */
struct one_run {
	const struct engine *engine;
	struct plan plan;
	struct stream **streams;
	struct run_count *base;
	struct stream_count *timed_base;
	struct run_work *work;
};

static void
one_run_free(struct one_run *one)
{
	streams_free(one->streams, one->plan.n_streams);
	plan_free(&one->plan);
	free(one->base);
	free(one->timed_base);
	free(one->work);
}

/* Let *one be the run of r. Returns what was. */
static struct one_run
exchange(struct run *r, const struct one_run *one)
{
	struct one_run last;

	pthread_mutex_lock(&r->lock);
	last = (struct one_run){ r->engine_run, r->plan, r->streams, r->base, r->timed_base,
		r->work };
	r->engine_run = one->engine;
	r->plan = one->plan;
	r->streams = one->streams;
	r->base = one->base;
	r->timed_base = one->timed_base;
	r->work = one->work;
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

/* Make the streams of a plan, which *one owns then. Errors: the plan remains the caller's. */
static int
one_run_make(const struct run *r, const struct plan *plan, struct one_run *one, struct err *e)
{
	*one = (struct one_run){ .engine = r->engine, .plan = *plan };
	one->streams = streams_make(r, r->engine, plan, e);
	if (one->streams == NULL)
		return -e->code;
	one->base = calloc(plan->n_streams, sizeof(*one->base));
	one->timed_base = calloc(plan->n_streams, sizeof(*one->timed_base));
	one->work = calloc(plan_lcores(plan), sizeof(*one->work));
	if (one->base != NULL && one->timed_base != NULL && one->work != NULL)
		return 0;
	one->plan = (struct plan){ 0 };
	streams_free(one->streams, plan->n_streams);
	one->streams = NULL;
	one_run_free(one);
	return err_set(e, ENOMEM, "no memory for the statistics of %u streams", plan->n_streams);
}

/* Check that a run of the chosen engine may begin. */
static int
check_startable(const struct run *r, struct err *e)
{
	int ret = check_queues(r, r->engine, e);

	if (ret != 0)
		return ret;
	for (unsigned int i = 0; i < r->choice.n_ports; i++)
		if (!port_is_started(r->ports, r->choice.ports[i]))
			return err_set(e, ENETDOWN,
				"Not all ports were started: use \"port start %u\"",
				r->choice.ports[i]);
	if (r->running)
		return err_set(e, EALREADY, "Packet forwarding already started");
	return 0;
}

/* Let the ports receive into the engine's pool, and set their features up. */
static int
prepare_ports(struct run *r, bool tx_first, struct err *e)
{
	int ret = run_rx_pool_prepare(r, e);

	if (ret == 0)
		ret = run_fast_free_prepare(r, tx_first, e);
	if (ret == 0)
		ret = port_features_run(r->ports, e);
	return ret;
}

/* Refuse a mempool driver without locks if several lcores would use it. */
static int
pools_check(const struct run *r, const struct plan *plan, struct err *e)
{
	for (unsigned int i = 0; i < POOL_MAX && plan_lcores(plan) > 1; i++) {
		const struct rte_mempool *mp = pool_at(r->pools, i);

		if (mp != NULL && pool_ops_one_lcore(pool_ops_name(mp)))
			return err_set(e, EINVAL,
				"mempool driver %s supports only one lcore, but %u would use it: use \"set nbcore 1\", or another driver with \"set pool ops NAME\"",
				pool_ops_name(mp), plan_lcores(plan));
	}
	return 0;
}

/* Warn of lcores that get no buffers from a pool although it is not empty. */
static void
pools_warn(const struct run *r, const struct plan *plan)
{
	for (unsigned int i = 0; i < plan->n_lcores; i++) {
		const unsigned int lcore = plan->lcores[i].lcore;
		struct rte_mempool *mp = pool_for(r->pools, (int)rte_lcore_to_socket_id(lcore), 0);

		if (mp == NULL || !pool_probe_starved(mp, lcore))
			continue;
		out_warn(r->out,
			"Pool %s: lcore %u gets no buffers although %u are free: mempool driver %s keeps them for lcores that used them before. Use \"port stop all\", \"set pool ops %s\", \"port start all\"\n",
			mp->name, lcore, rte_mempool_avail_count(mp), pool_ops_name(mp),
			pool_ops_name(mp));
	}
}

/*
 * Warn of a receive function that returns packets twice when its pool is empty, if rings and caches
 * can hold all buffers of the pool.
 */
static void
repeats_warn(const struct run *r, const struct plan *plan)
{
	const struct pool_need need = run_pool_need(r);
	const uint64_t least = pool_least(&need, r->pools->config.cache);
	struct rte_eth_rxq_info rxq;

	for (unsigned int i = 0; i < plan->n_streams; i++) {
		const struct plan_stream *s = &plan->streams[i];

		if (s->rx_queue != 0 || !rx_call_repeats(s->rx_port, s->rx_queue) ||
			rte_eth_rx_queue_info_get(s->rx_port, s->rx_queue, &rxq) != 0 ||
			rxq.mp->size >= least)
			continue;
		out_warn(r->out,
			"Port %u: driver bug: it returns packets twice when pool %s is empty, which can happen with %u buffers. Use --total-num-mbufs=%" PRIu64
			" or more, or --force-max-simd-bitwidth=128\n",
			s->rx_port, rxq.mp->name, rxq.mp->size, least);
	}
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
limit_set(struct run *r)
{
	const bool made = (r->engine_run->flags & ENGINE_MAKES) != 0;

	atomic_store(&r->limit_left, (long long)r->limit);
	for (unsigned int i = 0; r->limit > 0 && i < r->plan.n_streams; i++)
		r->streams[i]->limit = (struct stream_limit){ .left = &r->limit_left,
			.burst = r->streams[i]->burst,
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
	int ret = run_mirror_begin(r, e);

	if (ret != 0)
		return ret;
	ret = run_writable_begin(r, e);
	if (ret != 0)
		run_mirror_end(r);
	return ret;
}

/* Remove the Rx callbacks of the run, after the workers. */
static void
callbacks_end(struct run *r)
{
	run_writable_end(r);
	run_mirror_end(r);
}

int
run_links_await(struct run *r, bool show, struct err *e)
{
	return port_links_await(r->ports, r->choice.ports, r->choice.use_ports, r->interrupt_fd,
		show, e);
}

/* Make the streams of the next run, checked by all who may refuse it. */
static int
prepare(struct run *r, bool tx_first, bool show, struct one_run *next, struct err *e)
{
	struct plan plan;
	int ret = check_startable(r, e);

	if (ret == 0)
		ret = prepare_ports(r, tx_first, e);
	if (ret == 0)
		ret = run_links_await(r, show, e);
	if (ret == 0)
		ret = run_plan(r, r->engine, &plan, e);
	if (ret != 0)
		return ret;
	ret = run_plan_started(r, tx_first, &plan, e);
	if (ret == 0)
		ret = run_share_check(r, &plan, e);
	if (ret == 0)
		ret = pools_check(r, &plan, e);
	if (ret == 0) {
		pools_warn(r, &plan);
		repeats_warn(r, &plan);
		ret = run_mirror_prepare(r, &plan, e);
	}
	if (ret == 0)
		ret = one_run_make(r, &plan, next, e);
	if (ret != 0)
		plan_free(&plan);
	return ret;
}

/* Replace the last run by the next one. Errors: the last run with its statistics is back. */
static int
adopt(struct run *r, const struct one_run *next, bool show, struct err *e)
{
	struct one_run last = exchange(r, next);
	int ret;

	limit_set(r);
	ret = run_engines_apply(r, r->engine, e);
	if (ret == 0)
		ret = run_recycle_apply(r, e);
	if (ret == 0)
		run_recycle_warn(r);
	if (ret == 0 && show)
		ret = config_show(r, e);
	if (ret != 0)
		last = exchange(r, &last);
	one_run_free(&last);
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
	struct one_run next;
	int ret;

	if (r->secondary)
		return run_engines_lend(r, e);
	ret = prepare(r, tx_first > 0, show, &next, e);
	if (ret == 0)
		ret = adopt(r, &next, show, e);
	if (ret == 0)
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
	if (r->check) {
		run_law_check(r);
		account_check(r);
	}
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
