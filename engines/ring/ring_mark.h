/* Marks on packet pointers: a worker marks packets that are to be dropped, and the I/O lcore drops
 * and counts them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_common.h>
#include <rte_mbuf.h>

#include <stdint.h>

/* Indexes in stream_count.named; those that are marks say why a packet is dropped. */
enum {
	RING_FULL,
	RING_NO_ROUTE,
	RING_EXPIRED,
	RING_MALFORMED,
	RING_ROUTED_OUT,
	RING_ROUTED_IN,
	RING_LEFT,
	RING_LOST,
};

/*
 * mbufs are aligned to cache lines, so the low bits of a pointer can hold the reason why the packet
 * has to be dropped. Workers only mark and the I/O lcore drops: so no worker's mempool cache fills
 * up, each counter has a single writer, and a worker that dies owns no packets.
 */
#define RING_MARKS ((uintptr_t)RTE_CACHE_LINE_MIN_SIZE - 1)

static inline struct rte_mbuf *
ring_mark(struct rte_mbuf *m, unsigned int why)
{
	return (struct rte_mbuf *)((uintptr_t)m | why);
}

static inline unsigned int
ring_mark_of(const struct rte_mbuf *m)
{
	return (unsigned int)((uintptr_t)m & RING_MARKS);
}

static inline struct rte_mbuf *
ring_unmarked(struct rte_mbuf *m)
{
	return (struct rte_mbuf *)((uintptr_t)m & ~RING_MARKS);
}
