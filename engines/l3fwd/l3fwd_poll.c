/* A burst of l3fwd: look all up, rewrite, gather by transmit queue, and send what is a burst. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/l3fwd/l3fwd_poll.h"

#include "engines/common/l3/l3_burst.h"

#include <rte_cycles.h>

static_assert(L3_NO_ROUTE - 1 == L3FWD_NO_ROUTE && L3_EXPIRED - 1 == L3FWD_EXPIRED &&
		L3_MALFORMED - 1 == L3FWD_MALFORMED,
	"a reason is a counter");

/* Where the packets of a burst go: places in outs. */
struct ways {
	uint8_t out[BURST_MAX];
	uint8_t any, all; /* bits that any of them has, and all: one number when these are equal */
};

static __rte_always_inline void
way_set(struct ways *ways, uint16_t place, uint8_t out)
{
	ways->out[place] = out;
	ways->any |= out;
	ways->all &= out;
}

/* n packets of s are handed to outs[i]: they are that stream's now. */
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

/* What cannot wait longer is sent: a burst, or all when nothing is to wait. */
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

/* All n go to outs[i]. */
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

/* Each to its own. */
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

/* Send the packets of a family on their way to where they go. */
static __rte_always_inline void
send_on(struct stream *s, const struct l3fwd_stream *st, const struct l3_next *all,
	const struct l3_family *some, bool v6, struct rte_mbuf **pkts, struct ways *ways)
{
	const uint8_t none = (uint8_t)st->lcore->n_outs;

	for (uint16_t i = 0; i < some->n; i++) {
		const uint16_t place = some->place[i];
		const struct l3_next *next = &all[some->hop[i]];
		uint8_t out = none;

		if (unlikely(some->hop[i] == 0)) {
			stream_count_named(s, L3FWD_NO_ROUTE, 1);
		} else {
			l3_send_on(pkts[place], some->l3[i], next, v6);
			out = st->way[next->port];
			if (unlikely(out == none))
				stream_count_named(s, L3FWD_NO_TX_QUEUE, 1);
		}
		way_set(ways, place, out);
	}
}

static __rte_always_inline uint16_t
route(struct stream *s, struct rte_mbuf **pkts, uint16_t n, bool exact)
{
	struct l3fwd_stream *st = s->state;
	const struct l3_paths *paths = st->lcore->paths;
	const uint8_t none = (uint8_t)st->lcore->n_outs;
	struct l3_burst b;
	struct ways ways;

	b.v4.n = b.v6.n = 0;
	ways.any = 0;
	ways.all = UINT8_MAX;
	for (uint16_t k = 0; k < n; k++)
		rte_prefetch0(rte_pktmbuf_mtod(pkts[k], void *));
	for (uint16_t k = 0; k < n; k++) {
		const enum l3_drop drop = l3_burst_add(&b, pkts[k], k, exact);

		if (unlikely(drop != L3_FINE)) {
			stream_count_named(s, drop - 1, 1);
			way_set(&ways, k, none);
		}
	}
	l3_burst_lookup(&b, &paths->tables);
	send_on(s, st, paths->next, &b.v4, false, pkts, &ways);
	send_on(s, st, paths->next, &b.v6, true, pkts, &ways);
	if (likely(ways.any == ways.all && ways.any != none))
		gather_one(s, st, ways.any, pkts, n);
	else
		gather(s, st, ways.out, pkts, n);
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
