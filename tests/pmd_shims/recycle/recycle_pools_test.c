/* Recycling with rings of every size and pools of every kind: empty, without caches, and with blocks that the
 * driver's refill comes from. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/recycle_operations.h"
#include "fixtures/rig.h"
#include "fixtures/unit.h"
#include "pmd_shims/recycle/pair.h"
#include "pmd_shims/recycle/shim.h"

#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <errno.h>
#include <string.h>

enum { POLLS = 3000 };
/* Blocks of 3 in a bucket that is a small page: a batch of 32 is never whole blocks. */
enum { BLOCK = 3, BLOCK_BYTES = RIG_MTU + 256, BLOCK_MBUFS = OPERATIONS_MBUFS / BLOCK * BLOCK };

/* Rings of every size, over and over; both sizes of transmit batches; with and without the cache. */
static void
rings(void)
{
	static const uint16_t sizes[] = { 64, 128, 256, 512, 1024, 2048, 4096 },
			      batches[] = { 32, 64 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (size_t j = 0; j < 2 * ARRAY_SIZE(batches); j++) {
			const enum zcfwd_recycle_mode mode = j % 2 == 0 ? rig.mode
									: ZCFWD_RECYCLE_MODE_CACHE;
			const uint16_t batch = batches[j / 2];

			if (rig.mode == ZCFWD_RECYCLE_MODE_BLOCKS &&
				mode == ZCFWD_RECYCLE_MODE_CACHE)
				continue;
			if (sizes[i] <= RTE_MAX(batch, rig.least) || batch > rig.rs_max ||
				(sizes[i] == 4096 && rig.path == NULL &&
					OPERATIONS_MBUFS < 2 * 4096))
				continue;
			rig_start(sizes[i], batch, 0);
			assert_true(rig_bind_by(mode));
			rig_poll(sizes[i] * 4, rig_anything());
			assert_true(rig_moved() > 0);
			rig_finish();
		}
}

/* No mbuf is left in the pool, and then they come back. */
static void
exhaustion(void)
{
	void *taken[OPERATIONS_MBUFS];
	unsigned int n = 0;

	rig_start(256, 32, 0);
	rig_bind();
	for (unsigned int round = 0; round < 20; round++) {
		rig_poll(20, rig.faithful ? operation_anything : operation_anything_of_pools);
		while (n < OPERATIONS_MBUFS && rte_mempool_get(operations.pool, &taken[n]) == 0)
			n++;
		assert_true(n > 0);
		rig_poll(40, round % 2 == 0 ? operation_shared : operation_hoarded);
		rte_mempool_put_bulk(operations.pool, taken, n);
		operations_unhoard();
		n = 0;
	}
	rig_poll(100, operation_plain);
	rig_finish();
}

/* A pool without caches has nothing for this mode to fill. */
static void
cache_absent(void)
{
	struct rte_mempool *const pool = operations.pool;
	struct zcfwd_recycle_error e;

	operations.pool = rte_pktmbuf_pool_create("bare", OPERATIONS_MBUFS, 0, 0,
		RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	assert_non_null(operations.pool);
	rig_start(256, 32, 0);
	assert_null(rig_pair(0, ZCFWD_RECYCLE_MODE_CACHE, &e));
	assert_string_equal(e.text, "port 0: pool bare has no cache to go through");
	rig_bind();
	rig_poll(100, operation_plain);
	assert_true(rig_moved() > 0);
	rig_finish();
	/* Its mbufs are nobody's now; the ports' old queues may still name it. */
	operations.pool = pool;
}

static struct rte_mempool *usual; /* the pool of tests that do not bring their own */

/* A pool with blocks takes the place of the usual one. */
static void
blocks_pool(unsigned int cache, uint16_t bytes, const char *ops)
{
	usual = operations.pool;
	rig.mode = ZCFWD_RECYCLE_MODE_BLOCKS;
	operations.pool = rte_pktmbuf_pool_create_by_ops("blocks", BLOCK_MBUFS, cache, 0, bytes,
		SOCKET_ID_ANY, ops);
	assert_non_null(operations.pool);
}

static void
blocks_alone(void)
{
	blocks_pool(0, BLOCK_BYTES, "bucket");
}

static void
blocks_cached(void)
{
	blocks_pool(250, BLOCK_BYTES, "bucket");
}

static void
blocks_end(void)
{
	rte_mempool_free(operations.pool);
	operations.pool = usual;
	rig.mode = ZCFWD_RECYCLE_MODE_RING;
}

/* Mbufs that lie behind the one that was received before them. */
static struct {
	const struct rte_mbuf *last;
	uint64_t n;
} neighbours;

static struct rte_mbuf *
count_neighbours(struct rte_mbuf *m)
{
	neighbours.n += m ==
		RTE_PTR_ADD(neighbours.last,
			operations.pool->header_size + operations.pool->elt_size +
				operations.pool->trailer_size);
	neighbours.last = m;
	return m;
}

/*
 * What is received lies side by side, by blocks, where the driver's own refill takes mbufs as they
 * come. What a pair keeps of a block goes back when it is told to.
 */
static void
blocks_side_by_side(void)
{
	rig_start(512, 32, 0);
	rig_bind();
	/* Blocks that were there at the start are whole, later ones are of what came back. */
	rig_poll(POLLS, operation_plain);
	neighbours.n = 0;
	rig_poll(POLLS, count_neighbours);
	print_message("# %llu neighbours of %llu\n", (unsigned long long)neighbours.n,
		(unsigned long long)rig.sent);
	assert_true(neighbours.n > rig.sent / 2 / 2);
	assert_true(rig_moved() > rig.sent / 4 * 3);
	assert_int_equal(shim_counted(&recycle_count(rig.pair[0])->moved), 0);
	for (uint16_t p = 0; p < RIG_PORTS; p++) {
		const unsigned int out = rte_mempool_in_use_count(operations.pool),
				   left = rig.pair[p]->blocks.left +
			rig.pair[p]->blocks.n_ahead * BLOCK;

		recycle_rest(rig.pair[p]);
		assert_int_equal(rte_mempool_in_use_count(operations.pool), out - left);
		recycle_rest(rig.pair[p]);
		assert_int_equal(rte_mempool_in_use_count(operations.pool), out - left);
	}
	rig_poll(10, operation_plain);
	rig_finish();
}

/* Whatever the application does with packets, fast free or not. */
static void
blocks_each_deed(void)
{
	for (size_t i = 0; i < DEEDS; i++) {
		uint64_t single = 0;

		if (!rig_sends(&deeds[i]))
			continue;
		rig_start(512, 32, 0);
		rig_bind();
		rig_poll(POLLS, deeds[i].done);
		for (uint16_t p = 0; p < RIG_PORTS; p++)
			single += shim_counted(&recycle_count(rig.pair[p])->topped_up);
		print_message("# %s: %llu of blocks, %llu single of %llu\n", deeds[i].name,
			(unsigned long long)rig_moved(), (unsigned long long)single,
			(unsigned long long)rig.sent);
		assert_true(rig_moved() > 0 && rig_moved() + single > rig.sent / 4 * 3);
		rig_finish();
	}
}

/* The pairs' counts of blocks. */
static struct pool_blocks_count
blocks_count(void)
{
	struct pool_blocks_count sum = { 0 };

	for (uint16_t p = 0; p < RIG_PORTS; p++) {
		const struct pool_blocks_count *one = recycle_blocks_count(rig.pair[p]);

		counter_add(&sum.contig_gets, shim_counted(&one->contig_gets));
		counter_add(&sum.blocks, shim_counted(&one->blocks));
		counter_add(&sum.blocks_cached, shim_counted(&one->blocks_cached));
	}
	return sum;
}

/*
 * With a mempool cache the driver refills from there, and blocks fill the cache when its mbufs are
 * gone, but not while sent ones come back to it.
 */
static void
blocks_fill_cache(void)
{
	for (size_t i = 0; i < DEEDS; i++) {
		struct pool_blocks_count before, after;

		if (!rig_sends(&deeds[i]))
			continue;
		rig_start(512, 32, 0);
		rig_bind();
		before = blocks_count();
		for (unsigned int round = 0; round < 3; round++) {
			rte_mempool_cache_flush(rte_mempool_default_cache(operations.pool,
							rte_lcore_id()),
				operations.pool);
			rig_poll(POLLS / 3, deeds[i].done);
		}
		after = blocks_count();
		print_message("# %s: %llu blocks for %llu packets\n", deeds[i].name,
			(unsigned long long)after.blocks, (unsigned long long)rig.sent);
		assert_true(after.blocks > before.blocks);
		assert_int_equal(after.blocks_cached, after.blocks);
		assert_true(after.contig_gets < after.blocks);
		if (deeds[i].done == operation_plain)
			assert_true(after.blocks * BLOCK < rig.sent / 8);
		assert_int_equal(rig_moved(), 0);
		rte_mempool_audit(operations.pool);
		rig_finish();
	}
}

/* A pool whose driver has no blocks is refused; so is one whose blocks are of one mbuf. */
static void
blocks_refused(void)
{
	static const struct {
		const char *ops;
		uint16_t bytes;
	} rows[] = { { "stack", BLOCK_BYTES }, { "ring_mp_mc", BLOCK_BYTES },
		{ "bucket", RTE_MBUF_DEFAULT_BUF_SIZE } };
	struct zcfwd_recycle_error e;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		blocks_pool(0, rows[i].bytes, rows[i].ops);
		rig_start(256, 32, 0);
		assert_null(rig_pair(0, rig.mode, &e));
		assert_int_equal(e.code, ENOTSUP);
		assert_non_null(strstr(e.text, "pool blocks: its driver, "));
		rig_poll(10, operation_plain);
		rig_finish();
		blocks_end();
	}
}

int
main(void)
{
	static const struct rig_case cases[] = {
		{ "rings", rings, RIG_EACH, NULL, NULL },
		{ "exhaustion", exhaustion, RIG_EACH, NULL, NULL },
		{ "cache_absent", cache_absent, RIG_NICS, NULL, NULL },
		{ "blocks_side_by_side", blocks_side_by_side, RIG_NICS, blocks_alone, blocks_end },
		{ "blocks_each_deed", blocks_each_deed, RIG_NICS, blocks_alone, blocks_end },
		{ "blocks_fill_cache", blocks_fill_cache, RIG_NICS, blocks_cached, blocks_end },
		{ "blocks_rings", rings, RIG_NICS, blocks_alone, blocks_end },
		{ "blocks_exhaustion", exhaustion, RIG_NICS, blocks_alone, blocks_end },
		{ "blocks_refused", blocks_refused, RIG_NICS, NULL, NULL },
	};

	return rig_main(cases, ARRAY_SIZE(cases));
}
