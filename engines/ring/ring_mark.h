/* Packets that a worker wants dropped: it marks their pointers, and the I/O lcore drops and
 * counts them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_common.h>
#include <rte_mbuf.h>

#include <stdint.h>

/* Indexes in stream_count.named. */
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
 * mbufs lie on cache lines, so that a pointer in a ring has bits to spare: why the packet is to be
 * dropped. Workers mark, the I/O lcore drops: then no other lcore's mempool cache fills up,
 * counters keep one writer, and a worker that dies owns nothing.
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
