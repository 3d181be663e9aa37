/* Raw mbufs out of contiguous blocks: side by side, all of them, and back; when blocks are taken. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/setting.h"
#include "engines/common/pkt.h"
#include "engines/engine.h"
#include "fixtures/eal.h"
#include "fixtures/unit.h"
#include "memory/pool_ops.h"

#include <rte_mbuf.h>

#include <stdlib.h>

extern const struct engine engine_txonly;

/* Of a buffer, and how many elements are then in a bucket, which is a small page. */
#define BYTES (RTE_CACHE_LINE_SIZE == 64 ? 192 : 128)
#define BLOCK (RTE_CACHE_LINE_SIZE == 64 ? 9 : 10)
#define N (100 * BLOCK)

static struct settings *settings;

static struct rte_mempool *
pool_new(const char *ops, unsigned int cache)
{
	struct rte_mempool *mp =
		rte_pktmbuf_pool_create_by_ops("blocks", N, cache, 0, BYTES, SOCKET_ID_ANY, ops);

	assert_non_null(mp);
	return mp;
}

TEST(when)
{
	static const struct {
		const char *ops, *word;
		unsigned int cache, block;
	} rows[] = {
		{ "bucket", "auto", 0, BLOCK },
		{ "bucket", "auto", 64, 0 },
		{ "bucket", "on", 64, BLOCK },
		{ "bucket", "off", 0, 0 },
		{ "stack", "on", 0, 0 },
		{ "ring_mp_mc", "auto", 0, 0 },
	};

	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		struct stream s = { .settings = settings };
		struct pool_blocks b;

		assert_int_equal(setting_parse(settings, "tx-blocks", rows[i].word, NULL), 0);
		s.pool = pool_new(rows[i].ops, rows[i].cache);
		pkt_blocks_open(&b, &s);
		assert_int_equal(b.block, rows[i].block);
		pool_blocks_close(&b);
		rte_mempool_free(s.pool);
	}
	assert_int_equal(setting_parse(settings, "tx-blocks", "auto", NULL), 0);
}

/* Bulks of 7, a block being more: each block in order, its mbufs a stride apart. */
TEST(side_by_side)
{
	struct stream s = { .settings = settings, .pool = pool_new("bucket", 0) };
	struct rte_mbuf *pkts[7 * BLOCK];
	struct pool_blocks b;

	pkt_blocks_open(&b, &s);
	for (unsigned int i = 0; i < RTE_DIM(pkts); i += 7)
		assert_int_equal(pkt_blocks_get(&s, &b, pkts + i, 7), 7);
	for (unsigned int i = 1; i < RTE_DIM(pkts); i++)
		if (i % BLOCK != 0)
			assert_ptr_equal(pkts[i],
				RTE_PTR_ADD(pkts[i - 1], pool_ops_stride(s.pool)));
	rte_mempool_put_bulk(s.pool, (void **)pkts, RTE_DIM(pkts));
	pool_blocks_close(&b);
	assert_true(rte_mempool_full(s.pool));
	rte_mempool_free(s.pool);
}

/* The last ones are single: a bucket was broken up, and what is there of it comes all the same. */
TEST(exhausted)
{
	struct stream s = { .settings = settings, .pool = pool_new("bucket", 0) };
	struct rte_mbuf *single, **pkts = calloc(N, sizeof(struct rte_mbuf *));
	struct pool_blocks b;
	unsigned int n = 0, got;

	pkt_blocks_open(&b, &s);
	assert_int_equal(pkt_raw_get(s.pool, &single, 1), 1);
	while ((got = pkt_blocks_get(&s, &b, pkts + n, RTE_MIN(32u, N - n))) > 0)
		n += got;
	assert_int_equal(n, N - 1);
	assert_int_equal(pkt_blocks_get(&s, &b, pkts + n, 1), 0);
	assert_int_equal(rte_mempool_avail_count(s.pool), 0);
	rte_mempool_put_bulk(s.pool, (void **)pkts, n);
	rte_mempool_put(s.pool, single);
	/* A block that is only begun goes back too. */
	assert_int_equal(pkt_blocks_get(&s, &b, pkts, 1), 1);
	rte_mempool_put(s.pool, pkts[0]);
	assert_int_equal(rte_mempool_in_use_count(s.pool), BLOCK - 1);
	pool_blocks_close(&b);
	assert_true(rte_mempool_full(s.pool));
	rte_mempool_free(s.pool);
	free(pkts);
}

/*
 * With a mempool cache blocks fill the cache, from which mbufs come as usual: those that were put
 * back are taken again and no block is. A bulk that is larger than the cache bypasses it.
 */
TEST(through_the_cache)
{
	enum { CACHE = 64, BULK = 32 };
	struct stream s = { .settings = settings, .pool = pool_new("bucket", CACHE) };
	struct rte_mbuf *pkts[2 * CACHE];
	struct pool_blocks b;

	assert_int_equal(setting_parse(settings, "tx-blocks", "on", NULL), 0);
	pkt_blocks_open(&b, &s);
	assert_int_equal(setting_parse(settings, "tx-blocks", "auto", NULL), 0);
	for (unsigned int i = 0; i < 10; i++) {
		assert_int_equal(pkt_blocks_get(&s, &b, pkts, BULK), BULK);
		rte_mempool_put_bulk(s.pool, (void **)pkts, BULK);
	}
	assert_int_equal(counter_read(&b.count.contig_gets), 1);
	assert_int_equal(counter_read(&b.count.blocks), CACHE / BLOCK);
	assert_int_equal(counter_read(&b.count.blocks_cached), CACHE / BLOCK);
	assert_int_equal(rte_mempool_default_cache(s.pool, rte_lcore_id())->len,
		CACHE / BLOCK * BLOCK);
	/* All of the cache, and then some that it has not. */
	assert_int_equal(pkt_blocks_get(&s, &b, pkts, BULK), BULK);
	assert_int_equal(pkt_blocks_get(&s, &b, pkts + BULK, BULK), BULK);
	assert_true(counter_read(&b.count.blocks_cached) > CACHE / BLOCK);
	rte_mempool_put_bulk(s.pool, (void **)pkts, 2 * BULK);
	assert_int_equal(pkt_blocks_get(&s, &b, pkts, 2 * CACHE), 2 * CACHE);
	assert_true(counter_read(&b.count.blocks_cached) < counter_read(&b.count.blocks));
	for (unsigned int i = 0; i < 2 * CACHE; i++)
		for (unsigned int k = 0; k < i; k++)
			assert_ptr_not_equal(pkts[i], pkts[k]);
	rte_mempool_audit(s.pool);
	rte_mempool_put_bulk(s.pool, (void **)pkts, 2 * CACHE);
	pool_blocks_close(&b);
	assert_true(rte_mempool_full(s.pool));
	rte_mempool_free(s.pool);
}

static int
group_setup(void **state)
{
	settings = settings_new();
	return eal_open("64", "0", "--log-level=critical") != 0 ||
		settings_add(settings, &engine_txonly.settings, NULL) != 0;
}

static int
group_teardown(void **state)
{
	settings_free(settings);
	return eal_close(state);
}

TESTS(.setup = group_setup, .teardown = group_teardown);
