/* Which mbufs may be armed as they are: of the pool, held by nobody else, one segment, buffer their own. One cache line tells. */
#pragma once

#include <rte_mbuf.h>
#include <rte_vect.h>

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GATE_OFFSET = offsetof(struct rte_mbuf, data_off) };

static_assert(GATE_OFFSET % 16 == 0 && offsetof(struct rte_mbuf, refcnt) == GATE_OFFSET + 2 &&
		offsetof(struct rte_mbuf, nb_segs) == GATE_OFFSET + 4 &&
		offsetof(struct rte_mbuf, ol_flags) == GATE_OFFSET + 8,
	"the gate looks at 16 bytes at once");

/* Collects over a batch what differs from an mbuf that may be armed. */
struct gate {
	__m128i mask, want, differs;
	uintptr_t pool, pool_differs;
};

static inline struct gate
gate_open(const struct rte_mempool *pool)
{
	const int64_t rearm_mask = INT64_C(0x0000ffffffff0000),
		      one_each = INT64_C(0x0000000100010000);

	return (struct gate){ .mask = _mm_set_epi64x((int64_t)(RTE_MBUF_F_INDIRECT |
							     RTE_MBUF_F_EXTERNAL),
				      rearm_mask),
		.want = _mm_set_epi64x(0, one_each),
		.differs = _mm_setzero_si128(),
		.pool = (uintptr_t)pool };
}

static inline void
gate_look(struct gate *g, const struct rte_mbuf *m)
{
	__m128i state =
		_mm_load_si128((const __m128i *)(const void *)((const char *)m + GATE_OFFSET));

	g->differs =
		_mm_or_si128(g->differs, _mm_xor_si128(_mm_and_si128(state, g->mask), g->want));
	g->pool_differs |= (uintptr_t)m->pool ^ g->pool;
}

/* Whether all may be armed. */
static inline bool
gate_passed(const struct gate *g)
{
	return g->pool_differs == 0 && _mm_testz_si128(g->differs, g->differs) != 0;
}
