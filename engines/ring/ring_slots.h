/* Packet pointers in up to two pieces, as in a ring that wraps, and copying them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <rte_ring_peek_zc.h>

#include <stdint.h>
#include <string.h>

struct ring_slots {
	struct rte_mbuf **at[2];
	uint16_t n;       /* packets in total */
	uint16_t n_first; /* packets in the first piece */
};

static __rte_always_inline struct ring_slots
ring_slots_of(const struct rte_ring_zc_data *z, uint16_t n)
{
	return (struct ring_slots){ { z->ptr1, z->ptr2 }, n,
		z->ptr2 != NULL ? (uint16_t)z->n1 : n };
}

/* The n slots of a ring that begin at index at. */
static __rte_always_inline struct ring_slots
ring_slots_in(struct rte_ring *r, uint32_t at, uint16_t n)
{
	struct rte_mbuf **slots = (struct rte_mbuf **)(uintptr_t)&r[1];
	uint32_t i = at & r->mask, room = r->size - i;

	return (struct ring_slots){ { slots + i, slots }, n, n < room ? n : (uint16_t)room };
}

static __rte_always_inline struct ring_slots
ring_slots_flat(struct rte_mbuf **pkts, uint16_t n)
{
	return (struct ring_slots){ { pkts, NULL }, n, n };
}

/* The slot of packet k. */
static __rte_always_inline struct rte_mbuf **
ring_slots_at(const struct ring_slots *s, uint16_t k)
{
	return k < s->n_first ? s->at[0] + k : s->at[1] + (k - s->n_first);
}

/* Write pkts[0..n) into slots, beginning with slot at; they must fit. */
static __rte_always_inline void
ring_slots_write(const struct ring_slots *to, uint16_t at, struct rte_mbuf *const *pkts, uint16_t n)
{
	uint16_t first = at < to->n_first ? (uint16_t)RTE_MIN(n, to->n_first - at) : 0;

	if (likely(first > 0))
		memcpy(to->at[0] + at, pkts, first * sizeof(*pkts));
	if (unlikely(first < n))
		memcpy(to->at[1] + (at + first - to->n_first), pkts + first,
			(n - first) * sizeof(*pkts));
}

/* Copy the first n packets from one set of slots to another; they must fit. */
static __rte_always_inline void
ring_slots_copy(const struct ring_slots *to, const struct ring_slots *from, uint16_t n)
{
	uint16_t first = RTE_MIN(n, from->n_first);

	ring_slots_write(to, 0, from->at[0], first);
	if (unlikely(first < n))
		ring_slots_write(to, first, from->at[1], n - first);
}
