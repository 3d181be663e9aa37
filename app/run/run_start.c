/* Start and stop runs: make a plan and its streams, launch the workers, and end them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_start.h"

#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "memory/pool.h"
#include "memory/pool_ops.h"
#include "memory/pool_probe.h"
#include "pmd_shims/recycle/rx_call.h"
#include "port/port.h"
#include "port/port_feature.h"
#include "run/run.h"
#include "run/run_count.h"
#include "run/run_engines.h"
#include "run/run_launch.h"
#include "run/run_law.h"
#include "run/run_mirror.h"
#include "run/run_plan.h"
#include "run/run_recycle.h"
#include "run/run_rx_pool.h"
#include "run/run_share.h"
#include "run/streams.h"

#include <rte_cycles.h>
#include <rte_lcore.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

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
	streams_free(r->streams, r->plan.n_streams);
	plan_free(&r->plan);
	free(r->base);
	free(r->timed_base);
	free(r->work);
	r->streams = NULL;
	r->base = NULL;
	r->timed_base = NULL;
	r->work = NULL;
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

/* Replace the statistics of the last run by those of a new one. */
static int
adopt(struct run *r, const struct engine *engine, struct plan *plan, struct err *e)
{
	struct stream **streams = streams_make(r, engine, plan, e);
	struct stream_count *timed_base;
	struct run_count *base;
	struct run_work *work;

	if (streams == NULL)
		goto no_streams;
	base = calloc(plan->n_streams, sizeof(*base));
	timed_base = calloc(plan->n_streams, sizeof(*timed_base));
	work = calloc(plan_lcores(plan), sizeof(*work));
	if (base == NULL || timed_base == NULL || work == NULL) {
		err_set(e, ENOMEM, "no memory for the statistics of %u streams", plan->n_streams);
		goto no_counts;
	}
	pthread_mutex_lock(&r->lock);
	forget(r);
	r->plan = *plan;
	r->streams = streams;
	r->base = base;
	r->timed_base = timed_base;
	r->work = work;
	r->engine_run = engine;
	pthread_mutex_unlock(&r->lock);
	return 0;
no_counts:
	free(base);
	free(timed_base);
	free(work);
	streams_free(streams, plan->n_streams);
no_streams:
	plan_free(plan);
	return -e->code;
}

/* Check that a run may begin, and prepare the ports. */
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
	ret = run_rx_pool_prepare(r, e);
	if (ret == 0)
		ret = port_features_run(r->ports, e);
	if (ret == 0 && r->captures_apply != NULL)
		ret = r->captures_apply(r->captures, e);
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

/* Make the streams of this run, replacing those of the last. */
static int
make(struct run *r, struct err *e)
{
	struct plan plan;
	int ret = run_plan(r, r->engine, &plan, e);

	if (ret != 0)
		return ret;
	ret = run_share_check(r, &plan, e);
	if (ret == 0)
		ret = pools_check(r, &plan, e);
	if (ret == 0) {
		pools_warn(r, &plan);
		repeats_warn(r, &plan);
	}
	if (ret == 0)
		ret = run_mirror_prepare(r, &plan, e);
	if (ret == 0)
		return adopt(r, r->engine, &plan, e);
	plan_free(&plan);
	return ret;
}

/* Send the tx_first bursts, begin the mirrors, and launch the workers. */
static int
launch(struct run *r, unsigned int tx_first, uint64_t *begin_tsc, struct err *e)
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
	*begin_tsc = rte_rdtsc();
	ret = run_launch(r, &r->plan, r->streams, r->work, e);
	if (ret != 0)
		run_mirror_end(r);
	return ret;
}

/* Let the engine finish its streams, and call the observer. */
static void
finish(struct run *r)
{
	streams_finish(r->streams, r->plan.n_streams);
	if (r->observer.end != NULL)
		r->observer.end(r->observer.context);
}

int
run_prepare(struct run *r, struct err *e)
{
	int ret = ready(r, e);

	if (ret == 0)
		ret = make(r, e);
	if (ret == 0)
		ret = run_engines_apply(r, r->engine_run, e);
	if (ret == 0)
		ret = run_recycle_apply(r, e);
	if (ret == 0)
		run_recycle_warn(r);
	return ret;
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

int
run_begin(struct run *r, unsigned int tx_first, struct err *e)
{
	const struct run_observer *o = &r->observer;
	uint64_t begin_tsc = 0;
	int ret;

	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++)
		r->ports->port[id].flushed = 0;
	r->flushed = setting_on(r->settings, "flush_rx")
		? port_flush_rx(r->ports, r->choice.ports, r->choice.use_ports)
		: 0;
	settings_keep(r->settings);
	limit_set(r);
	run_count_record(r);
	run_count_clear(r);
	if (o->begin != NULL)
		o->begin(o->context);
	ret = launch(r, tx_first, &begin_tsc, e);
	if (ret == 0) {
		running_set(r, true, begin_tsc);
		return 0;
	}
	finish(r);
	return ret;
}

bool
run_busy(const struct run *r)
{
	return r->running || atomic_load(&r->lending);
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

	run_mirror_end(r);
	if (r->secondary) {
		atomic_store(&r->lending, false);
		return;
	}
	finish(r);
	if (r->check)
		run_law_check(r);
	running_set(r, false, end_tsc);
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
	if (run_busy(r))
		run_stop(r);
	run_close(r);
	run_engines_close(r);
}
