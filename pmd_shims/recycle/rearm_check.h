/* Checks that mbufs can be armed in an Rx ring unchanged: of its pool, one reference, one segment,
 * no external buffer. Reads only the first cache line of each mbuf, with SIMD. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/simd.h"

#include <rte_mbuf.h>

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REARM_OFFSET = offsetof(struct rte_mbuf, data_off) };

static_assert(REARM_OFFSET == 16 && offsetof(struct rte_mbuf, refcnt) == 18 &&
		offsetof(struct rte_mbuf, nb_segs) == 20 &&
		offsetof(struct rte_mbuf, ol_flags) == 24 && offsetof(struct rte_mbuf, pool) == 56,
	"the check reads these fields with one load");

#define REARM_STATE_MASK \
	INT64_C(0x0000ffffffff0000) /* refcnt and nb_segs of the eight bytes at data_off ... */
#define REARM_STATE_WANT INT64_C(0x0000000100010000) /* ... are one each */
#define REARM_FLAGS_MASK ((int64_t)(RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL))

/*
 * Collects the bits in which any mbuf of a batch differs from a good one; at the end only the bits
 * that matter are tested. The width is that of the including file's compilation.
 */
#ifdef __AVX512F__

struct rearm_check {
	__m512i good, odd;
};

static inline struct rearm_check
rearm_check_begin(const struct rte_mempool *pool)
{
	return (struct rearm_check){ _mm512_set_epi64((int64_t)(uintptr_t)pool, 0, 0, 0, 0,
					     REARM_STATE_WANT, 0, 0),
		_mm512_setzero_si512() };
}

/* Returns the first 16 bytes of the mbuf: address and IOVA of its buffer. */
static inline simd128
rearm_check_mbuf(struct rearm_check *g, const struct rte_mbuf *m)
{
	enum { FIRST_OR_OTHERS_DIFFER = 0xf6 };
	__m512i line = _mm512_load_si512((const void *)m);

	g->odd = _mm512_ternarylogic_epi64(g->odd, line, g->good, FIRST_OR_OTHERS_DIFFER);
	return (simd128)_mm512_castsi512_si128(line);
}

/* True if all mbufs can be armed. */
static inline bool
rearm_check_passed(const struct rearm_check *g)
{
	const __m512i mask =
		_mm512_set_epi64(-1, 0, 0, 0, REARM_FLAGS_MASK, REARM_STATE_MASK, 0, 0);

	return _mm512_test_epi64_mask(g->odd, mask) == 0;
}

#elif defined(__AVX2__)

struct rearm_check {
	__m256i good, odd;
	uintptr_t pool, odd_pool;
};

static inline struct rearm_check
rearm_check_begin(const struct rte_mempool *pool)
{
	return (struct rearm_check){ _mm256_set_epi64x(0, REARM_STATE_WANT, 0, 0),
		_mm256_setzero_si256(), (uintptr_t)pool, 0 };
}

static inline simd128
rearm_check_mbuf(struct rearm_check *g, const struct rte_mbuf *m)
{
	__m256i half = _mm256_load_si256((const __m256i *)(const void *)m);

	g->odd = _mm256_or_si256(g->odd, _mm256_xor_si256(half, g->good));
	g->odd_pool |= (uintptr_t)m->pool ^ g->pool;
	return (simd128)_mm256_castsi256_si128(half);
}

static inline bool
rearm_check_passed(const struct rearm_check *g)
{
	const __m256i mask = _mm256_set_epi64x(REARM_FLAGS_MASK, REARM_STATE_MASK, 0, 0);

	return g->odd_pool == 0 && _mm256_testz_si256(g->odd, mask) != 0;
}

#else

struct rearm_check {
	simd128 good, odd;
	uintptr_t pool, odd_pool;
};

static inline struct rearm_check
rearm_check_begin(const struct rte_mempool *pool)
{
	return (struct rearm_check){ { REARM_STATE_WANT, 0 }, { 0, 0 }, (uintptr_t)pool, 0 };
}

static inline simd128
rearm_check_mbuf(struct rearm_check *g, const struct rte_mbuf *m)
{
	simd128 state = simd_load((const char *)m + REARM_OFFSET);

	g->odd |= state ^ g->good;
	g->odd_pool |= (uintptr_t)m->pool ^ g->pool;
	return simd_load(m);
}

static inline bool
rearm_check_passed(const struct rearm_check *g)
{
	return g->odd_pool == 0 &&
		simd_none(g->odd, (simd128){ REARM_STATE_MASK, REARM_FLAGS_MASK });
}

#endif
