/* Which mbufs may be armed as they are: of the pool, held by nobody else, one segment, buffer their own. One cache line tells. */
#pragma once

#include <rte_mbuf.h>
#include <rte_vect.h>

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GATE_OFFSET = offsetof(struct rte_mbuf, data_off) };

static_assert(GATE_OFFSET == 16 && offsetof(struct rte_mbuf, refcnt) == 18 &&
		offsetof(struct rte_mbuf, nb_segs) == 20 &&
		offsetof(struct rte_mbuf, ol_flags) == 24 && offsetof(struct rte_mbuf, pool) == 56,
	"the gate looks at the first cache line at once");

#define GATE_STATE_MASK \
	INT64_C(0x0000ffffffff0000) /* refcnt and nb_segs of the eight bytes at data_off ... */
#define GATE_STATE_WANT INT64_C(0x0000000100010000) /* ... are one each */
#define GATE_FLAGS_MASK ((int64_t)(RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL))

/*
 * Collects over a batch: the bits that any mbuf had (any), and those that all had (all). Both have to be what one good mbuf has, in the
 * places that matter.
 */
#ifdef __AVX512F__

struct gate {
	__m512i any, all;
};

static inline struct gate
gate_open(void)
{
	return (struct gate){ _mm512_setzero_si512(), _mm512_set1_epi64(-1) };
}

/* Returns the first 16 bytes of the mbuf: address and IOVA of its buffer. */
static inline __m128i
gate_look(struct gate *g, const struct rte_mbuf *m)
{
	__m512i line = _mm512_load_si512((const void *)m);

	g->any = _mm512_or_si512(g->any, line);
	g->all = _mm512_and_si512(g->all, line);
	return _mm512_castsi512_si128(line);
}

/* Whether all may be armed. */
static inline bool
gate_passed(const struct gate *g, const struct rte_mempool *pool)
{
	const __m512i mask = _mm512_set_epi64(-1, 0, 0, 0, GATE_FLAGS_MASK, GATE_STATE_MASK, 0, 0);
	const __m512i want =
		_mm512_set_epi64((int64_t)(uintptr_t)pool, 0, 0, 0, 0, GATE_STATE_WANT, 0, 0);

	return (_mm512_test_epi64_mask(_mm512_xor_si512(g->any, want), mask) |
		       _mm512_test_epi64_mask(_mm512_xor_si512(g->all, want), mask)) == 0;
}

#else

struct gate {
	__m128i any, all;
	uintptr_t any_pool, all_pool;
};

static inline struct gate
gate_open(void)
{
	return (struct gate){ _mm_setzero_si128(), _mm_set1_epi64x(-1), 0, UINTPTR_MAX };
}

static inline __m128i
gate_look(struct gate *g, const struct rte_mbuf *m)
{
	__m128i state =
		_mm_load_si128((const __m128i *)(const void *)((const char *)m + GATE_OFFSET));

	g->any = _mm_or_si128(g->any, state);
	g->all = _mm_and_si128(g->all, state);
	g->any_pool |= (uintptr_t)m->pool;
	g->all_pool &= (uintptr_t)m->pool;
	return _mm_load_si128((const __m128i *)(const void *)m);
}

static inline bool
gate_passed(const struct gate *g, const struct rte_mempool *pool)
{
	const __m128i mask = _mm_set_epi64x(GATE_FLAGS_MASK, GATE_STATE_MASK),
		      want = _mm_set_epi64x(0, GATE_STATE_WANT);
	__m128i differs = _mm_or_si128(_mm_xor_si128(g->any, want), _mm_xor_si128(g->all, want));

	return g->any_pool == (uintptr_t)pool && g->all_pool == (uintptr_t)pool &&
		_mm_testz_si128(differs, mask) != 0;
}

#endif
