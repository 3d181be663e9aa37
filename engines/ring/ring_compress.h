/* Compresses packet pointers to 32-bit words: the mbuf's offset from a base, and the mark in its
 * pointer. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/ring/ring_mark.h"

#include <rte_common.h>

#include <stdint.h>

struct err;

/*
 * mbufs are aligned to cache lines, so the low 6 bits of an offset are zero. A mark uses 3 of them;
 * the other 3 are shifted out, so that 32-bit words cover 32 GiB.
 */
#define RING_COMPRESS_SHIFT 3
#define RING_COMPRESS_MARKS ((UINT32_C(1) << RING_COMPRESS_SHIFT) - 1)
#define RING_COMPRESS_BYTES (UINT64_C(1) << (32 + RING_COMPRESS_SHIFT))

static_assert((int)RING_LOST <= (int)RING_COMPRESS_MARKS, "a word holds every mark");
static_assert((RING_MARKS + 1) >> RING_COMPRESS_SHIFT > RING_COMPRESS_MARKS,
	"a mark has bits of its own in a word");

/*
 * Store in *base the lowest address of all packet pools, aligned to a cache line. Errors: ERANGE if
 * the pools span more than RING_COMPRESS_BYTES. Thread: control.
 */
int ring_compress_base(uintptr_t *base, struct err *e);

/* Convert n packet pointers, marked or not, to words. */
static __rte_always_inline void
ring_compress(uint32_t *restrict to, struct rte_mbuf *const *restrict pkts, uint16_t n,
	uintptr_t base)
{
	for (uint16_t k = 0; k < n; k++) {
		uintptr_t at = (uintptr_t)pkts[k] - base;

		to[k] = (uint32_t)(at >> RING_COMPRESS_SHIFT | (at & RING_COMPRESS_MARKS));
	}
}

/* Convert n words to packet pointers with their marks. */
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
