/* port mirror RX TX: choose the queues of a mirror and whether it clones or copies packets, and send them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_mirror.h"

#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "cmdline/grammar/grammar.h"
#include "engines/engine.h"
#include "memory/mbuf_readonly.h"
#include "memory/pool.h"
#include "pmd_shims/extbuf.h"
#include "port/port.h"
#include "run/packets/run_fast_free.h"
#include "run/run.h"

#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A mirror's queue: send the packets of one receive queue on one transmit queue too. */

enum { CHUNK = 64 /* packets that are sent together */ };

/* Mark packets before they are cloned: clones get the flags of what they are attached to. */
static __rte_always_inline void
readonly_mark(struct rte_mbuf **pkts, uint16_t n, uint64_t mask)
{
	for (uint16_t i = 0; i < n; i++)
		for (struct rte_mbuf *m = pkts[i]; m != NULL; m = m->next)
			mbuf_readonly_set(m, mask);
}

/* Return a clone or copy of the packet; NULL after counting the reason. */
static struct rte_mbuf *
again(struct run_mirror_queue *mq, struct rte_mbuf *m)
{
	struct rte_mbuf *more = mq->clones ? rte_pktmbuf_clone(m, mq->pool)
					   : rte_pktmbuf_copy(m, mq->pool, 0, UINT32_MAX);

	if (unlikely(more == NULL)) {
		counter_add(&mq->count.no_mbuf, 1);
	} else if (unlikely(more->nb_segs > 1 && !mq->segments)) {
		counter_add(&mq->count.segments, 1);
		rte_pktmbuf_free(more);
		more = NULL;
	} else if (!mq->clones) {
		mbuf_readonly_clear(more, mq->readonly);
	}
	return more;
}

/* Rx callback. Thread: the lcore of both queues. */
static uint16_t
on_rx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, uint16_t max, void *arg)
{
	struct run_mirror_queue *mq = arg;
	struct rte_mbuf *out[CHUNK];

	if (mq->mark)
		extbuf_mark(pkts, n);
	if (mq->clones)
		readonly_mark(pkts, n, mq->readonly);
	for (uint16_t i = 0; i < n;) {
		uint16_t made = 0, sent;

		for (; i < n && made < CHUNK; i++) {
			out[made] = again(mq, pkts[i]);
			made += out[made] != NULL;
		}
		sent = rte_eth_tx_burst(mq->tx_port, mq->tx_queue, out, made);
		rte_pktmbuf_free_bulk(out + sent, made - sent);
		counter_add(&mq->count.sent, sent);
		counter_add(&mq->count.full, made - sent);
	}
	counter_add(&mq->count.received, n);
	return n;
}

int
run_mirror_queue_open(struct run_mirror_queue *mq, struct err *e)
{
	mq->callback = rte_eth_add_rx_callback(mq->rx_port, mq->rx_queue, on_rx, mq);
	if (mq->callback == NULL)
		return err_set(e, rte_errno, "port %u queue %u cannot be mirrored: %s", mq->rx_port,
			mq->rx_queue, strerror(rte_errno));
	return 0;
}

void
run_mirror_queue_close(struct run_mirror_queue *mq)
{
	/* No lcore receives any more, so the callback can be freed. */
	if (mq->callback != NULL &&
		rte_eth_remove_rx_callback(mq->rx_port, mq->rx_queue, mq->callback) == 0)
		rte_free((void *)(uintptr_t)mq->callback);
	mq->callback = NULL;
}

struct run_mirror_sum
run_mirror_queue_read(const struct run_mirror_queue *mq)
{
	const struct run_mirror_count *c = &mq->count;

	return (struct run_mirror_sum){ counter_read(&c->received), counter_read(&c->sent),
		counter_read(&c->no_mbuf), counter_read(&c->full), counter_read(&c->segments) };
}

#define POOL_NAME "mirror"

static int
stopped_check(const struct run *r, struct err *e)
{
	return r->running
		? err_set(e, EBUSY, "Please stop forwarding first: a mirror takes effect at start")
		: 0;
}

int
run_mirror_set(struct run *r, const struct args *a, struct err *e)
{
	const uint16_t rx = (uint16_t)arg_u64(a, "rx", 0), tx = (uint16_t)arg_u64(a, "tx", 0);

	if (port_find(r->ports, rx, e) == NULL || port_find(r->ports, tx, e) == NULL)
		return -ENODEV;
	if (rx == tx)
		return err_set(e, EINVAL, "port %u cannot be mirrored to itself", rx);
	if (stopped_check(r, e) != 0)
		return -EBUSY;
	r->mirror.target[rx].on = true;
	r->mirror.target[rx].to = tx;
	return 0;
}

int
run_mirror_off(struct run *r, const struct args *a, struct err *e)
{
	const uint16_t rx = (uint16_t)arg_u64(a, "rx", 0);

	if (rx >= RTE_MAX_ETHPORTS || !r->mirror.target[rx].on)
		return err_set(e, ENOENT, "port %u is not mirrored", rx);
	if (stopped_check(r, e) != 0)
		return -EBUSY;
	r->mirror.target[rx].on = false;
	return 0;
}

static bool
has_mirrors(const struct run *r)
{
	for (unsigned int i = 0; i < RTE_MAX_ETHPORTS; i++)
		if (r->mirror.target[i].on)
			return true;
	return false;
}

/*
 * Create the pool for clones and copies, which no other packets use. It uses DPDK's memory
 * regardless of mp-alloc.
 */
static int
pool_find(struct run *r, struct err *e)
{
	struct rte_mempool *usual = pool_for(r->pools, SOCKET_ID_ANY, 0);
	const unsigned int cache = (unsigned int)setting_u64(r->settings, "mbcache");
	const struct pool_need need = run_pool_need(r);
	const unsigned int n = (unsigned int)RTE_MIN(pool_least(&need, cache), UINT32_MAX - 1);

	if (r->mirror.pool != NULL)
		return 0;
	r->mirror.pool = rte_pktmbuf_pool_create(POOL_NAME, n, cache, 0,
		usual != NULL ? rte_pktmbuf_data_room_size(usual) : RTE_MBUF_DEFAULT_BUF_SIZE,
		SOCKET_ID_ANY);
	return r->mirror.pool != NULL
		? 0
		: err_set(e, rte_errno,
			  "port mirror: cannot create a pool of %u buffers: %s; use more memory, -m MIB",
			  n, rte_strerror(rte_errno));
}

static uint64_t
tx_offloads(const struct run *r, uint16_t port, uint16_t queue)
{
	struct stream_end end;

	port_stream_end(port_at(r->ports, port), queue, false, &end);
	return end.offloads;
}

/* The users of a transmit queue in this run. */
struct user {
	bool stream, mirror;
	unsigned int lcore;
};

static struct user
user_of(const struct run_mirror *m, const struct plan *plan, uint16_t port, uint16_t queue)
{
	struct user user = { false, false, 0 };

	for (unsigned int i = 0; i < plan->n_streams; i++)
		if (plan->streams[i].tx_port == port && plan->streams[i].tx_queue == queue)
			user = (struct user){ true, false, plan->streams[i].lcore };
	for (unsigned int i = 0; i < m->n_next; i++)
		if (m->next[i]->tx_port == port && m->next[i]->tx_queue == queue) {
			user.mirror = true;
			user.lcore = m->next[i]->lcore;
		}
	return user;
}

/*
 * Return how well a transmit queue fits a mirror on that lcore; 0: not usable. A stream's queue is
 * usable without fast free, which requires mbufs from one pool; the mirror has a separate pool.
 */
static unsigned int
fitness(const struct run *r, const struct plan *plan, unsigned int lcore, uint16_t port,
	uint16_t queue)
{
	const struct user user = user_of(&r->mirror, plan, port, queue);
	const bool fast_free = (tx_offloads(r, port, queue) & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) !=
		0;

	if (port_at(r->ports, port)->txq[queue].stopped)
		return 0;
	if (!user.stream && !user.mirror)
		return 2;
	if (user.lcore != lcore || (user.stream && fast_free))
		return 0;
	return user.mirror ? 3 : 1;
}

static int
queue_find(const struct run *r, const struct plan *plan, struct run_mirror_queue *mq, struct err *e)
{
	const struct port *p = port_at(r->ports, mq->tx_port);
	unsigned int best = 0;

	if (p == NULL || p->state != PORT_STARTED)
		return err_set(e, ENETDOWN, "port mirror %u %u: port %u is not started",
			mq->rx_port, mq->tx_port, mq->tx_port);
	for (uint16_t q = 0; q < p->n_txq; q++) {
		const unsigned int fit = fitness(r, plan, mq->lcore, mq->tx_port, q);

		if (fit > best) {
			best = fit;
			mq->tx_queue = q;
		}
	}
	if (best > 0)
		return 0;
	return err_set(e, ENOSPC,
		"port mirror %u %u: port %u has %u transmit queues, but lcore %u can use none of them: other lcores use them, or mbuf_fast_free prevents sharing one. Use --txq=%u, or \"port config %u tx_offload mbuf_fast_free off\"",
		mq->rx_port, mq->tx_port, mq->tx_port, p->n_txq, mq->lcore, p->n_txq + 1,
		mq->tx_port);
}

/*
 * Decide between clones and copies. Clones share data with the forwarded packets, so the engine
 * must not write to packets and every sending driver must respect reference counts. Else packets
 * are copied, and why gets the reason.
 */
static void
manner_decide(const struct run *r, const struct plan *plan, struct run_mirror_queue *mq)
{
	const unsigned int clones = 1u << EXTBUF_TX_CLONES;
	struct err e;
	int ret;

	err_clear(&e);
	mq->clones = false;
	if (r->engine->written != NULL) {
		snprintf(mq->why, sizeof(mq->why), "engine %s writes into packets",
			r->engine->name);
		return;
	}
	ret = extbuf_tx_check(mq->tx_port, mq->tx_queue, tx_offloads(r, mq->tx_port, mq->tx_queue),
		clones, &e);
	for (unsigned int i = 0; ret == 0 && i < plan->n_streams; i++) {
		const struct plan_stream *t = &plan->streams[i];

		if (t->rx_port == mq->rx_port && (r->engine->flags & ENGINE_NO_TX) == 0)
			ret = extbuf_tx_check(t->tx_port, t->tx_queue,
				tx_offloads(r, t->tx_port, t->tx_queue), clones, &e);
	}
	mq->clones = ret == 0;
	snprintf(mq->why, sizeof(mq->why), "%s", ret == 0 ? "" : e.text);
}

static int
queue_prepare(struct run *r, const struct plan *plan, const struct plan_stream *route,
	struct run_mirror_queue *mq, struct err *e)
{
	const struct port *p = port_at(r->ports, route->rx_port);
	struct extbuf_queue rx, tx;
	struct stream_end end;
	int ret;

	mq->rx_port = route->rx_port;
	mq->rx_queue = route->rx_queue;
	mq->tx_port = r->mirror.target[route->rx_port].to;
	mq->lcore = route->lcore;
	mq->pool = r->mirror.pool;
	ret = queue_find(r, plan, mq, e);
	if (ret == 0)
		ret = extbuf_rx_judge(mq->rx_port, mq->rx_queue, &rx, e);
	if (ret == 0)
		ret = extbuf_tx_judge(mq->tx_port, mq->tx_queue,
			tx_offloads(r, mq->tx_port, mq->tx_queue), &tx, e);
	if (ret != 0)
		return ret;
	manner_decide(r, plan, mq);
	mq->readonly = mbuf_readonly_lookup();
	if (mq->clones && extbuf_readonly_register(&mq->readonly, e) != 0)
		return -e->code;
	mq->mark = mq->clones && rx.verdict[EXTBUF_RX_CLONES].support != EXTBUF_OK &&
		extbuf_is_pinned(port_rx_pool(p, mq->rx_queue, p->socket));
	port_stream_end(port_at(r->ports, mq->tx_port), mq->tx_queue, false, &end);
	mq->frame = end.frame;
	mq->segments = tx.verdict[EXTBUF_TX_SEGMENTS].support != EXTBUF_REFUSED;
	return 0;
}

/* Add the mirror of a stream's Rx queue to the next run's. Its lcore writes it, so it is near it. */
static int
queue_new(struct run *r, const struct plan *plan, const struct plan_stream *route, struct err *e)
{
	struct run_mirror_queue *mq = rte_zmalloc_socket("mirror", sizeof(*mq), CACHE_PAIR,
		(int)rte_lcore_to_socket_id(route->lcore));

	if (mq == NULL)
		return err_set(e, ENOMEM, "port mirror: no memory for port %u queue %u",
			route->rx_port, route->rx_queue);
	if (queue_prepare(r, plan, route, mq, e) != 0) {
		rte_free(mq);
		return -e->code;
	}
	r->mirror.next[r->mirror.n_next++] = mq;
	return 0;
}

static void
queues_free(struct run_mirror_queue **queues, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		rte_free(queues[i]);
	free(queues);
}

int
run_mirror_prepare(struct run *r, const struct plan *plan, struct err *e)
{
	int ret;

	queues_free(r->mirror.next, r->mirror.n_next);
	r->mirror.next = NULL;
	r->mirror.n_next = 0;
	if (!has_mirrors(r) || (r->engine->flags & ENGINE_NO_RX) != 0)
		return 0;
	if ((r->engine->flags & ENGINE_NO_MBUFS) != 0)
		return err_set(e, ENOTSUP,
			"engine %s forwards without mbufs, which mirrors need: use \"port mirror RX off\"",
			r->engine->name);
	r->mirror.next = calloc(plan->n_streams, sizeof(struct run_mirror_queue *));
	if (r->mirror.next == NULL)
		return err_set(e, ENOMEM, "port mirror: no memory for %u queues", plan->n_streams);
	ret = pool_find(r, e);
	for (unsigned int i = 0; ret == 0 && i < plan->n_streams; i++)
		if (r->mirror.target[plan->streams[i].rx_port].on)
			ret = queue_new(r, plan, &plan->streams[i], e);
	return ret;
}

int
run_mirror_begin(struct run *r, struct err *e)
{
	struct run_mirror *m = &r->mirror;
	int ret = 0;

	queues_free(m->queues, m->n_queues);
	m->queues = m->next;
	m->n_queues = m->n_next;
	m->next = NULL;
	m->n_next = 0;
	for (unsigned int i = 0; ret == 0 && i < m->n_queues; i++)
		ret = run_mirror_queue_open(m->queues[i], e);
	for (unsigned int i = 0; ret == 0 && i < m->n_queues; i++)
		run_fast_free_sent(r, m->queues[i]->tx_port, m->queues[i]->tx_queue, m->pool);
	if (ret != 0)
		run_mirror_end(r);
	return ret;
}

void
run_mirror_end(struct run *r)
{
	for (unsigned int i = 0; i < r->mirror.n_queues; i++)
		run_mirror_queue_close(r->mirror.queues[i]);
}

void
run_mirror_close(struct run *r)
{
	queues_free(r->mirror.queues, r->mirror.n_queues);
	queues_free(r->mirror.next, r->mirror.n_next);
	rte_mempool_free(r->mirror.pool);
	memset(&r->mirror, 0, sizeof(r->mirror));
}

void
run_mirror_clear(struct run *r)
{
	for (unsigned int i = 0; i < r->mirror.n_queues; i++)
		r->mirror.queues[i]->base = run_mirror_queue_read(r->mirror.queues[i]);
}
