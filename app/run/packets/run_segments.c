/* Finds the ports that get packets of several segments, and restarts them with multi_segs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/packets/run_segments.h"

#include "base/err.h"
#include "base/out.h"
#include "engines/engine.h"
#include "pmd_shims/extbuf.h"
#include "port/port.h"
#include "port/port_life.h"
#include "port/port_queue.h"
#include "port/port_setup.h"
#include "run/packets/run_split.h"
#include "run/run.h"
#include "run/run_classes.h"
#include "run/run_engines.h"
#include "stream/plan.h"

#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define SEVERAL RTE_ETH_TX_OFFLOAD_MULTI_SEGS

/* Where packets of several segments come from. */
struct origin {
	char from[32];   /* "port 0", "engine txonly" */
	const char *why; /* NULL: from nowhere */
};

/* The origins that streams, or their lcores, receive from. */
struct origins {
	struct origin run, lcore[RTE_MAX_LCORE];
};

/* True if frames may be longer than a buffer of the receive queue, and are scattered. */
static bool
scatters(const struct port *p, uint16_t queue, uint64_t offloads)
{
	struct rte_mempool *pool = p->rx_pools[queue][0];
	struct rte_eth_rxq_info info;
	uint16_t mtu;

	if (pool == NULL || rte_eth_dev_get_mtu(p->id, &mtu) != 0 ||
		mtu + port_setup_overhead(p) <=
			(uint32_t)rte_pktmbuf_data_room_size(pool) - RTE_PKTMBUF_HEADROOM)
		return false;
	return (offloads & RTE_ETH_RX_OFFLOAD_SCATTER) != 0 ||
		(rte_eth_rx_queue_info_get(p->id, queue, &info) == 0 && info.scattered_rx != 0);
}

/* Return why a receive queue gives packets of several segments; NULL: it does not. */
static const char *
why_several(const struct port *p, uint16_t queue)
{
	const uint64_t offloads = p->conf.rxmode.offloads | p->rxq[queue].offloads;

	if (run_split_splits(p, queue))
		return "splits packets (buffer_split)";
	if ((offloads & RTE_ETH_RX_OFFLOAD_TCP_LRO) != 0)
		return "joins packets (tcp_lro)";
	return scatters(p, queue, offloads) ? "receives frames longer than its buffers (scatter)"
					    : NULL;
}

static struct origin
origin_of(const struct run *r, const struct plan_stream *s)
{
	const struct port *p = port_at(r->ports, s->rx_port);
	struct origin o = { .why = NULL };

	snprintf(o.from, sizeof(o.from), "port %u", s->rx_port);
	if (p != NULL && s->rx_queue < PORT_QUEUES_MAX)
		o.why = why_several(p, s->rx_queue);
	return o;
}

/* True if the engine sends mbufs as it received them. */
static bool
passes_on(const struct run *r)
{
	const struct engine *engine = r->engine;
	const unsigned int made = ENGINE_NO_RX | ENGINE_NO_TX | ENGINE_NO_MBUFS | ENGINE_MAKES;

	if ((engine->flags & made) != 0)
		return false;
	return engine->sends == NULL || (engine->sends(r->settings) & ENGINE_SENDS_RECEIVED) != 0;
}

/* The origin of the packets of several segments that a stream may send. */
static struct origin
origin_sent(const struct run *r, const struct origins *all, const struct plan_stream *s)
{
	const enum engine_reach reach = r->engine->reach != NULL ? r->engine->reach(r->settings)
								 : ENGINE_REACH_OWN;

	if (reach == ENGINE_REACH_RUN)
		return all->run;
	return reach == ENGINE_REACH_LCORE ? all->lcore[s->lcore] : origin_of(r, s);
}

static void
bits_switch(struct port *p, bool on)
{
	const uint64_t several = on ? SEVERAL : 0;

	p->segments_on = on;
	p->conf.txmode.offloads = (p->conf.txmode.offloads & ~SEVERAL) | several;
	for (unsigned int q = 0; q < p->n_queues; q++)
		p->txq[q].offloads = (p->txq[q].offloads & ~SEVERAL) | several;
	p->configured = false;
}

/* The engine that makes or cuts packets for a port into several segments. */
static struct origin
origin_made(const struct engine *engine, const struct run *r, const struct port *p)
{
	struct origin o = { .why = NULL };

	snprintf(o.from, sizeof(o.from), "engine %s", engine->name);
	if (engine->segments != NULL)
		o.why = engine->segments(r->settings, &p->csum);
	return o;
}

/* The origin of the packets of several segments that a stream sends by a port. */
static struct origin
origin_any(const struct run *r, const struct origins *all, const struct plan_stream *s,
	const struct port *p, bool tx_first)
{
	struct origin o = origin_made(r->engine, r, p);

	if (o.why == NULL && tx_first)
		o = origin_made(run_engines_first(r), r, p);
	if (o.why == NULL && passes_on(r))
		o = origin_sent(r, all, s);
	return o;
}

/* True if the run may need the offload, or not need it any more. */
static bool
prepares(const struct run *r, bool tx_first)
{
	return passes_on(r) || tx_first || r->engine->segments != NULL;
}

/* Switch the offload of a port and its queues, and restart it. Errors: nothing is switched. */
static int
offload_switch(struct run *r, struct port *p, bool on, struct err *e)
{
	struct err other; /* discarded: the first failure is reported */
	int ret;

	bits_switch(p, on);
	ret = port_queue_restart(r->ports, p, e);
	if (ret != 0) {
		err_clear(&other);
		bits_switch(p, !on);
		port_start(r->ports, p->id, &other);
	}
	return ret;
}

/* Let a queue send packets of several segments. */
static int
queue_prepare(struct run *r, struct port *p, uint16_t queue, const struct origin *o, struct err *e)
{
	const uint64_t offloads = p->conf.txmode.offloads | p->txq[queue].offloads;
	struct extbuf_queue q;
	int ret = extbuf_tx_judge(p->id, queue, offloads, &q, e);

	if (ret != 0 || q.verdict[EXTBUF_TX_SEGMENTS].support != EXTBUF_REFUSED)
		return ret;
	if ((offloads & SEVERAL) == 0 && (p->info.tx_offload_capa & SEVERAL) != 0) {
		out_warn(r->out, "Port %u: multi_segs enabled: %s %s\n", p->id, o->from, o->why);
		ret = offload_switch(r, p, true, e);
		if (ret != 0)
			return ret;
	}
	ret = extbuf_tx_check(p->id, queue, p->conf.txmode.offloads | p->txq[queue].offloads,
		1u << EXTBUF_TX_SEGMENTS, e);
	return ret == 0 ? 0 : err_context(e, "%s %s", o->from, o->why);
}

/* Prepare a port for the plan's packets. */
static int
port_prepare(struct run *r, const struct plan *plan, struct port *p, const struct origins *all,
	bool tx_first, struct err *e)
{
	bool needed = false;
	int ret = 0;

	for (unsigned int i = 0; i < plan->n_streams && ret == 0; i++) {
		const struct plan_stream *s = &plan->streams[i];
		const struct origin o = origin_any(r, all, s, p, tx_first);

		if (s->tx_port != p->id || s->tx_queue >= PORT_QUEUES_MAX || o.why == NULL)
			continue;
		needed = true;
		ret = queue_prepare(r, p, s->tx_queue, &o, e);
	}
	if (ret != 0 || needed || !p->segments_on)
		return ret;
	out_warn(r->out, "Port %u: multi_segs disabled again: its packets have one segment\n",
		p->id);
	return offload_switch(r, p, false, e);
}

int
run_segments_prepare(struct run *r, bool tx_first, struct err *e)
{
	struct origins *all = calloc(1, sizeof(*all));
	struct plan plan;
	int ret;

	if (all == NULL)
		return err_set(e, ENOMEM, "no memory for the segments of packets");
	ret = run_plan(r, r->engine, &plan, e);
	if (ret != 0) {
		free(all);
		return ret;
	}
	ret = run_plan_started(r, tx_first, &plan, e);
	for (unsigned int i = 0; i < plan.n_streams && ret == 0; i++) {
		const struct origin o = origin_of(r, &plan.streams[i]);

		if (o.why != NULL)
			all->run = all->lcore[plan.streams[i].lcore] = o;
	}
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS && ret == 0; id++) {
		struct port *p = port_at(r->ports, id);

		if (p != NULL && p->state == PORT_STARTED && prepares(r, tx_first))
			ret = port_prepare(r, &plan, p, all, tx_first, e);
	}
	plan_free(&plan);
	free(all);
	return ret;
}
