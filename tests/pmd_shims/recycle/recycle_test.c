/* Recycling on NICs and virtio that move when told to: what may not be armed never is, whatever packets the
 * application sends, and whichever pairs and queues are set up anew. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "compat.h"
#include "fixtures/recycle_operations.h"
#include "fixtures/rig.h"
#include "fixtures/skip.h"
#include "fixtures/unit.h"
#include "pmd_shims/recycle/mlx5/mlx5.h"
#include "pmd_shims/recycle/pair.h"
#include "pmd_shims/recycle/pair_compiled.h"
#include "pmd_shims/recycle/shim.h"
#include "pmd_shims/rx_call.h"

#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_version.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { POLLS = 3000 };
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
	const bool mlx5 = strstr(path, "mlx5") != NULL, simple = strstr(path, " Simple") != NULL;
	const uint32_t since = simple ? RTE_VERSION_NUM(26, 3, 0, 0) : RTE_VERSION_NUM(25, 3, 0, 0);
	const bool bare = strstr(path, "net_ixgbe") == NULL &&
		(strstr(path, " AVX512") != NULL || (RTE_VERSION >= since && !mlx5));

	if (!fast || mode == ZCFWD_RECYCLE_MODE_RING)
		return false;
	if (mlx5)
		return !segments;
	return bare;
}

/* How many of the sent mbufs pairs armed. */
static void
assert_moved(const struct deed *deed, bool segments)
{
	const uint64_t moved = rig_moved();

	if (rig.path == NULL)
		assert_true(moved > rig.sent * (rig.mlx5 ? 1 : 3) / 4);
	/* Of packed rings 32 descriptors are taken at a time: too few packets. */
	else if (!segments || strstr(rig.path->devargs[1], "packed_vq") == NULL)
		assert_true(moved > rig.sent / (rig.path->one_way ? 4 : 2));
	/* Nothing but the load of a machine makes a driver come first: all but two batches a port. */
	if (deed->done == operation_plain && rig.path == NULL && !rig.mlx5)
		assert_in_range(rig.sent - moved, 0, RIG_PORTS * 2 * rig.least);
}

/* One deed in one mode; the two directions of a mixed pair of ports are of different functions. */
static void
deed_do(const struct deed *deed, enum zcfwd_recycle_mode mode, uint64_t offloads)
{
	const bool fast = (offloads & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0,
		   segments = operations.segments > 1;
	const struct recycle_count *c;
	bool gains = true;

	rig_start(512, 32, offloads);
	for (uint16_t p = 0; p < RIG_PORTS; p++) {
		char path[SHIM_PATH];

		shim_path(p, 0, false, path);
		gains = gains &&
			!nothing_to_gain(path, mode,
				fast && (rig.offloads[p] & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0,
				segments);
	}
	assert_int_equal(rig_bind_by(mode), gains);
	if (!gains) {
		rig_stop();
		return;
	}
	rig_poll(segments ? POLLS / 4 : POLLS, deed->done);
	c = recycle_count(rig.pair[0]);
	print_message("# %s, of up to %u segments, fast free %u, mode %s: %llu moved of %llu\n",
		deed->name, RTE_MAX(operations.segments, 1u), fast, mode_names[mode],
		(unsigned long long)rig_moved(), (unsigned long long)rig.sent);
	assert_moved(deed, segments);
	assert_int_equal(shim_counted(&c->shared) > 0, deed->shares);
	assert_int_equal(shim_counted(&c->foreign) > 0, deed->foreign);
	/* On virtio further segments take the place of what cannot be armed. */
	if (rig.path == NULL || !segments)
		assert_int_equal(shim_counted(&c->topped_up) > 0,
			deed->tops && mode != ZCFWD_RECYCLE_MODE_CACHE);
	rig_finish();
}

/*
 * Deeds without and with fast free, which promises that none of this happens: what is armed is
 * looked at all the same; what goes into the cache alone is believed, as by drivers. mlx5's own
 * function believes it too, so that with fast free it gets plain packets alone.
 */
static void
each_deed(void)
{
	for (size_t i = 0; i < DEEDS; i++)
		for (enum zcfwd_recycle_mode k = ZCFWD_RECYCLE_MODE_RING;
			k <= ZCFWD_RECYCLE_MODE_CACHE; k++) {
			if (rig_sends(&deeds[i]))
				deed_do(&deeds[i], k, 0);
			if (rig.fast_free &&
				(i == 0 || (!rig.mlx5 && k != ZCFWD_RECYCLE_MODE_CACHE)))
				deed_do(&deeds[i], k, RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE);
		}
}

/*
 * Packets of several segments. A transmit function either keeps a slot for each segment, which is
 * then a single mbuf as any other, or it keeps chains and is refused; whatever offloads it has.
 */
static void
segments(void)
{
	const uint64_t offloads[] = { RTE_ETH_TX_OFFLOAD_MULTI_SEGS,
		RTE_ETH_TX_OFFLOAD_MULTI_SEGS | RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE };
	const bool slot_each = rig.all_mlx5 || rig.path != NULL;
	struct zcfwd_recycle_error e;

	if (rig.leaks)
		skip_because("net_ixgbe loses mbufs of several segments when a port stops");
	/* Packed rings lose mbufs. */
	if (rig.path != NULL && !rig.faithful)
		return;
	/* Intel's cards take eight buffers for a packet at most. */
	operations.segments = slot_each ? OPERATIONS_SEGMENTS : 8;
	for (size_t o = 0; o < (rig.path == NULL ? ARRAY_SIZE(offloads) : 1); o++) {
		for (size_t i = 0; i < DEEDS && slot_each; i++)
			for (enum zcfwd_recycle_mode k = ZCFWD_RECYCLE_MODE_RING;
				k <= ZCFWD_RECYCLE_MODE_CACHE; k++)
				if (rig_sends(&deeds[i]))
					deed_do(&deeds[i], k, offloads[o]);
		if (slot_each)
			continue;
		rig_start(512, 32, offloads[o]);
		for (uint16_t p = 0; p < RIG_PORTS; p++) {
			rig.pair[p] = rig_pair(p, ZCFWD_RECYCLE_MODE_RING, &e);
			if (rig.is_mlx5[1 - p]) {
				assert_non_null(rig.pair[p]);
				continue;
			}
			assert_null(rig.pair[p]);
			assert_int_equal(e.code, ENOTSUP);
			assert_non_null(strstr(e.text, "keeps sent mbufs in chains"));
		}
		/* Since 26.07 Intel's functions for chains believe fast free: chains, and no other deed. */
		rig_poll(POLLS / 4,
			(offloads[o] & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0
				? operation_plain
				: operation_anything_of_pools);
		if (rig.mlx5)
			assert_true(rig_moved() > rig.sent / 2 / 4);
		rig_finish();
	}
}

static void
segments_end(void)
{
	operations.segments = 0;
}

/* Who takes more than is refilled at a call is never asked for more than that. */
static void
asked_at_once(void)
{
	struct rte_eth_dev_info info;

	rig_start(512, 32, 0);
	assert_int_equal(rte_eth_dev_info_get(0, &info), 0);
	assert_int_equal(rx_call_max(0, 0),
		strcmp(info.driver_name, "net_i40e") == 0 || rig.ice ||
				strcmp(info.driver_name, "net_iavf") == 0
			? 32
			: UINT16_MAX);
	rig_poll(100, operation_plain);
	rig_finish();
}

/*
 * Bound after the driver freed some batches by itself: what is handed out together may lie around
 * the ring's end.
 */
static void
bound_late(void)
{
	for (unsigned int n = 7; n <= 9; n++) {
		rig_start(128, 32, 0);
		rig_poll(n, operation_plain);
		rig_bind();
		rig_poll(200, operation_plain);
		assert_true(rig_moved() > 0);
		rig_finish();
	}
}

/* A pair of queues that changed moves nothing. */
static void
assert_ended(struct recycle *pair)
{
	assert_false(recycle_stands(pair));
	assert_int_equal(recycle_run(pair), 0);
}

/* A pair whose ports were restarted moves nothing; bound anew it does. */
static void
restart(void)
{
	struct recycle *old;

	rig_start(256, 32, 0);
	rig_bind();
	old = rig.pair[0];
	rig.pair[0] = NULL;
	rig_unbind();
	rig_poll(100, operation_plain);
	rig_restart();
	assert_ended(old);
	rig_bind();
	rig_poll(100, operation_plain);
	assert_true(rig_moved() > 0);
	rig_finish();
	recycle_unbind(old);
}

/*
 * Queues that were set up anew with another pool, other batches or other offloads may lie where the old
 * ones did: the pair ends all the same.
 */
static void
set_up_anew(void)
{
	const struct {
		uint16_t ring, rs;
		uint64_t before, after; /* offloads */
		bool other_pool, skip;
	} rows[] = {
		{ .ring = 256, .rs = 32, .other_pool = true },
		{ .ring = 256, .rs = 64, .skip = rig.rs_max < 64 || rig.mlx5 },
		{ .ring = 256, .rs = 32, .after = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE },
		{ .ring = 256, .rs = 32, .before = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE },
		{ .ring = 512,
			.rs = 32,
			.after = RTE_ETH_TX_OFFLOAD_MULTI_SEGS,
			.skip = rig.leaks },
	};
	struct rte_mempool *const pool = operations.pool;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].skip)
			continue;
		rig_start(256, 32, rows[i].before);
		rig_bind();
		rig_poll(100, operation_plain);
		for (uint16_t p = 0; p < RIG_PORTS; p++)
			assert_int_equal(rte_eth_dev_stop(p), 0);
		assert_ended(rig.pair[0]);
		assert_ended(rig.pair[1]);
		operations.pool = rows[i].other_pool ? operations.foreign : pool;
		rig_start(rows[i].ring, rows[i].rs, rows[i].after);
		assert_ended(rig.pair[0]);
		assert_ended(rig.pair[1]);
		rig_poll(100, operation_plain);
		rig_finish();
		operations.pool = pool;
	}
}

/* Every poll another pair, or none, of the same queues. */
static void
bound_anew(void)
{
	uint64_t sum = 0;

	rig_start(256, 32, 0);
	for (unsigned int round = 0; round < 1000; round++) {
		if (round % 3 != 2)
			rig.pair[0] = rig_pair(0,
				(enum zcfwd_recycle_mode)(ZCFWD_RECYCLE_MODE_RING + round / 3 % 3),
				NULL);
		rig_poll(3, operation_anything_of_pools);
		sum += rig_moved();
		rig_unbind();
	}
	assert_true(sum > 0);
	rig_finish();
}

/*
 * The driver chooses its vector functions of packed rings with AVX-512 alone, or NEON; with narrower
 * vectors such a path is refused.
 */
static void
too_wide(void)
{
	struct zcfwd_recycle_error e;

	rig_start(256, 32, 0);
	assert_null(rig_pair(0, ZCFWD_RECYCLE_MODE_RING, &e));
	assert_non_null(strstr(e.text, "refills its ring while it receives"));
	rig_poll(100, operation_plain);
	rig_finish();
}

/*
 * Upstream's rte_eth_recycle_mbufs() takes entries of 8 bytes for 16, and arms what others hold
 * still. Last: mbufs are in the pool twice then.
 */
static void
wrong_stride_is_seen(void)
{
	const struct recycle *pair;
	struct model_nic_report r;
	struct shim_mbufs sent;
	char path[SHIM_PATH];

	rig_start(512, 32, 0);
	rig_poll(8, operation_plain);
	rig_bind();
	pair = rig.pair[0];
	sent = pair->tx.ops->sent(&pair->tx);
	if (sent.stride != sizeof(void *) || sent.n != 32 || rig.mlx5) {
		snprintf(path, sizeof(path), "%s", pair->tx.path);
		rig_finish();
		skip_because("%s has no batches of 32 entries of 8 bytes", path);
	}
	sent.stride = 2 * sizeof(void *);
	assert_true(pair->rx.ops->arm(&pair->rx, &sent, false));
	pair->tx.ops->taken(&pair->tx, &sent);
	rig.pair[0] = rig.pair[1] = NULL;
	rig_poll(200, operation_plain);
	r = rig_reports();
	assert_true(r.duplicated + r.armed_twice + r.armed_in_tx > 0);
	assert_int_equal(rte_eth_dev_stop(0) + rte_eth_dev_stop(1), 0);
}

/*
 * Every pair but those with a simple transmit function that has entries of its own, as up to 25.11,
 * has loops of its own, of two drivers too.
 */
static void
compiled(void)
{
	static const enum zcfwd_recycle_mode modes[] = { ZCFWD_RECYCLE_MODE_RING,
		ZCFWD_RECYCLE_MODE_CACHE };

	rig_start(512, 32, 0);
	for (size_t k = 0; k < ARRAY_SIZE(modes); k++) {
		assert_true(rig_bind_by(modes[k]));
		for (uint16_t p = 0; p < RIG_PORTS; p++) {
			struct recycle *pair = rig.pair[p];
			bool simple = strstr(pair->tx.path, "imple") != NULL && /* or Simple */
				(RTE_VERSION < RTE_VERSION_NUM(26, 3, 0, 0) ||
					strstr(pair->tx.path, "net_ixgbe") != NULL);

			assert_ptr_equal(pair_compiled(&pair->rx, &pair->tx, modes[k], false),
				simple ? NULL : pair->run);
		}
		rig_unbind();
	}
	rig_bind();
	rig_poll(10, operation_plain);
	rig_finish();
}

/*
 * What was sent lies in the lcore's cache, on top of what it held, and nothing was armed; when the
 * cache is full, it waits where it is.
 */
static void
cache_keeps(void)
{
	struct rte_mempool_cache *cache =
		rte_mempool_default_cache(operations.pool, rte_lcore_id());
	struct rte_mbuf *filling[512];
	unsigned int before;
	uint16_t room, n;

	rig_start(512, 32, 0);
	rig_poll(20, operation_plain);
	assert_true(rig_bind_by(ZCFWD_RECYCLE_MODE_CACHE));
	rte_mempool_cache_flush(cache, operations.pool);
	before = cache->len;
	room = rig.pair[0]->rx.ops->room(&rig.pair[0]->rx, 0);
	n = recycle_run(rig.pair[0]);
	assert_true(n > 0);
	assert_int_equal(cache->len, before + n);
	assert_int_equal(rig.pair[0]->rx.ops->room(&rig.pair[0]->rx, 0), room);
	assert_int_equal(rte_pktmbuf_alloc_bulk(operations.pool, filling, ARRAY_SIZE(filling)), 0);
	for (n = 0; n < ARRAY_SIZE(filling) && cache->len < compat_cache_limit(cache); n++)
		rte_pktmbuf_free(filling[n]);
	assert_int_equal(recycle_run(rig.pair[1]), 0);
	assert_int_equal(cache->len, compat_cache_limit(cache));
	rte_pktmbuf_free_bulk(filling + n, ARRAY_SIZE(filling) - n);
	rig_poll(100, operation_plain);
	rig_finish();
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
strides_refused(void)
{
	static const char *const names[] = { "MPRQ Vector SSE", "Multi-Packet RQ" };
	struct recycle *pair;
	uint32_t *sizes;
	struct zcfwd_recycle_error e;

	rig_start(256, 32, 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char text[192];

		named = names[i];
		snprintf(text, sizeof(text),
			"port 0: mlx5_pci %s: it receives into buffers that several packets share, not into mbufs: use the device argument mprq_en=0",
			names[i]);
		assert_null(rig_pair(0, ZCFWD_RECYCLE_MODE_RING, &e));
		assert_int_equal(e.code, ENOTSUP);
		assert_string_equal(e.text, text);
	}
	named = NULL;
	sizes = shim_at(rte_eth_fp_ops[0].rxq.data[0], MLX5_SIZES);
	*sizes |= MLX5_STRIDES;
	pair = rig_pair(0, ZCFWD_RECYCLE_MODE_RING, &e);
	*sizes &= ~MLX5_STRIDES;
	assert_null(pair);
	assert_string_equal(e.text, "port 0: receive queue 0 is split, striding or in error");
	rig_bind();
	rig_poll(100, operation_plain);
	assert_true(rig_moved() > 0);
	rig_finish();
}

/* mlx5: a region that the driver finds after the pair was bound. The pair moves nothing more and says why. */
static void
late_region(void)
{
	const uint16_t offset = MLX5_RX_BUILT->keys;
	const char *text;
	void *rxq;

	rig_start(256, 32, 0);
	rig_bind();
	rig_poll(100, operation_plain);
	assert_true(rig_moved() > 0);
	assert_int_equal(recycle_reason(rig.pair[0], &text), ZCFWD_RECYCLE_FINE);
	rxq = rte_eth_fp_ops[recycle_ends(rig.pair[0])->rx_port].rxq.data[0];
	shim_u16_set(rxq, offset, shim_u16(rxq, offset) + 1);
	assert_int_equal(recycle_run(rig.pair[0]), 0);
	assert_int_equal(recycle_reason(rig.pair[0], &text), ZCFWD_RECYCLE_POOL);
	assert_string_equal(text, "the driver found a buffer of the pool in another memory region");
	shim_u16_set(rxq, offset, shim_u16(rxq, offset) - 1);
	assert_int_equal(recycle_reason(rig.pair[0], &text), ZCFWD_RECYCLE_FINE);
	rig_poll(100, operation_plain);
	rig_finish();
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
what_holds(void)
{
	struct recycle *pair;

	rig_start(512, 32, 0);
	rig_bind();
	pair = rig.pair[0];
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
	rig_poll(100, operation_plain);
	assert_true(pair_valid(pair));
	rig_finish();
}

/* Queues and ports that are not there, and a port of a driver that nobody knows. */
static void
refusals(void)
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

	rig_start(256, 32, 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		e = (struct zcfwd_recycle_error){ 0 };
		assert_null(recycle_bind(&rows[i].ends, ZCFWD_RECYCLE_MODE_RING, NULL, &e));
		assert_int_equal(e.code, rows[i].code);
		assert_string_equal(e.text, rows[i].says);
	}
	rig_bind();
	rig_poll(10, operation_plain);
	rig_finish();
}

int
main(void)
{
	/* The last one leaves mbufs in the pool twice. */
	static const struct rig_case cases[] = {
		{ "late_region", late_region, RIG_ALL_MLX5, NULL, NULL },
		{ "strides_refused", strides_refused, RIG_ALL_MLX5, NULL, NULL },
		{ "too_wide", too_wide, RIG_TOO_WIDE, NULL, NULL },
		{ "each_deed", each_deed, RIG_EACH, NULL, NULL },
		{ "segments", segments, RIG_EACH, NULL, segments_end },
		{ "asked_at_once", asked_at_once, RIG_NICS, NULL, NULL },
		{ "bound_late", bound_late, RIG_EACH, NULL, NULL },
		{ "bound_anew", bound_anew, RIG_EACH, NULL, NULL },
		{ "restart", restart, RIG_EACH, NULL, NULL },
		{ "set_up_anew", set_up_anew, RIG_NICS, NULL, NULL },
		{ "compiled", compiled, RIG_NICS, NULL, NULL },
		{ "cache_keeps", cache_keeps, RIG_NICS, NULL, NULL },
		{ "what_holds", what_holds, RIG_EACH, NULL, NULL },
		{ "refusals", refusals, RIG_NICS, NULL, NULL },
		{ "wrong_stride_is_seen", wrong_stride_is_seen, RIG_NICS, NULL, NULL },
	};

	return rig_main(cases, ARRAY_SIZE(cases));
}
