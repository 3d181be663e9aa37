/* Pointers as 32-bit words: every mark at every distance comes back; pools too far apart are
 * refused. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "engines/ring/ring_link.h"
#include "fixtures/engine_fixture.h"

#include <sys/mman.h>

#define LINE RTE_CACHE_LINE_MIN_SIZE

/* Lengths that vectors divide and that they do not, from the base to the last line in reach. */
TEST(round_trip)
{
	static const uint64_t distances[] = { 0, LINE, UINT64_C(1) << 31, UINT64_C(1) << 32,
		RING_COMPRESS_BYTES / 2, RING_COMPRESS_BYTES - 70 * LINE };
	const uintptr_t base = UINT64_C(0x100000000) + LINE;
	struct rte_mbuf *pkts[64], *back[65];
	uint32_t words[65];

	for (size_t d = 0; d < ARRAY_SIZE(distances); d++)
		for (uint16_t n = 0; n <= ARRAY_SIZE(pkts); n++) {
			for (uint16_t k = 0; k < n; k++)
				pkts[k] = ring_mark((struct rte_mbuf *)(uintptr_t)(base +
							    distances[d] + k * LINE),
					k % (RING_LOST + 1));
			words[n] = 77;
			back[n] = NULL;
			ring_compress(words, pkts, n, base);
			ring_decompress(back, words, n, base);
			assert_int_equal(words[n], 77);
			assert_null(back[n]);
			assert_memory_equal(back, pkts, n * sizeof(*pkts));
		}
}

static void
lowest(struct rte_mempool *pool, void *base, void *m, unsigned int i)
{
	assert_true((uintptr_t)m - (uintptr_t)base < RING_COMPRESS_BYTES);
}

/* All mbufs lie behind the base. */
TEST(base_of_all)
{
	struct err e = { 0 };
	uintptr_t base;

	assert_int_equal(ring_compress_base(&base, &e), 0);
	assert_int_equal(base % LINE, 0);
	rte_mempool_obj_iter(engine_fixture_pool, lowest, (void *)base);
}

/* A pool of packets that far from the fixture's is refused; one of anything else is not. */
TEST(too_far)
{
	enum { BYTES = 1 << 20 };
	struct rte_mempool *far;
	struct err e = { 0 };
	uintptr_t base;
	void *memory = MAP_FAILED;

	assert_int_equal(ring_compress_base(&base, &e), 0);
	/* Sanitizers have memory of their own: the address above may be in use. */
	for (int away = 3; memory == MAP_FAILED && away >= -3; away -= 6)
		memory = mmap((void *)(RTE_ALIGN_FLOOR(base, (uintptr_t)BYTES) +
				      (uint64_t)away * RING_COMPRESS_BYTES),
			BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_true(memory != MAP_FAILED);
	for (unsigned int mbufs = 0; mbufs < 2; mbufs++) {
		far = rte_mempool_create_empty("far", 16, RTE_MBUF_DEFAULT_BUF_SIZE, 0,
			mbufs ? sizeof(struct rte_pktmbuf_pool_private) : 0, SOCKET_ID_ANY, 0);
		assert_non_null(far);
		assert_true(rte_mempool_populate_iova(far, memory, RTE_BAD_IOVA, BYTES, NULL,
				    NULL) > 0);
		assert_int_equal(ring_compress_base(&base, &e), mbufs ? -ERANGE : 0);
		rte_mempool_free(far);
	}
	assert_non_null(strstr(e.text, "pipeline-mode compressed: packet pools span 96 GiB"));
	assert_non_null(strstr(e.text, "at most 32 are supported"));
	assert_int_equal(ring_compress_base(&base, &e), 0);
	munmap(memory, BYTES);
}

TESTS(.setup = engine_fixture_open, .teardown = engine_fixture_close);
