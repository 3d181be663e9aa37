/* Processes a burst of l3fwd: look up, rewrite, collect by Tx queue, and send full bursts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/l3fwd/l3fwd_poll.h"

#include "engines/common/l3/l3_burst.h"

#include <rte_cycles.h>

static_assert(L3_NO_ROUTE - 1 == L3FWD_NO_ROUTE && L3_EXPIRED - 1 == L3FWD_EXPIRED &&
		L3_MALFORMED - 1 == L3FWD_MALFORMED,
	"reasons are indexes of counters");

/* OR and AND over indexes in outs: if they are equal, so are all indexes. */
struct places {
	uint8_t any, all;
};

static __rte_always_inline void
place_add(struct places *places, uint8_t out)
{
	places->any |= out;
	places->all &= out;
}

/* Account for n packets that move from s to the stream of outs[i]. */
static __rte_always_inline void
hand_over(struct stream *s, struct l3fwd_stream *st, unsigned int i, uint16_t n)
{
	struct stream *to = st->lcore->outs[i].stream;

	st->sent_by[i] += n;
	if (likely(to == s))
		return;
	counter_add(&s->count.absorbed, n);
	stream_count_named(s, L3FWD_ROUTED_OUT, n);
	counter_add(&to->count.made, n);
	stream_count_named(to, L3FWD_ROUTED_IN, n);
}

static void
out_send(struct l3fwd_out *o)
{
	const uint16_t n = o->n;

	o->n = o->counted = 0;
	for (uint16_t at = 0, some; at < n; at += some) {
		some = RTE_MIN((uint16_t)(n - at), (uint16_t)BURST_MAX);
		stream_tx(o->stream, o->pkts + at, some);
	}
}

void
l3fwd_poll_flush(struct l3fwd_lcore *l)
{
	for (unsigned int i = 0; i < l->n_outs; i++)
		if (l->outs[i].n > 0)
			out_send(&l->outs[i]);
	l->waiting = false;
}

/* Send if there is a full burst, or everything if packets must not wait. */
static __rte_always_inline void
out_filled(struct l3fwd_lcore *l, struct l3fwd_out *o)
{
	if (o->n >= l->burst || l->drain_tsc == 0) {
		out_send(o);
	} else if (!l->waiting) {
		l->waiting = true;
		l->since = rte_rdtsc();
	}
}

/* Add all n packets to outs[i]. */
static __rte_always_inline void
gather_one(struct stream *s, struct l3fwd_stream *st, unsigned int i, struct rte_mbuf **pkts,
	uint16_t n)
{
	struct l3fwd_lcore *l = st->lcore;
	struct l3fwd_out *o = &l->outs[i];

	hand_over(s, st, i, n);
	if (o->n == 0 && (2 * n >= l->burst || l->drain_tsc == 0)) {
		stream_tx(o->stream, pkts, n);
		return;
	}
	memcpy(o->pkts + o->n, pkts, n * sizeof(*pkts));
	o->n += n;
	o->counted = o->n;
	out_filled(l, o);
}

/* Add packet k to outs[out[k]]. */
static void
gather(struct stream *s, struct l3fwd_stream *st, const uint8_t *out, struct rte_mbuf **pkts,
	uint16_t n)
{
	struct l3fwd_lcore *l = st->lcore;
	struct l3fwd_out *dropped = &l->outs[l->n_outs];

	for (uint16_t k = 0; k < n; k++) {
		struct l3fwd_out *o = &l->outs[out[k]];

		o->pkts[o->n++] = pkts[k];
	}
	for (unsigned int i = 0; i < l->n_outs; i++) {
		struct l3fwd_out *o = &l->outs[i];

		if (o->n == o->counted)
			continue;
		hand_over(s, st, i, o->n - o->counted);
		o->counted = o->n;
		out_filled(l, o);
	}
	if (dropped->n > 0) {
		stream_absorb(s, dropped->pkts, dropped->n);
		dropped->n = 0;
	}
}

/* Rewrite the IPv4 or IPv6 packets, and set out[place] to the index of their queue. */
static __rte_always_inline void
send_on(struct stream *s, const struct l3_next *all, const struct l3_family *some, bool v6,
	struct rte_mbuf **pkts, uint8_t *out, struct places *places)
{
	const struct l3fwd_stream *st = s->state;
	const uint8_t none = (uint8_t)st->lcore->n_outs;
	const uint16_t n =
		some->n; /* the compiler must assume that writes to packets change some->n */

	for (uint16_t i = 0; i < n; i++) {
		const uint16_t place = some->place[i];
		const uint64_t hop = some->hop[i];
		uint8_t to = none;

		if (unlikely(hop == 0)) {
			stream_count_named(s, L3FWD_NO_ROUTE, 1);
		} else {
			to = st->way[all[hop].port];
			l3_send_on(pkts[place], some->l3[i], &all[hop], v6);
			if (unlikely(to == none))
				stream_count_named(s, L3FWD_NO_TX_QUEUE, 1);
		}
		out[place] = to;
		place_add(places, to);
	}
}

static __rte_always_inline uint16_t
route(struct stream *s, struct rte_mbuf **pkts, uint16_t n, bool exact)
{
	struct l3fwd_stream *st = s->state;
	const struct l3_paths *paths = st->lcore->paths;
	const uint8_t none = (uint8_t)st->lcore->n_outs;
	struct places places = { 0, UINT8_MAX };
	uint8_t out[BURST_MAX];
	struct l3_burst b;

	b.v4.n = b.v6.n = 0;
	for (uint16_t k = 0; k < n; k++)
		rte_prefetch0(rte_pktmbuf_mtod(pkts[k], void *));
	for (uint16_t k = 0; k < n; k++) {
		const enum l3_drop drop = l3_burst_add(&b, pkts[k], k, exact);

		if (unlikely(drop != L3_FINE)) {
			stream_count_named(s, drop - 1, 1);
			out[k] = none;
			place_add(&places, none);
		}
	}
	l3_burst_lookup(&b, &paths->tables);
	send_on(s, paths->next, &b.v4, false, pkts, out, &places);
	send_on(s, paths->next, &b.v6, true, pkts, out, &places);
	if (likely(places.any == places.all && places.any != none))
		gather_one(s, st, places.any, pkts, n);
	else
		gather(s, st, out, pkts, n);
	return 0;
}

uint16_t
l3fwd_poll_prefix(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	return route(s, pkts, n, false);
}

uint16_t
l3fwd_poll_exact(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	return route(s, pkts, n, true);
}
