/* Distributes a burst to several rings: a stable counting sort by ring, then one put per ring. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_scatter.h"

#include "engines/ring/processes/ring_journal.h"

#include <rte_pause.h>

enum { OUTS_MAX = 256 };

/*
 * Put the remaining packets into a shared ring, which others have filled since ring_room(). Waiting
 * is safe, because its I/O lcore never waits for this lcore.
 */
static void
put_rest(struct ring_out *o, const struct ring_slots *from, uint16_t put, bool zero_copy)
{
	struct rte_mbuf *pkts[BURST_MAX];
	struct ring_slots rest;
	uint16_t k;

	for (k = put; k < from->n; k++)
		pkts[k] = *ring_slots_at(from, k);
	while (put < from->n) {
		rte_pause();
		rest = ring_slots_flat(pkts + put, from->n - put);
		put += ring_link_put(o->link, &rest, rest.n, zero_copy);
	}
}

void
ring_put(struct ring_out *o, const struct ring_slots *from, bool zero_copy)
{
	uint16_t put;

	if (unlikely(o->note != NULL)) {
		ring_journal_put(o, from, zero_copy);
		return;
	}
	put = ring_link_put(o->link, from, from->n, zero_copy);
	o->room -= RTE_MIN(o->room, put);
	if (unlikely(put < from->n))
		put_rest(o, from, put, zero_copy);
}

/*
 * Put as many of pkts into a ring as fit, and store the others at the begin of rest. Returns how
 * many did not fit.
 */
static uint16_t
put_some(struct ring_out *o, struct rte_mbuf **pkts, uint16_t n, bool zero_copy,
	struct rte_mbuf **rest)
{
	struct ring_slots from = ring_slots_flat(pkts, n);
	uint16_t put = ring_link_put(o->link, &from, n, zero_copy);

	o->room -= RTE_MIN(o->room, put);
	memcpy(rest, pkts + put, (n - put) * sizeof(*rest));
	return n - put;
}

uint16_t
ring_scatter(struct ring_out *outs, unsigned int n_outs, const struct ring_slots *from,
	const uint8_t *which, bool zero_copy, struct rte_mbuf **rest)
{
	struct rte_mbuf *sorted[BURST_MAX];
	uint16_t at[OUTS_MAX + 1], k, left = 0;

	memset(at, 0, (n_outs + 1) * sizeof(at[0]));
	for (k = 0; k < from->n; k++)
		at[which[k] + 1]++;
	for (unsigned int i = 1; i < n_outs; i++)
		at[i + 1] += at[i];
	for (k = 0; k < from->n; k++)
		sorted[at[which[k]]++] = *ring_slots_at(from, k);
	/* Now at[i] is the end of the packets for ring i. */
	for (unsigned int i = 0; i < n_outs; i++) {
		uint16_t first = i > 0 ? at[i - 1] : 0, n = at[i] - first;
		struct ring_slots own = ring_slots_flat(sorted + first, n);

		if (n == 0)
			continue;
		if (rest == NULL)
			ring_put(&outs[i], &own, zero_copy);
		else
			left += put_some(&outs[i], sorted + first, n, zero_copy, rest + left);
	}
	return left;
}
