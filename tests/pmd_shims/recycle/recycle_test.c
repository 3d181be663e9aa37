/* Recycling on a modelled NIC that moves when told to: what may not be armed never is, whatever
 * packets the application sends. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "compat.h"
#include "fixtures/recycle_ports.h"
#include "fixtures/skip.h"
#include "fixtures/unit.h"
#include "pmd_shims/recycle/mlx5/mlx5.h"
#include "pmd_shims/recycle/pair.h"
#include "pmd_shims/recycle/pair_compiled.h"
#include "pmd_shims/recycle/shim.h"
#include "pmd_shims/rx_call.h"

#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_version.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POLLS = 3000 };
/* Blocks of 3 in a bucket that is a small page: a batch of 32 is never whole blocks. */
enum {
	BLOCK = 3,
	BLOCK_BYTES = RECYCLE_PORTS_MTU + 256,
	BLOCK_MBUFS = OPERATIONS_MBUFS / BLOCK * BLOCK
};

/* For a test that refills out of blocks: *state is the mempool cache that it has. */
static int
blocks_setup(void **state)
{
	recycle_ports.usual = operations.pool;
	recycle_ports.mode = ZCFWD_RECYCLE_MODE_BLOCKS;
	operations.pool = rte_pktmbuf_pool_create_by_ops("blocks", BLOCK_MBUFS,
		*(const unsigned int *)*state, 0, BLOCK_BYTES, SOCKET_ID_ANY, "bucket");
	return operations.pool != NULL ? 0 : -1;
}

static int
blocks_teardown(void **state)
{
	rte_mempool_free(operations.pool);
	operations.pool = recycle_ports.usual;
	recycle_ports.mode = ZCFWD_RECYCLE_MODE_RING;
	return 0;
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
blocks_side_by_side(void **state)
{
	recycle_ports_start(512, 32, 0);
	recycle_ports_bind();
	/* Blocks that were there at the start are whole, later ones are of what came back. */
	recycle_ports_poll(POLLS, operation_plain);
	neighbours.n = 0;
	recycle_ports_poll(POLLS, count_neighbours);
	print_message("# %llu neighbours of %llu\n", (unsigned long long)neighbours.n,
		(unsigned long long)recycle_ports.sent);
	assert_true(neighbours.n > recycle_ports.sent / 2 / 2);
	assert_true(recycle_ports_moved() > recycle_ports.sent / 4 * 3);
	assert_int_equal(shim_counted(&recycle_count(recycle_ports.pair[0])->moved), 0);
	for (uint16_t p = 0; p < RECYCLE_PORTS; p++) {
		const unsigned int out = rte_mempool_in_use_count(operations.pool),
				   left = recycle_ports.pair[p]->blocks.left +
			recycle_ports.pair[p]->blocks.n_ahead * BLOCK;

		recycle_rest(recycle_ports.pair[p]);
		assert_int_equal(rte_mempool_in_use_count(operations.pool), out - left);
		recycle_rest(recycle_ports.pair[p]);
		assert_int_equal(rte_mempool_in_use_count(operations.pool), out - left);
	}
	recycle_ports_poll(10, operation_plain);
	recycle_ports_finish();
}

/* Whatever the application does with packets, fast free or not. */
static void
blocks_each_deed(void **state)
{
	operation *const done[] = { operation_plain, operation_shared, operation_from_another_pool,
		operation_cloned, operation_external, operation_anything };

	for (size_t i = 0; i < ARRAY_SIZE(done); i++) {
		uint64_t single = 0;

		if (recycle_ports.mlx5 && done[i] == operation_external)
			break;
		recycle_ports_start(512, 32, 0);
		recycle_ports_bind();
		recycle_ports_poll(POLLS, done[i]);
		for (uint16_t p = 0; p < RECYCLE_PORTS; p++)
			single += shim_counted(&recycle_count(recycle_ports.pair[p])->topped_up);
		print_message("# %zu: %llu of blocks, %llu single of %llu\n", i,
			(unsigned long long)recycle_ports_moved(), (unsigned long long)single,
			(unsigned long long)recycle_ports.sent);
		assert_true(recycle_ports_moved() > 0 &&
			recycle_ports_moved() + single > recycle_ports.sent / 4 * 3);
		recycle_ports_finish();
	}
}

/* The pairs' counts of blocks. */
static struct pool_blocks_count
blocks_count(void)
{
	struct pool_blocks_count sum = { 0 };

	for (uint16_t p = 0; p < RECYCLE_PORTS; p++) {
		const struct pool_blocks_count *one = recycle_blocks_count(recycle_ports.pair[p]);

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
blocks_fill_cache(void **state)
{
	operation *const done[] = { operation_plain, operation_shared, operation_from_another_pool,
		operation_cloned, operation_external, operation_anything };

	for (size_t i = 0; i < ARRAY_SIZE(done); i++) {
		struct pool_blocks_count before, now;

		if (recycle_ports.mlx5 && done[i] == operation_external)
			break;
		recycle_ports_start(512, 32, 0);
		recycle_ports_bind();
		before = blocks_count();
		for (unsigned int round = 0; round < 3; round++) {
			rte_mempool_cache_flush(rte_mempool_default_cache(operations.pool,
							rte_lcore_id()),
				operations.pool);
			recycle_ports_poll(POLLS / 3, done[i]);
		}
		now = blocks_count();
		print_message("# %zu: %llu blocks for %llu packets\n", i,
			(unsigned long long)now.blocks, (unsigned long long)recycle_ports.sent);
		assert_true(now.blocks > before.blocks);
		assert_int_equal(now.blocks_cached, now.blocks);
		assert_true(now.contig_gets < now.blocks);
		if (done[i] == operation_plain)
			assert_true(now.blocks * BLOCK < recycle_ports.sent / 8);
		assert_int_equal(recycle_ports_moved(), 0);
		rte_mempool_audit(operations.pool);
		recycle_ports_finish();
	}
}

/* A pool whose driver has no blocks is refused; so is one whose blocks are of one mbuf. */
static void
blocks_refused(void **state)
{
	static const struct {
		const char *ops;
		uint16_t bytes;
	} rows[] = { { "stack", BLOCK_BYTES }, { "ring_mp_mc", BLOCK_BYTES },
		{ "bucket", RTE_MBUF_DEFAULT_BUF_SIZE } };
	struct zcfwd_recycle_error e;

	recycle_ports.usual = operations.pool;
	recycle_ports.mode = ZCFWD_RECYCLE_MODE_BLOCKS;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		operations.pool = rte_pktmbuf_pool_create_by_ops("none", OPERATIONS_MBUFS, 0, 0,
			rows[i].bytes, SOCKET_ID_ANY, rows[i].ops);
		assert_non_null(operations.pool);
		recycle_ports_start(256, 32, 0);
		assert_null(recycle_ports_pair(0, recycle_ports.mode, &e));
		assert_int_equal(e.code, ENOTSUP);
		assert_non_null(strstr(e.text, "pool none: its driver, "));
		recycle_ports_poll(10, operation_plain);
		recycle_ports_finish();
		rte_mempool_free(operations.pool);
	}
	operations.pool = recycle_ports.usual;
	recycle_ports.mode = ZCFWD_RECYCLE_MODE_RING;
}

static const struct deed {
	const char *name;
	operation *done;
	bool shares, foreign, tops, external;
} deeds[] = {
	{ "plain", operation_plain, false, false, false, false },
	{ "shared", operation_shared, true, false, true, false },
	{ "from another pool", operation_from_another_pool, false, true, true, false },
	{ "cloned", operation_cloned, false, false, false, false },
	{ "external", operation_external, false, false, false, true },
	{ "anything", operation_anything, true, true, true, true },
	{ "anything but external", operation_anything_of_pools, true, true, true, false },
};

static const char *const mode_names[] = { [ZCFWD_RECYCLE_MODE_RING] = "ring",
	[ZCFWD_RECYCLE_MODE_CACHE] = "cache",
	[ZCFWD_RECYCLE_MODE_BLOCKS] = "blocks" };

/*
 * Whether drivers do by themselves what a cache mode would do: the table of refusals in
 * doc/recycle.md, by the function's name.
 */
static bool
nothing_to_gain(const char *path, enum zcfwd_recycle_mode mode, bool fast, bool segments)
{
	const bool mlx5 = strstr(path, "mlx5") != NULL,
		   bare = strstr(path, "net_ixgbe") == NULL &&
		(strstr(path, " AVX512") != NULL ||
			(RTE_VERSION >= RTE_VERSION_NUM(25, 3, 0, 0) && !mlx5));

	if (!fast || mode == ZCFWD_RECYCLE_MODE_RING)
		return false;
	if (mlx5)
		return !segments;
	return bare;
}

/* One deed in one mode; the two directions of a mixed pair of ports are of different functions. */
static void
deed_do(const struct deed *deed, enum zcfwd_recycle_mode mode, uint64_t offloads)
{
	const bool fast = (offloads & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0,
		   segments = operations.segments > 1;
	const struct recycle_count *c;
	bool gains = true;

	recycle_ports_start(512, 32, offloads);
	for (uint16_t p = 0; p < RECYCLE_PORTS; p++) {
		char path[SHIM_PATH];

		shim_path(p, 0, false, path);
		gains = gains &&
			!nothing_to_gain(path, mode,
				fast &&
					(recycle_ports.offloads[p] &
						RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0,
				segments);
	}
	assert_int_equal(recycle_ports_bind_by(mode), gains);
	if (!gains) {
		assert_int_equal(rte_eth_dev_stop(0) + rte_eth_dev_stop(1), 0);
		return;
	}
	recycle_ports_poll(segments ? POLLS / 4 : POLLS, deed->done);
	c = recycle_count(recycle_ports.pair[0]);
	print_message("# %s, of up to %u segments, fast free %u, mode %s: %llu moved of %llu\n",
		deed->name, RTE_MAX(operations.segments, 1u), fast, mode_names[mode],
		(unsigned long long)recycle_ports_moved(), (unsigned long long)recycle_ports.sent);
	assert_true(recycle_ports_moved() > recycle_ports.sent * (recycle_ports.mlx5 ? 1 : 3) / 4);
	/* Nothing but the load of a machine makes a driver come first: all but two batches a port. */
	if (deed->done == operation_plain && !recycle_ports.mlx5)
		assert_in_range(recycle_ports.sent - recycle_ports_moved(), 0,
			RECYCLE_PORTS * 2 * recycle_ports.least);
	assert_int_equal(shim_counted(&c->shared) > 0, deed->shares);
	assert_int_equal(shim_counted(&c->foreign) > 0, deed->foreign);
	assert_int_equal(shim_counted(&c->topped_up) > 0,
		deed->tops && mode != ZCFWD_RECYCLE_MODE_CACHE);
	recycle_ports_finish();
}

/*
 * Deeds without and with fast free, which promises that none of this happens: what is armed is
 * looked at all the same; what goes into the cache alone is believed, as by drivers. mlx5's own
 * function believes it too, so that with fast free it gets plain packets alone.
 */
static void
each_deed(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(deeds); i++)
		for (enum zcfwd_recycle_mode k = ZCFWD_RECYCLE_MODE_RING;
			k <= ZCFWD_RECYCLE_MODE_CACHE; k++) {
			if (!(recycle_ports.mlx5 && deeds[i].external))
				deed_do(&deeds[i], k, 0);
			if (recycle_ports.fast_free &&
				(i == 0 || (!recycle_ports.mlx5 && k != ZCFWD_RECYCLE_MODE_CACHE)))
				deed_do(&deeds[i], k, RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE);
		}
}

/*
 * Packets of several segments. A transmit function either keeps a slot for each segment, which is
 * then a single mbuf as any other, or it keeps chains and is refused; whatever offloads it has.
 */
static void
segments(void **state)
{
	const uint64_t offloads[] = { RTE_ETH_TX_OFFLOAD_MULTI_SEGS,
		RTE_ETH_TX_OFFLOAD_MULTI_SEGS | RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE };
	struct zcfwd_recycle_error e;

	if (recycle_ports.leaks)
		skip_because("net_ixgbe loses mbufs of several segments when a port stops");
	/* Intel's cards take eight buffers for a packet at most. */
	operations.segments = recycle_ports.all_mlx5 ? OPERATIONS_SEGMENTS : 8;
	for (size_t o = 0; o < ARRAY_SIZE(offloads); o++) {
		for (size_t i = 0; i < ARRAY_SIZE(deeds) && recycle_ports.all_mlx5; i++)
			for (enum zcfwd_recycle_mode k = ZCFWD_RECYCLE_MODE_RING;
				k <= ZCFWD_RECYCLE_MODE_CACHE; k++)
				if (!deeds[i].external)
					deed_do(&deeds[i], k, offloads[o]);
		if (recycle_ports.all_mlx5)
			continue;
		recycle_ports_start(512, 32, offloads[o]);
		for (uint16_t p = 0; p < RECYCLE_PORTS; p++) {
			recycle_ports.pair[p] = recycle_ports_pair(p, ZCFWD_RECYCLE_MODE_RING, &e);
			if (recycle_ports.is_mlx5[1 - p]) {
				assert_non_null(recycle_ports.pair[p]);
				continue;
			}
			assert_null(recycle_ports.pair[p]);
			assert_int_equal(e.code, ENOTSUP);
			assert_non_null(strstr(e.text, "keeps sent mbufs in chains"));
		}
		/* Since 26.07 Intel's functions for chains believe fast free: chains, and no other deed. */
		recycle_ports_poll(POLLS / 4,
			(offloads[o] & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0
				? operation_plain
				: operation_anything_of_pools);
		if (recycle_ports.mlx5)
			assert_true(recycle_ports_moved() > recycle_ports.sent / 2 / 4);
		recycle_ports_finish();
	}
	operations.segments = 0;
}

/* Who takes more than is refilled at a call is never asked for more than that. */
static void
asked_at_once(void **state)
{
	struct rte_eth_dev_info info;

	recycle_ports_start(512, 32, 0);
	assert_int_equal(rte_eth_dev_info_get(0, &info), 0);
	assert_int_equal(rx_call_max(0, 0),
		strcmp(info.driver_name, "net_i40e") == 0 || recycle_ports.ice ||
				strcmp(info.driver_name, "net_iavf") == 0
			? 32
			: UINT16_MAX);
	recycle_ports_poll(100, operation_plain);
	recycle_ports_finish();
}

/* Rings of every size, over and over; both sizes of transmit batches; with and without the cache. */
static void
rings(void **state)
{
	static const uint16_t sizes[] = { 64, 128, 256, 512, 1024, 2048, 4096 },
			      batches[] = { 32, 64 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (size_t j = 0; j < 2 * ARRAY_SIZE(batches); j++) {
			const enum zcfwd_recycle_mode mode = j % 2 == 0 ? recycle_ports.mode
									: ZCFWD_RECYCLE_MODE_CACHE;
			const uint16_t batch = batches[j / 2];

			if (operations.pool->cache_size == 0 && mode == ZCFWD_RECYCLE_MODE_CACHE)
				continue;
			if (sizes[i] <= RTE_MAX(batch, recycle_ports.least) ||
				batch > recycle_ports.rs_max ||
				(sizes[i] == 4096 && OPERATIONS_MBUFS < 2 * 4096))
				continue;
			recycle_ports_start(sizes[i], batch, 0);
			assert_true(recycle_ports_bind_by(mode));
			recycle_ports_poll(sizes[i] * 4,
				recycle_ports.mlx5 ? operation_anything_of_pools
						   : operation_anything);
			assert_true(recycle_ports_moved() > 0);
			recycle_ports_finish();
		}
}

/*
 * Bound after the driver freed some batches by itself: what is handed out together may lie around
 * the ring's end.
 */
static void
bound_late(void **state)
{
	for (unsigned int n = 7; n <= 9; n++) {
		recycle_ports_start(128, 32, 0);
		recycle_ports_poll(n, operation_plain);
		recycle_ports_bind();
		recycle_ports_poll(200, operation_plain);
		assert_true(recycle_ports_moved() > 0);
		recycle_ports_finish();
	}
}

/* No mbuf is left in the pool, and then they come back. */
static void
exhaustion(void **state)
{
	void *taken[OPERATIONS_MBUFS];
	unsigned int n = 0;

	recycle_ports_start(256, 32, 0);
	recycle_ports_bind();
	for (unsigned int round = 0; round < 20; round++) {
		recycle_ports_poll(20,
			recycle_ports.mlx5 ? operation_anything_of_pools : operation_anything);
		while (n < OPERATIONS_MBUFS && rte_mempool_get(operations.pool, &taken[n]) == 0)
			n++;
		assert_true(n > 0);
		recycle_ports_poll(40, round % 2 == 0 ? operation_shared : operation_hoarded);
		rte_mempool_put_bulk(operations.pool, taken, n);
		operations_unhoard();
		n = 0;
	}
	recycle_ports_poll(100, operation_plain);
	recycle_ports_finish();
}

/* A pair whose ports were restarted moves nothing; bound anew it does. */
static void
restart(void **state)
{
	recycle_ports_start(256, 32, 0);
	recycle_ports_bind();
	recycle_ports_poll(100, operation_plain);
	for (uint16_t p = 0; p < RECYCLE_PORTS; p++)
		assert_int_equal(rte_eth_dev_stop(p), 0);
	assert_false(recycle_stands(recycle_ports.pair[0]));
	assert_int_equal(recycle_run(recycle_ports.pair[0]), 0);
	recycle_ports_start(512, 32, recycle_ports.leaks ? 0 : RTE_ETH_TX_OFFLOAD_MULTI_SEGS);
	assert_false(recycle_stands(recycle_ports.pair[0]));
	assert_int_equal(recycle_run(recycle_ports.pair[0]), 0);
	recycle_ports_poll(100, operation_plain);
	for (uint16_t p = 0; p < RECYCLE_PORTS; p++) {
		assert_int_equal(rte_eth_dev_stop(p), 0);
		recycle_unbind(recycle_ports.pair[p]);
	}
	recycle_ports_start(512, 32, 0);
	recycle_ports_bind();
	recycle_ports.sent = 0;
	recycle_ports_poll(100, operation_plain);
	assert_true(recycle_ports_moved() > 0);
	recycle_ports_finish();
}

/*
 * Upstream's rte_eth_recycle_mbufs() takes entries of 8 bytes for 16, and arms what others hold
 * still. Last: mbufs are in the pool twice then.
 */
static void
wrong_stride_is_seen(void **state)
{
	const struct recycle *pair;
	struct model_nic_report r;
	struct shim_mbufs sent;
	char path[SHIM_PATH];

	recycle_ports_start(512, 32, 0);
	recycle_ports_poll(8, operation_plain);
	recycle_ports_bind();
	pair = recycle_ports.pair[0];
	sent = pair->tx.ops->sent(&pair->tx);
	if (sent.stride != sizeof(void *) || sent.n != 32 || recycle_ports.mlx5) {
		snprintf(path, sizeof(path), "%s", pair->tx.path);
		recycle_ports_finish();
		skip_because("%s has no batches of 32 entries of 8 bytes", path);
	}
	sent.stride = 2 * sizeof(void *);
	assert_true(pair->rx.ops->arm(&pair->rx, &sent, false));
	pair->tx.ops->taken(&pair->tx, &sent);
	recycle_ports.pair[0] = recycle_ports.pair[1] = NULL;
	recycle_ports_poll(200, operation_plain);
	r = recycle_ports_reports();
	assert_true(r.duplicated + r.armed_twice + r.armed_in_tx > 0);
	assert_int_equal(rte_eth_dev_stop(0) + rte_eth_dev_stop(1), 0);
}

/*
 * Queues that were set up anew with another pool or other batches may lie where the old ones did:
 * the pair ends all the same.
 */
static void
set_up_anew(void **state)
{
	struct rte_mempool *usual = operations.pool;

	for (unsigned int i = 0; i < 2; i++) {
		const bool batches = i == 1;

		if (batches && (recycle_ports.rs_max < 64 || recycle_ports.mlx5))
			continue;
		recycle_ports_start(256, 32, 0);
		recycle_ports_bind();
		recycle_ports_poll(100, operation_plain);
		for (uint16_t p = 0; p < RECYCLE_PORTS; p++)
			assert_int_equal(rte_eth_dev_stop(p), 0);
		operations.pool = batches ? usual : operations.foreign;
		recycle_ports_start(256, batches ? 64 : 32, 0);
		for (uint16_t p = 0; p < RECYCLE_PORTS; p++) {
			assert_false(recycle_stands(recycle_ports.pair[p]));
			assert_int_equal(recycle_run(recycle_ports.pair[p]), 0);
		}
		recycle_ports_poll(100, operation_plain);
		recycle_ports_finish();
		operations.pool = usual;
	}
}

/* Queues that were set up again with fast free alone changed may have their old addresses. */
static void
fast_free_toggled(void **state)
{
	static const uint64_t fast_free[] = { 0, RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE };

	for (unsigned int i = 0; i < 2; i++) {
		recycle_ports_start(256, 32, fast_free[i]);
		assert_true(recycle_ports_bind_by(ZCFWD_RECYCLE_MODE_RING));
		for (uint16_t p = 0; p < RECYCLE_PORTS; p++)
			assert_int_equal(rte_eth_dev_stop(p), 0);
		recycle_ports_start(256, 32, fast_free[1 - i]);
		for (uint16_t p = 0; p < RECYCLE_PORTS; p++) {
			assert_false(recycle_stands(recycle_ports.pair[p]));
			assert_int_equal(recycle_run(recycle_ports.pair[p]), 0);
		}
		recycle_ports_poll(100, operation_plain);
		recycle_ports_finish();
	}
}

/*
 * Every pair but those with a simple transmit function that has entries of its own, as up to 25.11,
 * has loops of its own, of two drivers too.
 */
static void
compiled(void **state)
{
	static const enum zcfwd_recycle_mode modes[] = { ZCFWD_RECYCLE_MODE_RING,
		ZCFWD_RECYCLE_MODE_CACHE };

	recycle_ports_start(512, 32, 0);
	for (size_t k = 0; k < ARRAY_SIZE(modes); k++) {
		assert_true(recycle_ports_bind_by(modes[k]));
		for (uint16_t p = 0; p < RECYCLE_PORTS; p++) {
			struct recycle *pair = recycle_ports.pair[p];
			bool simple = strstr(pair->tx.path, "imple") != NULL && /* or Simple */
				(RTE_VERSION < RTE_VERSION_NUM(26, 3, 0, 0) ||
					strstr(pair->tx.path, "net_ixgbe") != NULL);

			assert_ptr_equal(pair_compiled(&pair->rx, &pair->tx, modes[k], false),
				simple ? NULL : pair->run);
			recycle_unbind(pair);
			recycle_ports.pair[p] = NULL;
		}
	}
	recycle_ports_bind();
	recycle_ports_poll(10, operation_plain);
	recycle_ports_finish();
}

/*
 * What was sent lies in the lcore's cache, on top of what it held, and nothing was armed; when the
 * cache is full, it waits where it is.
 */
static void
cache_keeps(void **state)
{
	struct rte_mempool_cache *cache =
		rte_mempool_default_cache(operations.pool, rte_lcore_id());
	struct rte_mbuf *filling[512];
	unsigned int before;
	uint16_t room, n;

	recycle_ports_start(512, 32, 0);
	recycle_ports_poll(20, operation_plain);
	assert_true(recycle_ports_bind_by(ZCFWD_RECYCLE_MODE_CACHE));
	rte_mempool_cache_flush(cache, operations.pool);
	before = cache->len;
	room = recycle_ports.pair[0]->rx.ops->room(&recycle_ports.pair[0]->rx, 0);
	n = recycle_run(recycle_ports.pair[0]);
	assert_true(n > 0);
	assert_int_equal(cache->len, before + n);
	assert_int_equal(recycle_ports.pair[0]->rx.ops->room(&recycle_ports.pair[0]->rx, 0), room);
	assert_int_equal(rte_pktmbuf_alloc_bulk(operations.pool, filling, ARRAY_SIZE(filling)), 0);
	for (n = 0; n < ARRAY_SIZE(filling) && cache->len < compat_cache_limit(cache); n++)
		rte_pktmbuf_free(filling[n]);
	assert_int_equal(recycle_run(recycle_ports.pair[1]), 0);
	assert_int_equal(cache->len, compat_cache_limit(cache));
	rte_pktmbuf_free_bulk(filling + n, ARRAY_SIZE(filling) - n);
	recycle_ports_poll(100, operation_plain);
	recycle_ports_finish();
}

/* A pool without caches has nothing for this mode to fill. */
static void
cache_absent(void **state)
{
	struct rte_mempool *pool = operations.pool;
	struct zcfwd_recycle_error e;

	operations.pool = rte_pktmbuf_pool_create("bare", OPERATIONS_MBUFS, 0, 0,
		RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	assert_non_null(operations.pool);
	recycle_ports_start(256, 32, 0);
	assert_null(recycle_ports_pair(0, ZCFWD_RECYCLE_MODE_CACHE, &e));
	assert_string_equal(e.text, "port 0: pool bare has no cache to go through");
	recycle_ports_bind();
	recycle_ports_poll(100, operation_plain);
	assert_true(recycle_ports_moved() > 0);
	recycle_ports_finish();
	/* Its mbufs are nobody's now; the ports' old queues may still name it. */
	operations.pool = pool;
}

/* The receive function that ports name; NULL: their own. */
static const char *named;

/* In place of ethdev's. */
int
rte_eth_rx_burst_mode_get(uint16_t port, uint16_t queue, struct rte_eth_burst_mode *mode)
{
	int (*real)(uint16_t, uint16_t, struct rte_eth_burst_mode *);
	void *symbol = dlsym(RTLD_NEXT, "rte_eth_rx_burst_mode_get");
	int ret;

	assert_non_null(symbol);
	memcpy(&real, &symbol, sizeof(real));
	ret = real(port, queue, mode);
	if (named != NULL)
		snprintf(mode->info, sizeof(mode->info), "%s", named);
	return ret;
}

/*
 * mlx5: multi-packet receive queues (mprq_en) by the driver's names of their functions, and a queue
 * that has strides in spite of another name.
 */
static void
strides_refused(void **state)
{
	static const char *const names[] = { "MPRQ Vector SSE", "Multi-Packet RQ" };
	struct recycle *pair;
	uint32_t *sizes;
	struct zcfwd_recycle_error e;

	recycle_ports_start(256, 32, 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char text[192];

		named = names[i];
		snprintf(text, sizeof(text),
			"port 0: mlx5_pci %s: it receives into buffers that several packets share, not into mbufs: use the device argument mprq_en=0",
			names[i]);
		assert_null(recycle_ports_pair(0, ZCFWD_RECYCLE_MODE_RING, &e));
		assert_int_equal(e.code, ENOTSUP);
		assert_string_equal(e.text, text);
	}
	named = NULL;
	sizes = shim_at(rte_eth_fp_ops[0].rxq.data[0], MLX5_SIZES);
	*sizes |= MLX5_STRIDES;
	pair = recycle_ports_pair(0, ZCFWD_RECYCLE_MODE_RING, &e);
	*sizes &= ~MLX5_STRIDES;
	assert_null(pair);
	assert_string_equal(e.text, "port 0: receive queue 0 is split, striding or in error");
	recycle_ports_bind();
	recycle_ports_poll(100, operation_plain);
	assert_true(recycle_ports_moved() > 0);
	recycle_ports_finish();
}

/* mlx5: a region that the driver finds after the pair was bound. The pair moves nothing more and says why. */
static void
late_region(void **state)
{
	const uint16_t offset = MLX5_RX_BUILT->keys;
	const char *text;
	void *rxq;

	recycle_ports_start(256, 32, 0);
	recycle_ports_bind();
	recycle_ports_poll(100, operation_plain);
	assert_true(recycle_ports_moved() > 0);
	assert_int_equal(recycle_reason(recycle_ports.pair[0], &text), ZCFWD_RECYCLE_FINE);
	rxq = rte_eth_fp_ops[recycle_ends(recycle_ports.pair[0])->rx_port].rxq.data[0];
	shim_u16_set(rxq, offset, shim_u16(rxq, offset) + 1);
	assert_int_equal(recycle_run(recycle_ports.pair[0]), 0);
	assert_int_equal(recycle_reason(recycle_ports.pair[0], &text), ZCFWD_RECYCLE_POOL);
	assert_string_equal(text, "the driver found a buffer of the pool in another memory region");
	shim_u16_set(rxq, offset, shim_u16(rxq, offset) - 1);
	assert_int_equal(recycle_reason(recycle_ports.pair[0], &text), ZCFWD_RECYCLE_FINE);
	recycle_ports_poll(100, operation_plain);
	recycle_ports_finish();
}

/* A pair that contradicts itself in one member. */
#define BROKEN(pair, change) \
	do { \
		struct recycle broken; \
\
		memcpy(&broken, pair, sizeof(broken)); \
		broken.change; \
		assert_false(pair_valid(&broken)); \
	} while (0)

/* What functions assert of a pair holds before it ran and afterwards, and notices each of these. */
static void
what_holds(void **state)
{
	struct recycle *pair;

	recycle_ports_start(512, 32, 0);
	recycle_ports_bind();
	pair = recycle_ports.pair[0];
	assert_true(pair_valid(pair));
	BROKEN(pair, run = NULL);
	BROKEN(pair, rx.pool = NULL);
	BROKEN(pair, tx_queue = NULL);
	BROKEN(pair, rx.batch = 0);
	BROKEN(pair, rx.batch = PAIR_BATCH_MAX + 1);
	BROKEN(pair, rx.size = broken.rx.batch - 1);
	BROKEN(pair, tx.batch = 0);
	BROKEN(pair, mode = ZCFWD_RECYCLE_MODE_OFF);
	BROKEN(pair, claimed = broken.barred = true);
	BROKEN(pair, proved = NULL; broken.proof = RECYCLE_PROVING);
	recycle_ports_poll(100, operation_plain);
	assert_true(pair_valid(pair));
	recycle_ports_finish();
}

/* Queues and ports that are not there, and a port of a driver that nobody knows. */
static void
refusals(void **state)
{
	static const struct {
		struct recycle_ends ends;
		int code;
		const char *says;
	} rows[] = {
		{ { 9, 0, 0, 0 }, EINVAL, "port 9: no such port" },
		{ { 0, 7, 1, 0 }, EINVAL, "port 0: no receive queue 7" },
		{ { 0, 0, 1, 7 }, EINVAL, "port 1: no transmit queue 7" },
	};
	struct zcfwd_recycle_error e;

	recycle_ports_start(256, 32, 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		e = (struct zcfwd_recycle_error){ 0 };
		assert_null(recycle_bind(&rows[i].ends, ZCFWD_RECYCLE_MODE_RING, NULL, &e));
		assert_int_equal(e.code, rows[i].code);
		assert_string_equal(e.text, rows[i].says);
	}
	recycle_ports_bind();
	recycle_ports_poll(10, operation_plain);
	recycle_ports_finish();
}

int
main(void)
{
	static unsigned int cached = 250, alone;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_region),
		cmocka_unit_test(strides_refused),
		cmocka_unit_test(each_deed),
		cmocka_unit_test(segments),
		cmocka_unit_test(asked_at_once),
		cmocka_unit_test(rings),
		cmocka_unit_test(bound_late),
		cmocka_unit_test(exhaustion),
		cmocka_unit_test(restart),
		cmocka_unit_test(set_up_anew),
		cmocka_unit_test(fast_free_toggled),
		cmocka_unit_test(compiled),
		cmocka_unit_test(cache_keeps),
		cmocka_unit_test(cache_absent),
		cmocka_unit_test(what_holds),
		cmocka_unit_test(refusals),
		cmocka_unit_test_prestate_setup_teardown(blocks_side_by_side, blocks_setup,
			blocks_teardown, &alone),
		cmocka_unit_test_prestate_setup_teardown(blocks_each_deed, blocks_setup,
			blocks_teardown, &alone),
		cmocka_unit_test_prestate_setup_teardown(blocks_fill_cache, blocks_setup,
			blocks_teardown, &cached),
		cmocka_unit_test_prestate_setup_teardown(rings, blocks_setup, blocks_teardown,
			&alone),
		cmocka_unit_test_prestate_setup_teardown(exhaustion, blocks_setup, blocks_teardown,
			&alone),
		cmocka_unit_test(blocks_refused),
		cmocka_unit_test(wrong_stride_is_seen),
	};
	const char *port = getenv("MOCK_PORT");
	const bool mlx5 = port != NULL && strstr(port, "driver=mlx5") != NULL &&
		getenv("MOCK_PORT_1") == NULL;
	const size_t first = mlx5 ? 0 : 2; /* regions and strides are mlx5's alone */

	if (recycle_ports_setup(NULL) != 0)
		return 1;
	if (!recycle_ports_try())
		return 0;
	return _cmocka_run_group_tests("tests", tests + first, ARRAY_SIZE(tests) - first, NULL,
		recycle_ports_teardown);
}
