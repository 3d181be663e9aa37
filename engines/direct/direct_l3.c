/* Routes packets without mbufs: look up, rewrite, and send on any Tx queue of the lcore. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/direct/direct_l3.h"

#include "base/err.h"
#include "engines/common/l3/l3_burst.h"
#include "stream/stream_pkts.h"

#include <rte_cycles.h>
#include <rte_malloc.h>
#include <rte_mempool.h>

#include <assert.h>
#include <errno.h>

static_assert(L3_EXPIRED - L3_NO_ROUTE == DIRECT_EXPIRED - DIRECT_NO_ROUTE &&
		L3_MALFORMED - L3_NO_ROUTE == DIRECT_MALFORMED - DIRECT_NO_ROUTE,
	"reasons are indexes of counters");

static struct direct_stream *
state_of(const struct stream *s)
{
	return s->state;
}

/* The lcore's streams exchange mbufs, so these have to be of one pool. */
static int
pools_check(const struct direct_stream *st, struct err *e)
{
	for (unsigned int i = 0; i < st->n_outs; i++) {
		const struct direct *d = state_of(st->outs[i])->queues;

		/* Packets of other queues would have to wait until the driver has sent some. */
		if (d->tx_ops->own_only)
			return err_set(e, ENOTSUP,
				"direct: port %u: routing without mbufs is not supported with driver %s: use engine l3fwd",
				d->to.port, d->tx_ops->driver);
		if (d->from.pool != st->queues->from.pool)
			return err_set(e, ENOTSUP,
				"direct: ports %u and %u receive into pools %s and %s: to route without mbufs, the ports of an lcore need one pool",
				st->queues->from.port, d->from.port, st->queues->from.pool->name,
				d->from.pool->name);
	}
	return 0;
}

/* Find the lcore's streams, which are adjacent among all. */
static int
ways_find(struct stream *const *streams, unsigned int n, struct stream *s, struct err *e)
{
	struct direct_stream *st = s->state;
	unsigned int first = s->index, end = s->index;

	while (first > 0 && streams[first - 1]->lcore == s->lcore)
		first--;
	while (end < n && streams[end]->lcore == s->lcore)
		end++;
	if (end - first > DIRECT_L3_OUTS)
		return err_set(e, E2BIG,
			"direct: %u queues on lcore %u: expected at most %u; use more lcores (--nb-cores)",
			end - first, s->lcore, DIRECT_L3_OUTS);
	st->outs = streams + first;
	st->n_outs = (uint8_t)(end - first);
	st->own = (uint8_t)(s->index - first);
	for (uint16_t port = 0; port < RTE_MAX_ETHPORTS; port++) {
		const struct stream *to = l3_paths_way(st->outs, st->n_outs, port, s);

		st->way[port] = (uint8_t)(to != NULL ? to->index - first : st->n_outs);
	}
	for (unsigned int i = 0; i < DIRECT_L3_BURST; i++)
		st->heads[i].nb_segs = 1;
	return pools_check(st, e);
}

int
direct_l3_make(struct stream *const *streams, unsigned int n, const struct routes *routes,
	enum l3_lookup lookup, struct out *out, struct err *e)
{
	struct l3_paths *paths = rte_zmalloc("direct_l3", sizeof(*paths), CACHE_PAIR);

	if (paths == NULL)
		return err_set(e, ENOMEM, "direct: no memory for routes");
	if (l3_paths_make(paths, routes, lookup, streams, n, SOCKET_ID_ANY, e) != 0) {
		rte_free(paths);
		return -e->code;
	}
	for (unsigned int i = 0; i < n; i++) {
		struct direct_stream *st = streams[i]->state;

		st->paths = paths;
		st->exact = lookup == L3_EXACT;
		if (ways_find(streams, n, streams[i], e) != 0)
			return -e->code;
	}
	l3_paths_warn(paths, "direct", streams, n, out);
	return 0;
}

void
direct_l3_free(struct stream *const *streams)
{
	struct direct_stream *st = streams[0]->state;
	struct l3_paths *paths = (struct l3_paths *)(uintptr_t)st->paths;

	if (paths == NULL)
		return;
	st->paths = NULL;
	l3_paths_free(paths);
	rte_free(paths);
}

/* Rewrite the IPv4 or IPv6 packets, and set out[place] to the index of their stream. */
static __rte_always_inline void
send_on(struct stream *s, const struct l3_next *all, const struct l3_family *some, bool v6,
	struct rte_mbuf *const *pkts, uint8_t *out)
{
	const struct direct_stream *st = s->state;
	const uint16_t n = some->n; /* writes to packets might change some->n */

	for (uint16_t i = 0; i < n; i++) {
		const uint16_t place = some->place[i];
		const uint64_t hop = some->hop[i];

		out[place] = st->n_outs;
		if (unlikely(hop == 0)) {
			stream_count_named(s, DIRECT_NO_ROUTE, 1);
			continue;
		}
		out[place] = st->way[all[hop].port];
		l3_send_on(pkts[place], some->l3[i], &all[hop], v6);
		if (unlikely(out[place] == st->n_outs))
			stream_count_named(s, DIRECT_NO_TX_QUEUE, 1);
	}
}

/* Route pkts[0..n), and set out[i] to the index of the stream that sends packet i. */
static __rte_always_inline void
route(struct stream *s, struct rte_mbuf *const *pkts, uint16_t n, uint8_t *out, bool exact)
{
	const struct direct_stream *st = s->state;
	struct l3_burst b;

	b.v4.n = b.v6.n = 0;
	for (uint16_t i = 0; i < n; i++) {
		const enum l3_drop drop = l3_burst_add(&b, pkts[i], i, exact);

		if (unlikely(drop != L3_FINE)) {
			stream_count_named(s, drop - L3_NO_ROUTE + DIRECT_NO_ROUTE, 1);
			out[i] = st->n_outs;
		}
	}
	l3_burst_lookup(&b, &st->paths->tables);
	send_on(s, st->paths->next, &b.v4, false, pkts, out);
	send_on(s, st->paths->next, &b.v6, true, pkts, out);
}

/* Account for n packets that move from s to another stream of the lcore. */
static void
hand_over(struct stream *s, struct stream *to, uint16_t n)
{
	if (likely(to == s))
		return;
	counter_add(&s->count.absorbed, n);
	stream_count_named(s, DIRECT_ROUTED_OUT, n);
	counter_add(&to->count.made, n);
	stream_count_named(to, DIRECT_ROUTED_IN, n);
}

/* Wait for room in a full Tx ring, as stream_tx() retries. Returns how many packets can be sent. */
static __rte_noinline uint16_t
room_wait(struct stream *to, struct direct *d, uint16_t n)
{
	const uint64_t begin = rte_rdtsc();
	uint16_t room = direct_room(d, n), tries;

	for (tries = 0; room < n && tries < to->retries && stream_retry_wait(to, begin); tries++)
		room = direct_room(d, n);
	counter_add(&to->count.tx_retried, tries);
	return room;
}

/* Send packets of s by the queue of a stream; those without room are dropped. */
static void
send_by(struct stream *s, struct stream *to, const struct direct_pkt *pkts, uint16_t n)
{
	struct direct *d = state_of(to)->queues;
	uint16_t sent = direct_room(d, n);

	if (unlikely(sent < n))
		sent = room_wait(to, d, n);
	sent = RTE_MIN(sent, n);
	hand_over(s, to, n);
	direct_send(d, pkts, sent);
	direct_sent(to, pkts, sent);
	if (likely(sent == n))
		return;
	counter_add(&to->count.tx_dropped, n - sent);
	direct_drop(d, pkts + sent, n - sent);
}

/* List the packets whose stream has the index k. Returns how many. */
static uint16_t
those_for(unsigned int k, const uint8_t *out, uint16_t n, uint8_t *which)
{
	uint16_t found = 0;

	for (uint16_t i = 0; i < n; i++)
		if (out[i] == k)
			which[found++] = (uint8_t)i;
	return found;
}

static void
forward(struct stream *s, const struct direct_pkt *pkts, uint16_t n)
{
	struct direct_stream *st = s->state;
	struct rte_mbuf *heads[DIRECT_L3_BURST];
	struct direct_pkt some[DIRECT_L3_BURST];
	uint8_t out[DIRECT_L3_BURST], which[DIRECT_L3_BURST];
	bool own = true;

	HOT_ASSERT(n <= DIRECT_L3_BURST && st->own < st->n_outs && st->outs[st->own] == s);
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *m = heads[i] = &st->heads[i];

		m->buf_addr = pkts[i].data;
		m->pkt_len = m->data_len = (uint16_t)pkts[i].length;
	}
	if (st->exact)
		route(s, heads, n, out, true);
	else
		route(s, heads, n, out, false);
	for (uint16_t i = 0; i < n; i++)
		own = own && out[i] == st->own;
	if (likely(own)) {
		send_by(s, s, pkts, n);
		return;
	}
	for (unsigned int k = 0; k <= st->n_outs; k++) {
		const uint16_t n_some = those_for(k, out, n, which);

		for (uint16_t i = 0; i < n_some; i++)
			some[i] = pkts[which[i]];
		if (n_some == 0)
			continue;
		if (k < st->n_outs) {
			send_by(s, st->outs[k], some, n_some);
		} else {
			counter_add(&s->count.absorbed, n_some);
			direct_drop(st->queues, some, n_some);
		}
	}
}

void
direct_l3_forward(struct stream *s, const struct direct_pkt *pkts, uint16_t n)
{
	for (uint16_t at = 0, some; at < n; at += some) {
		some = RTE_MIN((uint16_t)(n - at), (uint16_t)DIRECT_L3_BURST);
		forward(s, pkts + at, some);
	}
}

static void
forward_mbufs(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	struct direct_stream *st = s->state;
	struct rte_mbuf *some[DIRECT_L3_BURST];
	uint8_t out[DIRECT_L3_BURST], which[DIRECT_L3_BURST];

	route(s, pkts, n, out, st->exact);
	for (unsigned int k = 0; k <= st->n_outs; k++) {
		const uint16_t n_some = those_for(k, out, n, which);

		for (uint16_t i = 0; i < n_some; i++)
			some[i] = pkts[which[i]];
		if (n_some == 0)
			continue;
		if (k < st->n_outs) {
			hand_over(s, st->outs[k], n_some);
			direct_pause(state_of(st->outs[k])->queues);
			stream_tx(st->outs[k], some, n_some);
		} else {
			stream_absorb(s, some, n_some);
		}
	}
}

void
direct_l3_forward_mbufs(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	for (uint16_t at = 0, some; at < n; at += some) {
		some = RTE_MIN((uint16_t)(n - at), (uint16_t)DIRECT_L3_BURST);
		forward_mbufs(s, pkts + at, some);
	}
}

bool
direct_l3_usable(const struct direct_stream *st)
{
	for (unsigned int i = 0; i < st->n_outs; i++)
		if (!direct_usable(state_of(st->outs[i])->queues))
			return false;
	return true;
}
