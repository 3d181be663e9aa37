/* Pointers to packets as 32-bit words: how far behind a base an mbuf lies, and the mark in its
 * pointer. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/ring/ring_mark.h"

#include <rte_common.h>

#include <stdint.h>

struct err;

/*
 * mbufs lie on cache lines: of a distance the low 6 bits are free, of which a mark needs 3. The
 * other 3 go, so that words reach over 32 GiB.
 */
#define RING_COMPRESS_SHIFT 3
#define RING_COMPRESS_MARKS ((UINT32_C(1) << RING_COMPRESS_SHIFT) - 1)
#define RING_COMPRESS_BYTES (UINT64_C(1) << (32 + RING_COMPRESS_SHIFT))

static_assert((int)RING_LOST <= (int)RING_COMPRESS_MARKS, "a word holds every mark");
static_assert((RING_MARKS + 1) >> RING_COMPRESS_SHIFT > RING_COMPRESS_MARKS,
	"a mark has bits of its own in a word");

/*
 * The lowest address of all mempools of mbufs that there are, into *base, on a cache line. Errors:
 * ERANGE where they reach over more than RING_COMPRESS_BYTES. Thread: control.
 */
int ring_compress_base(uintptr_t *base, struct err *e);

/* to[k] := the word of pkts[k], marked or not. */
static __rte_always_inline void
ring_compress(uint32_t *restrict to, struct rte_mbuf *const *restrict pkts, uint16_t n,
	uintptr_t base)
{
	for (uint16_t k = 0; k < n; k++) {
		uintptr_t at = (uintptr_t)pkts[k] - base;

		to[k] = (uint32_t)(at >> RING_COMPRESS_SHIFT | (at & RING_COMPRESS_MARKS));
	}
}

/* The way back. */
static __rte_always_inline void
ring_decompress(struct rte_mbuf **restrict pkts, const uint32_t *restrict from, uint16_t n,
	uintptr_t base)
{
	for (uint16_t k = 0; k < n; k++) {
		uint64_t line = from[k] & ~RING_COMPRESS_MARKS,
			 mark = from[k] & RING_COMPRESS_MARKS;

		pkts[k] =
			(struct rte_mbuf *)(uintptr_t)(base + (line << RING_COMPRESS_SHIFT | mark));
	}
}
