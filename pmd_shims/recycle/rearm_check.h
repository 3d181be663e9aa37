/* Checks that mbufs can be armed in an Rx ring unchanged: of its pool, one reference, one segment,
 * no external buffer. Reads only the first cache line of each mbuf, with SIMD. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_common.h>
#include <rte_mbuf.h>
#include <rte_vect.h>

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 16-byte vectors of GCC's vector extension, for any processor: SSE on x86, NEON on aarch64, VSX on
 * ppc64el. */

/* Two 64-bit words; +, |, ^ and [] work on them. Aligned to 16 bytes; may alias any type. */
typedef uint64_t simd128 __attribute__((vector_size(16), may_alias));

static __rte_always_inline simd128
simd_load(const void *from)
{
	return *(const simd128 *)from;
}

static __rte_always_inline void
simd_store(void *to, simd128 v)
{
	*(simd128 *)to = v;
}

/* Move the second word to the first and clear the second. */
static __rte_always_inline simd128
simd_second(simd128 v)
{
#ifdef __SSE2__
	return (simd128)_mm_srli_si128((__m128i)v, 8);
#else
	return (simd128){ v[1], 0 };
#endif
}

/* True if v has none of the mask's bits. */
static __rte_always_inline bool
simd_none(simd128 v, simd128 mask)
{
#ifdef __SSE4_1__
	return _mm_testz_si128((__m128i)v, (__m128i)mask) != 0;
#else
	v &= mask;
	return (v[0] | v[1]) == 0;
#endif
}

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
