/* Recycling on a modelled NIC that moves when told to: what may not be armed never is, whatever
 * packets the application sends. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/recycle_operations.h"
#include "fixtures/stepped.h"
#include "model_nic/model_nic.h"
#include "pmd_shims/pair.h"
#include "pmd_shims/pair_compiled.h"
#include "pmd_shims/rx_call.h"

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_version.h>

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { PORTS = 2, BURST = 32, POLLS = 3000 };
/* Blocks of 3 in a bucket that is a small page: a batch of 32 is never whole blocks. */
enum { BLOCK = 3, BLOCK_BYTES = 1152, BLOCK_MBUFS = OPERATIONS_MBUFS / BLOCK * BLOCK };

static struct fixture {
	struct recycle *pair[PORTS]; /* by receiving port; NULL: forward without */
	enum recycle_mode mode;      /* of pairs that are bound */
	struct rte_mempool *usual;   /* the pool of a test that does not bring its own */
	uint64_t sent;
	/* What the driver can do with sent mbufs. */
	/*
	 * of one port at least: frees some itself at each transmit call; keeps them alike whatever
	 * the offloads; the model has no keys for other memory
	 */
	bool mlx5, ice;
	bool mixed;               /* the ports are of two drivers */
	bool fast_free;           /* a port has that offload */
	uint64_t offloads[PORTS]; /* those that each has */
	uint16_t rs_max;          /* of both */
	uint16_t least;           /* descriptors that it arms at a time; a ring has more */
	struct stepped model;
	/* the handler behind the model's registers; cmocka puts its own in front of each test */
	struct sigaction registers;
} fixture;

static void
drivers_ask(void)
{
	char first[64];

	fixture.rs_max = 64;
	for (uint16_t p = 0; p < PORTS; p++) {
		struct rte_eth_dev_info info;

		assert_int_equal(rte_eth_dev_info_get(p, &info), 0);
		fixture.offloads[p] = info.tx_offload_capa;
		fixture.mlx5 = fixture.mlx5 || strcmp(info.driver_name, "mlx5_pci") == 0;
		fixture.fast_free = fixture.fast_free ||
			(info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0;
		fixture.ice = fixture.ice || strcmp(info.driver_name, "net_ice") == 0;
		if (strncmp(info.driver_name, "net_ixgbe", strlen("net_ixgbe")) == 0)
			fixture.rs_max = 32;
		if (p == 0)
			snprintf(first, sizeof(first), "%s", info.driver_name);
		fixture.mixed = strcmp(info.driver_name, first) != 0;
	}
}

static int
group_setup(void **state)
{
	char bits[64], vdev[PORTS][128],
		*args[] = { "recycle", "--no-huge", "--no-shconf", "--no-pci", "-m", "256",
			"--no-telemetry", "--lcores=0", "--iova-mode=va", "--log-level=error", bits,
			"-d", getenv("MODEL_NIC_PLUGIN"), vdev[0], vdev[1] };
	int n = ARRAY_SIZE(args);

	snprintf(bits, sizeof(bits), "--%s%s",
		getenv("SIMD_BITS") != NULL ? "force-max-simd-bitwidth=" : "log-level=error",
		getenv("SIMD_BITS") != NULL ? getenv("SIMD_BITS") : "");
	for (unsigned int p = 0; p < PORTS; p++)
		snprintf(vdev[p], sizeof(vdev[p]), "--vdev=net_mock%u,%s", p,
			getenv(p == 1 && getenv("MOCK_PORT_1") != NULL ? "MOCK_PORT_1"
								       : "MOCK_PORT"));
	if (getenv("MOCK_PORT") == NULL)
		n -= PORTS;
	assert_int_equal(rte_eal_init(n, args), n - 1);
	stepped_open(&fixture.model);
	sigaction(SIGSEGV, NULL, &fixture.registers);
	drivers_ask();
	/*
	 * Since 25.11 Intel's vector functions arm 64 at a time, ice's in all releases, and starve
	 * in a ring of 64 by themselves.
	 */
	fixture.least = fixture.ice ||
			(RTE_VERSION >= RTE_VERSION_NUM(25, 11, 0, 0) &&
				(!fixture.mlx5 || fixture.mixed))
		? 64
		: 32;
	fixture.mode = RECYCLE_RING;
	operations.pool = rte_pktmbuf_pool_create("pool", OPERATIONS_MBUFS, 250, 0,
		RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	operations.foreign = rte_pktmbuf_pool_create("foreign", OPERATIONS_MBUFS, 250, 0,
		RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	return operations.pool != NULL && operations.foreign != NULL ? 0 : -1;
}

static int
group_teardown(void **state)
{
	sigaction(SIGSEGV, &fixture.registers, NULL);
	return rte_eal_cleanup();
}

static void
ports_start(uint16_t ring, uint16_t rs, uint64_t tx_offloads)
{
	sigaction(SIGSEGV, &fixture.registers, NULL);
	for (uint16_t p = 0; p < PORTS; p++) {
		const uint64_t offloads = tx_offloads & fixture.offloads[p];
		const struct rte_eth_conf conf = { .txmode.offloads = offloads,
			.rxmode.mtu = BLOCK_BYTES - 256 };
		struct rte_eth_dev_info info;
		struct rte_eth_txconf tx;

		assert_int_equal(rte_eth_dev_info_get(p, &info), 0);
		tx = info.default_txconf;
		tx.offloads = offloads;
		tx.tx_rs_thresh = tx.tx_free_thresh = rs;
		assert_int_equal(rte_eth_dev_configure(p, 1, 1, &conf), 0);
		assert_int_equal(rte_eth_rx_queue_setup(p, 0, ring, SOCKET_ID_ANY, NULL,
					 operations.pool),
			0);
		assert_int_equal(rte_eth_tx_queue_setup(p, 0, ring, SOCKET_ID_ANY, &tx), 0);
		assert_int_equal(rte_eth_dev_start(p), 0);
		fixture.model.reset(p);
	}
}

static struct recycle *
pair_bind(uint16_t rx_port, enum recycle_mode mode, struct err *e)
{
	const struct recycle_ends ends = { rx_port, 0, 1 - rx_port, 0 };

	err_clear(e);
	return recycle_bind(&ends, mode, NULL, e);
}

/* Returns whether they are; else by this mode there is nothing to gain. */
static bool
pairs_bind_by(enum recycle_mode mode)
{
	struct err e;

	for (uint16_t p = 0; p < PORTS; p++) {
		fixture.pair[p] = pair_bind(p, mode, &e);
		if (fixture.pair[p] == NULL)
			assert_non_null(strstr(e.text, "nothing to gain"));
	}
	if (fixture.pair[0] != NULL && fixture.pair[1] != NULL)
		return true;
	for (uint16_t p = 0; p < PORTS; p++) {
		recycle_unbind(fixture.pair[p]);
		fixture.pair[p] = NULL;
	}
	return false;
}

static void
pairs_bind(void)
{
	assert_true(pairs_bind_by(fixture.mode));
}

static void
polls(unsigned int n, operation *done)
{
	struct rte_mbuf *pkts[BURST];

	while (n-- > 0) {
		for (uint16_t p = 0; p < PORTS; p++) {
			uint16_t got, sent;

			if (fixture.pair[p] != NULL)
				recycle_run(fixture.pair[p]);
			got = rte_eth_rx_burst(p, 0, pkts, BURST);
			for (uint16_t i = 0; i < got; i++, operations.n++)
				pkts[i] = done(pkts[i]);
			sent = rte_eth_tx_burst(1 - p, 0, pkts, got);
			fixture.sent += sent;
			rte_pktmbuf_free_bulk(pkts + sent, got - sent);
		}
		fixture.model.step();
	}
}

static struct model_nic_report
reports(void)
{
	struct model_nic_report sum;

	stepped_reports(&fixture.model, PORTS, &sum);
	return sum;
}

/* Ports closed, every mbuf back, every buffer freed once, and the model content. */
static void
finish(void)
{
	struct model_nic_report r = reports();

	for (uint16_t p = 0; p < PORTS; p++) {
		assert_int_equal(rte_eth_dev_stop(p), 0);
		recycle_unbind(fixture.pair[p]);
		fixture.pair[p] = NULL;
	}
	operations_finish();
	assert_int_equal(r.corrupted + r.foreign + r.duplicated + r.reordered, 0);
	assert_int_equal(r.armed_twice + r.armed_in_tx + r.sent_while_armed, 0);
	assert_true(r.ok > 0 && r.ok == r.tx_packets && fixture.sent >= r.tx_packets);
	assert_int_equal(rte_mempool_in_use_count(operations.pool), 0);
	assert_int_equal(rte_mempool_in_use_count(operations.foreign), 0);
	fixture.sent = 0;
}

static uint64_t
moved(void)
{
	uint64_t n = 0;

	for (uint16_t p = 0; p < PORTS; p++)
		n += counter_read(&recycle_count(fixture.pair[p])->moved) +
			counter_read(&recycle_count(fixture.pair[p])->from_blocks);
	return n;
}

/* For a test that refills out of blocks: *state is the mempool cache that it has. */
static int
blocks_setup(void **state)
{
	fixture.usual = operations.pool;
	fixture.mode = RECYCLE_CONTIG;
	operations.pool = rte_pktmbuf_pool_create_by_ops("blocks", BLOCK_MBUFS,
		*(const unsigned int *)*state, 0, BLOCK_BYTES, SOCKET_ID_ANY, "bucket");
	return operations.pool != NULL ? 0 : -1;
}

static int
blocks_teardown(void **state)
{
	rte_mempool_free(operations.pool);
	operations.pool = fixture.usual;
	fixture.mode = RECYCLE_RING;
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
	ports_start(512, 32, 0);
	pairs_bind();
	/* Blocks that were there at the start are whole, later ones are of what came back. */
	polls(POLLS, operation_plain);
	neighbours.n = 0;
	polls(POLLS, count_neighbours);
	print_message("# %llu neighbours of %llu\n", (unsigned long long)neighbours.n,
		(unsigned long long)fixture.sent);
	assert_true(neighbours.n > fixture.sent / 2 / 2);
	assert_true(moved() > fixture.sent / 4 * 3);
	assert_int_equal(counter_read(&recycle_count(fixture.pair[0])->moved), 0);
	for (uint16_t p = 0; p < PORTS; p++) {
		const unsigned int out = rte_mempool_in_use_count(operations.pool),
				   left = fixture.pair[p]->blocks.left +
			fixture.pair[p]->blocks.n_ahead * BLOCK;

		recycle_rest(fixture.pair[p]);
		assert_int_equal(rte_mempool_in_use_count(operations.pool), out - left);
		recycle_rest(fixture.pair[p]);
		assert_int_equal(rte_mempool_in_use_count(operations.pool), out - left);
	}
	polls(10, operation_plain);
	finish();
}

/* Whatever the application does with packets, fast free or not. */
static void
blocks_each_deed(void **state)
{
	operation *const done[] = { operation_plain, operation_shared, operation_from_another_pool,
		operation_cloned, operation_external, operation_anything };

	for (size_t i = 0; i < ARRAY_SIZE(done); i++) {
		uint64_t single = 0;

		if (fixture.mlx5 && done[i] == operation_external)
			break;
		ports_start(512, 32, 0);
		pairs_bind();
		polls(POLLS, done[i]);
		for (uint16_t p = 0; p < PORTS; p++)
			single += counter_read(&recycle_count(fixture.pair[p])->topped_up);
		print_message("# %zu: %llu of blocks, %llu single of %llu\n", i,
			(unsigned long long)moved(), (unsigned long long)single,
			(unsigned long long)fixture.sent);
		assert_true(moved() > 0 && moved() + single > fixture.sent / 4 * 3);
		finish();
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
	struct err e;

	fixture.usual = operations.pool;
	fixture.mode = RECYCLE_CONTIG;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		operations.pool = rte_pktmbuf_pool_create_by_ops("none", OPERATIONS_MBUFS, 0, 0,
			rows[i].bytes, SOCKET_ID_ANY, rows[i].ops);
		assert_non_null(operations.pool);
		ports_start(256, 32, 0);
		assert_null(pair_bind(0, fixture.mode, &e));
		assert_int_equal(e.code, ENOTSUP);
		assert_non_null(strstr(e.text, "pool none: its driver, "));
		polls(10, operation_plain);
		finish();
		rte_mempool_free(operations.pool);
	}
	operations.pool = fixture.usual;
	fixture.mode = RECYCLE_RING;
}

/*
 * Deeds without and with fast free, which promises that none of this happens: what is armed is
 * looked at all the same; what goes into the cache alone is believed, as by drivers.
 */
static void
each_deed(void **state)
{
	static const struct {
		const char *name;
		operation *done;
		bool shares, foreign, tops, external;
	} rows[] = {
		{ "plain", operation_plain, false, false, false, false },
		{ "shared", operation_shared, true, false, true, false },
		{ "from another pool", operation_from_another_pool, false, true, true, false },
		{ "cloned", operation_cloned, false, false, false, false },
		{ "external", operation_external, false, false, false, true },
		{ "anything", operation_anything, true, true, true, true },
		{ "anything but external", operation_anything_of_pools, true, true, true, false },
	};
	static const enum recycle_mode modes[] = { RECYCLE_RING, RECYCLE_ZC_CACHE, RECYCLE_CACHE };
	static const char *const names[] = { RECYCLE_MODES };

	for (unsigned int fast = 0; fast < 2; fast++)
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
			for (size_t k = 0; k < ARRAY_SIZE(modes); k++) {
				const struct recycle_count *c;

				if ((fast && !fixture.fast_free) ||
					(fixture.mlx5 && (fast ? i > 0 : rows[i].external)) ||
					(fast && modes[k] == RECYCLE_CACHE && i > 0))
					continue;
				ports_start(512, 32, fast ? RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE : 0);
				if (!pairs_bind_by(modes[k])) {
					assert_int_equal(rte_eth_dev_stop(0) + rte_eth_dev_stop(1),
						0);
					continue;
				}
				polls(POLLS, rows[i].done);
				c = recycle_count(fixture.pair[0]);
				print_message("# %s, fast free %u, mode %s: %llu moved of %llu\n",
					rows[i].name, fast, names[modes[k]],
					(unsigned long long)moved(),
					(unsigned long long)fixture.sent);
				assert_true(moved() > fixture.sent * (fixture.mlx5 ? 1 : 3) / 4);
				assert_int_equal(counter_read(&c->shared) > 0, rows[i].shares);
				assert_int_equal(counter_read(&c->foreign) > 0, rows[i].foreign);
				assert_int_equal(counter_read(&c->topped_up) > 0,
					rows[i].tops && modes[k] != RECYCLE_CACHE);
				finish();
			}
}

/* Who takes more than is refilled at a call is never asked for more than that. */
static void
asked_at_once(void **state)
{
	struct rte_eth_dev_info info;

	ports_start(512, 32, 0);
	assert_int_equal(rte_eth_dev_info_get(0, &info), 0);
	assert_int_equal(rx_call_max(0, 0),
		strcmp(info.driver_name, "net_i40e") == 0 || fixture.ice ||
				strcmp(info.driver_name, "net_iavf") == 0
			? 32
			: UINT16_MAX);
	polls(100, operation_plain);
	finish();
}

/* Rings of every size, over and over; both sizes of transmit batches; with and without the cache. */
static void
rings(void **state)
{
	static const uint16_t sizes[] = { 64, 128, 256, 512, 1024, 2048, 4096 },
			      batches[] = { 32, 64 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (size_t j = 0; j < 2 * ARRAY_SIZE(batches); j++) {
			const enum recycle_mode mode = j % 2 == 0 ? fixture.mode : RECYCLE_CACHE;
			const uint16_t batch = batches[j / 2];

			if (operations.pool->cache_size == 0 && mode == RECYCLE_CACHE)
				continue;
			if (sizes[i] <= RTE_MAX(batch, fixture.least) || batch > fixture.rs_max ||
				(sizes[i] == 4096 && OPERATIONS_MBUFS < 2 * 4096))
				continue;
			ports_start(sizes[i], batch, 0);
			assert_true(pairs_bind_by(mode));
			polls(sizes[i] * 4,
				fixture.mlx5 ? operation_anything_of_pools : operation_anything);
			assert_true(moved() > 0);
			finish();
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
		ports_start(128, 32, 0);
		polls(n, operation_plain);
		pairs_bind();
		polls(200, operation_plain);
		assert_true(moved() > 0);
		finish();
	}
}

/* No mbuf is left in the pool, and then they come back. */
static void
exhaustion(void **state)
{
	void *taken[OPERATIONS_MBUFS];
	unsigned int n = 0;

	ports_start(256, 32, 0);
	pairs_bind();
	for (unsigned int round = 0; round < 20; round++) {
		polls(20, fixture.mlx5 ? operation_anything_of_pools : operation_anything);
		while (n < OPERATIONS_MBUFS && rte_mempool_get(operations.pool, &taken[n]) == 0)
			n++;
		assert_true(n > 0);
		polls(40, round % 2 == 0 ? operation_shared : operation_hoarded);
		rte_mempool_put_bulk(operations.pool, taken, n);
		operations_unhoard();
		n = 0;
	}
	polls(100, operation_plain);
	finish();
}

/* A pair whose ports were restarted moves nothing; bound anew it does, or it is told why not. */
static void
restart(void **state)
{
	struct err e;

	ports_start(256, 32, 0);
	pairs_bind();
	polls(100, operation_plain);
	for (uint16_t p = 0; p < PORTS; p++)
		assert_int_equal(rte_eth_dev_stop(p), 0);
	assert_false(recycle_stands(fixture.pair[0]));
	assert_int_equal(recycle_run(fixture.pair[0]), 0);
	ports_start(512, 32, RTE_ETH_TX_OFFLOAD_MULTI_SEGS);
	assert_false(recycle_stands(fixture.pair[0]));
	assert_int_equal(recycle_run(fixture.pair[0]), 0);
	if (!fixture.mlx5) {
		assert_null(pair_bind(0, RECYCLE_RING, &e));
		assert_int_equal(e.code, ENOTSUP);
		assert_non_null(strstr(e.text, "keeps sent mbufs in chains"));
	}
	polls(100, operation_plain);
	for (uint16_t p = 0; p < PORTS; p++) {
		assert_int_equal(rte_eth_dev_stop(p), 0);
		recycle_unbind(fixture.pair[p]);
	}
	ports_start(512, 32, 0);
	pairs_bind();
	fixture.sent = 0;
	polls(100, operation_plain);
	assert_true(moved() > 0);
	finish();
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

	ports_start(512, 32, 0);
	polls(8, operation_plain);
	pairs_bind();
	pair = fixture.pair[0];
	sent = pair->tx.ops->sent(&pair->tx);
	if (sent.stride != sizeof(void *) || sent.n != 32 || fixture.mlx5) {
		finish();
		return;
	}
	sent.stride = 2 * sizeof(void *);
	assert_true(pair->rx.ops->arm(&pair->rx, &sent, false));
	pair->tx.ops->taken(&pair->tx, &sent);
	fixture.pair[0] = fixture.pair[1] = NULL;
	polls(200, operation_plain);
	r = reports();
	assert_true(r.duplicated + r.armed_twice + r.armed_in_tx > 0);
	assert_int_equal(rte_eth_dev_stop(0) + rte_eth_dev_stop(1), 0);
}

/* Every pair but those with a simple transmit function has loops of its own, of two drivers too. */
static void
compiled(void **state)
{
	static const enum recycle_mode modes[] = { RECYCLE_RING, RECYCLE_CACHE };

	ports_start(512, 32, 0);
	for (size_t k = 0; k < ARRAY_SIZE(modes); k++) {
		assert_true(pairs_bind_by(modes[k]));
		for (uint16_t p = 0; p < PORTS; p++) {
			struct recycle *pair = fixture.pair[p];
			bool simple = strstr(pair->tx.path, "imple") != NULL; /* or Simple */

			assert_ptr_equal(pair_compiled(&pair->rx, &pair->tx, modes[k]),
				simple ? NULL : pair->run);
			recycle_unbind(pair);
			fixture.pair[p] = NULL;
		}
	}
	pairs_bind();
	polls(10, operation_plain);
	finish();
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

	ports_start(512, 32, 0);
	polls(20, operation_plain);
	assert_true(pairs_bind_by(RECYCLE_CACHE));
	rte_mempool_cache_flush(cache, operations.pool);
	before = cache->len;
	room = fixture.pair[0]->rx.ops->room(&fixture.pair[0]->rx);
	n = recycle_run(fixture.pair[0]);
	assert_true(n > 0);
	assert_int_equal(cache->len, before + n);
	assert_int_equal(fixture.pair[0]->rx.ops->room(&fixture.pair[0]->rx), room);
	assert_int_equal(rte_pktmbuf_alloc_bulk(operations.pool, filling, ARRAY_SIZE(filling)), 0);
	for (n = 0; n < ARRAY_SIZE(filling) && cache->len < cache->flushthresh; n++)
		rte_pktmbuf_free(filling[n]);
	assert_int_equal(recycle_run(fixture.pair[1]), 0);
	assert_int_equal(cache->len, cache->flushthresh);
	rte_pktmbuf_free_bulk(filling + n, ARRAY_SIZE(filling) - n);
	polls(100, operation_plain);
	finish();
}

/* A pool without caches has nothing for these modes to go through. */
static void
cache_absent(void **state)
{
	struct rte_mempool *pool = operations.pool;
	struct err e;

	operations.pool = rte_pktmbuf_pool_create("bare", OPERATIONS_MBUFS, 0, 0,
		RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	assert_non_null(operations.pool);
	ports_start(256, 32, 0);
	assert_null(pair_bind(0, RECYCLE_CACHE, &e));
	assert_string_equal(e.text, "port 0: pool bare has no cache to go through");
	assert_null(pair_bind(0, RECYCLE_ZC_CACHE, &e));
	assert_string_equal(e.text, "port 0: pool bare has no cache to go through");
	pairs_bind();
	polls(100, operation_plain);
	assert_true(moved() > 0);
	finish();
	/* Its mbufs are nobody's now; the ports' old queues may still name it. */
	operations.pool = pool;
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
	struct err e;

	ports_start(256, 32, 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		err_clear(&e);
		assert_null(recycle_bind(&rows[i].ends, RECYCLE_RING, NULL, &e));
		assert_int_equal(e.code, rows[i].code);
		assert_string_equal(e.text, rows[i].says);
	}
	pairs_bind();
	polls(10, operation_plain);
	finish();
}

int
main(void)
{
	static unsigned int cached = 64, alone;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_deed),
		cmocka_unit_test(asked_at_once),
		cmocka_unit_test(rings),
		cmocka_unit_test(bound_late),
		cmocka_unit_test(exhaustion),
		cmocka_unit_test(restart),
		cmocka_unit_test(compiled),
		cmocka_unit_test(cache_keeps),
		cmocka_unit_test(cache_absent),
		cmocka_unit_test(refusals),
		cmocka_unit_test_prestate_setup_teardown(blocks_side_by_side, blocks_setup,
			blocks_teardown, &alone),
		cmocka_unit_test_prestate_setup_teardown(blocks_each_deed, blocks_setup,
			blocks_teardown, &alone),
		cmocka_unit_test_prestate_setup_teardown(blocks_each_deed, blocks_setup,
			blocks_teardown, &cached),
		cmocka_unit_test_prestate_setup_teardown(rings, blocks_setup, blocks_teardown,
			&alone),
		cmocka_unit_test_prestate_setup_teardown(exhaustion, blocks_setup, blocks_teardown,
			&alone),
		cmocka_unit_test(blocks_refused),
		cmocka_unit_test(wrong_stride_is_seen),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
