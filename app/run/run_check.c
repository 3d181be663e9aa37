/* Checks before a start: the engine's queues, the ports, and the plan with its pools; warns of faults
 * that a run would have. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_check.h"

#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "memory/pool.h"
#include "memory/pool_ops.h"
#include "pmd_shims/rx_call.h"
#include "port/port.h"
#include "port/port_setup.h"
#include "run/run.h"
#include "stream/plan.h"

#include <rte_ethdev.h>
#include <rte_lcore.h>

#include <errno.h>
#include <inttypes.h>

static int
queues_check(const struct run *r, const struct engine *engine, struct err *e)
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

int
run_check_start(const struct run *r, struct err *e)
{
	int ret = queues_check(r, r->engine, e);

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

/* Check that the plan polls each shared Rx queue from one lcore only. */
static int
share_check(const struct run *r, const struct plan *plan, struct err *e)
{
	int ret = 0;

	if (setting_u64(r->settings, "rxq-share") == 0)
		return 0;
	for (unsigned int i = 0; i < plan->n_streams && ret == 0; i++)
		for (unsigned int j = i + 1; j < plan->n_streams && ret == 0; j++)
			ret = pair_check(r, &plan->streams[i], &plan->streams[j], e);
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

int
run_check_plan(const struct run *r, const struct plan *plan, struct err *e)
{
	int ret = share_check(r, plan, e);

	return ret == 0 ? pools_check(r, plan, e) : ret;
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

/* Warn of rings that the driver never refills. */
static void
refills_warn(const struct run *r, const struct plan *plan)
{
	for (unsigned int i = 0; i < plan->n_streams; i++) {
		const struct plan_stream *s = &plan->streams[i];

		if (rx_call_never_refills(s->rx_port, s->rx_queue))
			out_warn(r->out,
				"Port %u: driver bug: receive queue %u with 64 descriptors is never refilled. Use --rxd=128 or more, or --force-max-simd-bitwidth=64\n",
				s->rx_port, s->rx_queue);
	}
}

void
run_check_warn(const struct run *r, const struct plan *plan)
{
	pools_warn(r, plan);
	refills_warn(r, plan);
	repeats_warn(r, plan);
}
