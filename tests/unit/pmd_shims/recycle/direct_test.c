/* Forwarding without mbufs on two modelled or mock NICs, alone and in turns with the drivers' own functions and
 * with recycling: every packet whole, each buffer in one place, the drivers' counters exact. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/direct/direct.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/direct_state.h"
#include "fixtures/recycle_ports.h"
#include "fixtures/seed.h"
#include "fixtures/unit.h"
#include "pmd_shims/recycle/intel/intel_rows.h"
#include "pmd_shims/recycle/mlx5/mlx5.h"

#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_version.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BURST = 32, TURNS = 1500, SEEDS = 60, RESTARTS = 200 };

static struct {
	struct direct *of[RECYCLE_PORTS]; /* by receiving port */
	counter topped_up, freed;
	uint64_t received, bytes;
	bool slots, hide_byte_mask;
	uint64_t bound;                   /* bursts with mbufs bound to slots */
	uint64_t bad_keys[RECYCLE_PORTS]; /* made by a test */
	uint64_t by_mbufs;                /* bursts that were left to the drivers' functions */
	/* since both_bind(), by whatever function; and the queues' own counters then */
	struct direct_traffic traffic[RECYCLE_PORTS], begun[RECYCLE_PORTS];
} direct;

/* In place of DPDK's: the release that the layouts are looked up for. */
static char release[32];

const char *
rte_version(void)
{
	if (release[0] == '\0')
		snprintf(release, sizeof(release), "DPDK %u.%02u.%u", SHIM_BUILT >> 16U,
			SHIM_BUILT >> 8U & 0xffU, SHIM_BUILT & 0xffU);
	return release;
}

static struct direct *
bound(uint16_t rx_port, struct err *e)
{
	const struct recycle_ends ends = { rx_port, 0, 1 - rx_port, 0 };
	const struct direct_count count = { &direct.topped_up, &direct.freed };

	err_clear(e);
	if (direct.hide_byte_mask)
		*(uint32_t *)shim_at(rte_eth_fp_ops[rx_port].rxq.data[0],
			MLX5_RX_BUILT->byte_mask) = 0;
	return direct_bind(&ends, direct.slots, &count, e);
}

static void
both_bind(void)
{
	struct err e;

	for (uint16_t p = 0; p < RECYCLE_PORTS; p++) {
		direct.of[p] = bound(p, &e);
		assert_string_equal(e.text, "");
		assert_non_null(direct.of[p]);
		direct.traffic[p] = (struct direct_traffic){ 0 };
		if (recycle_ports.is_mlx5[p])
			direct.begun[p] = direct_state_traffic(p);
	}
}

/* Packets received from port were sent on the other one. */
static void
traffic_count(uint16_t port, uint16_t received, uint16_t sent)
{
	recycle_ports.sent += sent;
	direct.traffic[port].rx += received;
	direct.traffic[1 - port].tx += sent;
}

static void
both_unbind(void)
{
	for (uint16_t p = 0; p < RECYCLE_PORTS; p++) {
		const bool begun = direct.of[p]->begun;

		direct_pause(direct.of[p]);
		if (begun && rte_mempool_avail_count(operations.pool) > 64)
			assert_int_equal(direct.of[p]->rx_ops->open(direct.of[p]), 0);
		direct_unbind(direct.of[p]);
		direct.of[p] = NULL;
	}
}

static void
state_check(uint16_t port)
{
	direct_state_check(direct.of[port]);
	for (uint16_t p = 0; p < RECYCLE_PORTS; p++)
		if (recycle_ports.is_mlx5[p]) {
			const struct direct_traffic now = direct_state_traffic(p),
						    *then = &direct.begun[p];

			assert_int_equal(now.rx - then->rx, direct.traffic[p].rx);
			assert_int_equal(now.tx - then->tx, direct.traffic[p].tx);
		}
}

static void
ports_finish(void)
{
	for (uint16_t p = 0; p < RECYCLE_PORTS; p++)
		if (recycle_ports.is_mlx5[p])
			direct_state_faults(p, direct.bad_keys[p]);
	recycle_ports_finish();
}

/* One burst by the drivers' functions. */
static uint16_t
plain_poll(uint16_t port)
{
	struct rte_mbuf *pkts[BURST];
	const uint16_t n = rte_eth_rx_burst(port, 0, pkts, BURST),
		       sent = rte_eth_tx_burst(1 - port, 0, pkts, n);

	traffic_count(port, n, sent);
	rte_pktmbuf_free_bulk(pkts + sent, n - sent);
	return n;
}

static void
direct_poll(uint16_t port, uint16_t max)
{
	struct direct_pkt pkts[BURST];
	struct direct *d = direct.of[port];
	uint16_t n;

	if (!direct_usable(d)) {
		direct_pause(d);
		direct.by_mbufs += plain_poll(port) > 0;
		state_check(port);
		return;
	}
	n = direct_receive(d, pkts, max);
	assert_true(n <= max);
	assert_int_equal(d->sent.n % d->batch, 0);
	if (n > 0 && d->any_bad)
		n = direct_drop_bad(d, pkts, n);
	for (uint16_t i = 0; i < n; i++)
		direct.bytes += pkts[i].length;
	direct.bound += d->slots.on && n > 0;
	direct_send(d, pkts, n);
	direct.received += n;
	traffic_count(port, n, n);
	state_check(port);
}

static void
law(void)
{
	const struct model_nic_report r = recycle_ports_reports();

	assert_int_equal(r.corrupted + r.foreign + r.duplicated + r.reordered, 0);
	assert_int_equal(r.armed_twice, 0);
	assert_int_equal(r.armed_in_tx, 0);
	assert_int_equal(r.sent_while_armed, 0);
}

static void
direct_turns(unsigned int n)
{
	while (n-- > 0) {
		for (uint16_t p = 0; p < RECYCLE_PORTS; p++)
			direct_poll(p, BURST);
		recycle_ports.model.step();
		law();
	}
}

static void
each_ring(void **state)
{
	static const struct {
		uint16_t ring, rs;
	} rings[] = { { 64, 32 }, { 128, 32 }, { 256, 32 }, { 1024, 64 }, { 2048, 32 } };

	for (size_t i = 0; i < ARRAY_SIZE(rings); i++) {
		if (rings[i].rs > recycle_ports.rs_max || rings[i].ring <= recycle_ports.least)
			continue;
		recycle_ports_start(rings[i].ring, rings[i].rs, RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE);
		both_bind();
		direct.received = direct.bytes = 0;
		direct.bound = 0;
		direct_turns(400);
		print_message("# rings of %u, %u: %" PRIu64 " packets, %" PRIu64
			      " bursts with bound mbufs\n",
			rings[i].ring, rings[i].rs, direct.received, direct.bound);
		assert_true(!direct.slots || rings[i].ring < 256 || direct.bound > 600);
		assert_true(direct.received > 400 * RECYCLE_PORTS * 8u);
		assert_int_equal(direct.bytes, direct.received * OPERATIONS_SNAP);
		both_unbind();
		ports_finish();
	}
}

/* Sent mbufs come back to the Rx ring: after the first rounds the pool is not used. */
static void
no_pool(void **state)
{
	uint64_t topped_up, freed;

	recycle_ports_start(512, 32, 0);
	both_bind();
	direct_turns(100);
	topped_up = counter_read(&direct.topped_up);
	freed = counter_read(&direct.freed);
	direct_turns(500);
	assert_int_equal(counter_read(&direct.topped_up), topped_up);
	assert_int_equal(counter_read(&direct.freed), freed);
	both_unbind();
	ports_finish();
}

/* Descriptors that the NIC can still fill. */
static uint16_t
rx_fillable(const struct shim_rx *rx)
{
	/* Intel's NICs never fill the last one. */
	return recycle_ports.is_mlx5[rx->port] ? mlx5_rx_armed(rx->rxq, MLX5_RX_BUILT)
					       : rx->size - 1 -
			shim_u16(rx->rxq, ((const struct intel_rx_layout *)rx->layout)->rearm_n);
}

static void
mbuf_mark(struct rte_mempool *mp, void *unused, void *mbuf, unsigned int i)
{
	struct rte_mbuf *m = mbuf;

	m->hash.usr = 4711;
	m->pkt_len = 4712;
}

static void
mbuf_marked(struct rte_mempool *mp, void *unused, void *mbuf, unsigned int i)
{
	const struct rte_mbuf *m = mbuf;

	assert_true(m->hash.usr == 4711 && m->pkt_len == 4712);
}

/* No mbuf is read or written: what is in it remains. */
static void
no_mbuf(void **state)
{
	recycle_ports_start(512, 32, 0);
	both_bind();
	direct_turns(100);
	rte_mempool_obj_iter(operations.pool, mbuf_mark, NULL);
	direct_turns(100);
	rte_mempool_obj_iter(operations.pool, mbuf_marked, NULL);
	both_unbind();
	ports_finish();
}

/* A Tx ring that is not emptied: nothing is lost or dropped, and it goes on. */
static void
full_tx_ring(void **state)
{
	recycle_ports.tx_ring = direct.slots ? 0 : 128;
	recycle_ports_start(512, 32, 0);
	recycle_ports.tx_ring = 0;
	both_bind();
	for (unsigned int round = 0; round < 50; round++) {
		for (unsigned int i = 0; i < 20; i++)
			recycle_ports.model.step();
		for (unsigned int i = 0; i < 40; i++)
			for (uint16_t p = 0; p < RECYCLE_PORTS; p++)
				direct_poll(p, BURST);
		/* What comes next finds armed mbufs although none comes back. */
		for (uint16_t p = 0; p < RECYCLE_PORTS; p++)
			assert_true(direct.of[p]->rx_ops->open(direct.of[p]) <
				direct.of[p]->from.size / 2);
		direct_turns(3);
	}
	both_unbind();
	ports_finish();
}

/* Take all mbufs out of the pool, and those that were sent out of a Tx ring. */
static void
hoard(const struct shim_tx *tx)
{
	struct rte_mbuf **mbufs = operations.hoard;
	struct shim_mbufs sent;

	while ((sent = tx->ops->sent(tx)).n > 0) {
		for (uint16_t i = 0; i < sent.n; i++)
			mbufs[operations.n_hoard++] = shim_mbuf(&sent, i);
		tx->ops->taken(tx, &sent);
	}
	while (rte_mempool_get(operations.pool, (void **)&mbufs[operations.n_hoard]) == 0)
		operations.n_hoard++;
}

static void
hoard_return(void)
{
	rte_mempool_put_bulk(operations.pool, (void **)operations.hoard, operations.n_hoard);
	operations.n_hoard = 0;
}

/*
 * No mbufs come back, so the Rx ring runs dry. Its descriptors still look done, but nothing is
 * received twice. Then it goes on.
 */
static void
dry_rx_ring(void **state)
{
	recycle_ports_start(128, 32, 0);
	both_bind();
	for (unsigned int round = 0; round < 5; round++) {
		direct_turns(20);
		for (unsigned int i = 0; i < 30; i++) {
			for (uint16_t p = 0; p < RECYCLE_PORTS; p++) {
				hoard(&direct.of[p]->to);
				direct_poll(p, BURST);
			}
			recycle_ports.model.step();
			law();
		}
		for (uint16_t p = 0; p < RECYCLE_PORTS; p++)
			assert_int_equal(rx_fillable(&direct.of[p]->from), 0);
		hoard_return();
	}
	both_unbind();
	ports_finish();
}

/* The Rx ring has run dry, and the drivers' functions go on, with an empty pool and with a full one. */
static void
mbufs_after_dry(void **state)
{
	recycle_ports_start(256, 32, 0);
	for (unsigned int round = 0; round < 20; round++) {
		both_bind();
		direct_turns(20);
		for (unsigned int i = 0; i < 30; i++)
			for (uint16_t p = 0; p < RECYCLE_PORTS; p++) {
				hoard(&direct.of[p]->to);
				direct_poll(p, (uint16_t)(1 + (round + i) % BURST));
				recycle_ports.model.step();
			}
		if (round % 2 == 0)
			hoard_return();
		both_unbind();
		for (unsigned int i = 0; i < 20; i++) {
			for (uint16_t p = 0; p < RECYCLE_PORTS; p++)
				plain_poll(p);
			recycle_ports.model.step();
			law();
			if (i == 3)
				hoard_return();
		}
	}
	ports_finish();
}

/* Another engine has left a full Tx ring and a full Rx ring: packets flow again. */
static void
after_full_rings(void **state)
{
	recycle_ports.tx_ring = 128;
	recycle_ports_start(512, 32, 0);
	recycle_ports.tx_ring = 0;
	for (unsigned int i = 0; i < 20; i++)
		recycle_ports.model.step();
	for (uint16_t p = 0; p < RECYCLE_PORTS; p++)
		while (plain_poll(p) > 0)
			;
	for (unsigned int i = 0; i < 20; i++)
		recycle_ports.model.step();
	both_bind();
	direct.received = 0;
	direct_turns(40);
	assert_true(direct.received > 40 * RECYCLE_PORTS * 16u);
	both_unbind();
	ports_finish();
}

/* Ports stop and start, with another way to forward each time. */
static void
restarts(void **state)
{
	static const char *const ways[] = { "direct", "io", "recycle" };
	struct err e;

	for (unsigned int i = 0; i < RESTARTS; i++) {
		const char *way = ways[i % ARRAY_SIZE(ways)];

		recycle_ports_start(128 << i % 3, 32, 0);
		if (strcmp(way, "direct") == 0) {
			both_bind();
			direct_turns(20);
			both_unbind();
		} else {
			/* Pairs with batches of 64 and 32 cannot recycle. */
			for (uint16_t p = 0; p < RECYCLE_PORTS && strcmp(way, "recycle") == 0; p++)
				recycle_ports.pair[p] = recycle_ports_pair(p, RECYCLE_RING, &e);
			recycle_ports_poll(20, operation_plain);
		}
		ports_finish();
	}
}

/* In an order that a seed gives. */
static struct world {
	uint64_t seed, random;
	bool running, fast_free;
	uint16_t ring;
} w;

static uint32_t
dice(uint32_t sides)
{
	return seed_dice(&w.random, sides);
}

/* The queues' own functions, as an engine with mbufs does; packets may be held or replaced. */
static void
mbufs_poll(uint16_t port)
{
	static operation *const done[] = { operation_plain, operation_shared,
		operation_from_another_pool, operation_cloned, operation_external };
	/* The mock NIC of mlx5 has no keys for external memory. */
	const uint32_t n_done = ARRAY_SIZE(done) - recycle_ports.mlx5;
	struct rte_mbuf *pkts[BURST];
	const uint16_t received = rte_eth_rx_burst(port, 0, pkts, BURST);
	uint16_t n = received, sent;

	for (uint16_t i = 0; i < n; i++)
		pkts[i] = operations_do(
			done[w.fast_free && recycle_ports.fast_free ? 0 : dice(n_done)], pkts[i]);
	/* Drops, so that the two rings are not at the same slot. */
	while (n > 0 && dice(8) == 0)
		rte_pktmbuf_free(pkts[--n]);
	sent = rte_eth_tx_burst(1 - port, 0, pkts, n);
	traffic_count(port, received, sent);
	rte_pktmbuf_free_bulk(pkts + sent, n - sent);
}

static void
recycle_poll(uint16_t port)
{
	struct err e;
	struct recycle *pair = recycle_ports_pair(port, RECYCLE_RING, &e);

	if (pair != NULL)
		recycle_run(pair);
	recycle_unbind(pair);
	mbufs_poll(port);
}

static void
turn(void)
{
	const uint16_t port = (uint16_t)dice(RECYCLE_PORTS);
	/* Ways stay for a while, so that what one left is used up by the next. */
	static unsigned int way[RECYCLE_PORTS];

	if (dice(20) == 0)
		way[port] = dice(4);
	switch (dice(3)) {
	case 0: recycle_ports.model.step(); break;
	default:
		if (way[port] < 2)
			direct_pause(direct.of[port]);
		if (way[port] == 0) {
			mbufs_poll(port);
		} else if (way[port] == 1) {
			recycle_poll(port);
		} else {
			if (dice(30) == 0)
				direct.of[port]->slots.until_try = 0;
			direct_poll(port, (uint16_t)(1 + dice(BURST)));
		}
		break;
	}
	law();
}

static void
run_seed(uint64_t seed)
{
	static const uint16_t rings[] = { 128, 256, 512 };

	memset(&w, 0, sizeof(w));
	w.seed = w.random = seed;
	w.ring = rings[dice(ARRAY_SIZE(rings))];
	w.fast_free = dice(3) == 0;
	w.running = true;
	recycle_ports_start(w.ring, 32, w.fast_free ? RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE : 0);
	both_bind();
	for (unsigned int i = 0; i < TURNS; i++)
		turn();
	for (unsigned int i = 0; i < 50; i++)
		recycle_ports.model.step();
	both_unbind();
	ports_finish();
	w.running = false;
}

static void
turns(void **state)
{
	const uint64_t n = seed_count(SEEDS), before = direct.received;

	direct.bound = 0;
	for (uint64_t i = 0; i < n; i++)
		run_seed(test_seed + i);
	assert_true(direct.received - before > n * TURNS);
	print_message("# %" PRIu64 " bursts with bound mbufs\n", direct.bound);
	assert_true(!direct.slots || direct.bound > n * 20);
}

static int
told(void **state)
{
	if (w.running)
		print_message("# red: ZCFWD_TEST_SEED=%" PRIu64
			      " ZCFWD_TEST_SEEDS=1: rings of %u%s\n",
			w.seed, w.ring, w.fast_free ? ", fast free" : "");
	return 0;
}

static void
refused(const char *reason)
{
	struct err e;

	assert_null(bound(0, &e));
	if (strstr(e.text, reason) == NULL)
		fail_msg("\"%s\": expected \"%s\"", e.text, reason);
	assert_int_equal(e.code, ENOTSUP);
}

/* Ports that are started for a refusal and stop without a packet. */
static void
ports_stop(void)
{
	for (uint16_t p = 0; p < RECYCLE_PORTS; p++)
		assert_int_equal(rte_eth_dev_stop(p), 0);
	assert_int_equal(rte_mempool_in_use_count(operations.pool), 0);
}

static uint16_t
observe(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, uint16_t max,
	void *unused)
{
	return n;
}

static void
refusals(void **state)
{
	const struct rte_eth_rxtx_callback *callback;

	recycle_ports_start(512, 32, RTE_ETH_TX_OFFLOAD_VLAN_INSERT);
	refused("Tx offload VLAN_INSERT needs mbufs");
	ports_stop();

	recycle_ports_start(512, 32, 0);
	callback = rte_eth_add_rx_callback(0, 0, observe, NULL);
	refused("need mbufs: end them first");
	assert_int_equal(rte_eth_remove_rx_callback(0, 0, callback), 0);
	rte_free((void *)(uintptr_t)callback);
	snprintf(release, sizeof(release), "DPDK 99.11.0");
	refused("unknown queue layout");
	snprintf(release, sizeof(release), "DPDK %u.%02u.%u", SHIM_BUILT >> 16U,
		SHIM_BUILT >> 8U & 0xffU, (SHIM_BUILT & 0xffU) + 1);
	refused("were not run");
	release[0] = '\0';
	both_bind();
	both_unbind();
	ports_stop();
}

/* A pool whose IOVAs do not follow from addresses, and one whose buffers are elsewhere. */
static void
pools(void **state)
{
	enum { MBUFS = 1024, PAGE = 4096, CHUNK = MBUFS * 4096 };
	struct rte_mempool *usual = operations.pool, *mp;
	char *memory = rte_zmalloc("chunks", 2 * CHUNK, PAGE);
	struct rte_pktmbuf_extmem ext = { .buf_ptr = memory,
		.buf_iova = (uintptr_t)memory,
		.buf_len = CHUNK,
		.elt_size = 2176 };

	assert_non_null(memory);
	mp = rte_mempool_create_empty("chunks", MBUFS,
		sizeof(struct rte_mbuf) + RTE_MBUF_DEFAULT_BUF_SIZE, 0,
		sizeof(struct rte_pktmbuf_pool_private), SOCKET_ID_ANY, 0);
	assert_non_null(mp);
	rte_pktmbuf_pool_init(mp, NULL);
	assert_true(rte_mempool_populate_iova(mp, memory, (uintptr_t)memory, CHUNK / 4, NULL,
			    NULL) > 0);
	assert_true(rte_mempool_populate_iova(mp, memory + CHUNK, (uintptr_t)memory + 2 * CHUNK,
			    CHUNK, NULL, NULL) > 0);
	rte_mempool_obj_iter(mp, rte_pktmbuf_init, NULL);
	operations.pool = mp;
	recycle_ports_start(128, 32, 0);
	refused(recycle_ports.is_mlx5[0] ? "lie in 2 memory regions"
					 : "do not follow from their addresses");
	ports_stop();
	operations.pool = usual;
	recycle_ports_start(128, 32, 0);
	ports_stop();
	rte_mempool_free(mp);

	mp = rte_pktmbuf_pool_create_extbuf("pinned", MBUFS, 0, 0, 2176, SOCKET_ID_ANY, &ext, 1);
	assert_non_null(mp);
	operations.pool = mp;
	recycle_ports_start(128, 32, 0);
	refused("outside of its mbufs");
	ports_stop();
	operations.pool = usual;
	recycle_ports_start(128, 32, 0);
	ports_stop();
	rte_mempool_free(mp);
	rte_free(memory);
}

/* The first mlx5 port, and the binding that sends on it. */
static struct direct *
mlx5_sender(void)
{
	const uint16_t port = recycle_ports.is_mlx5[0] ? 0 : 1;

	return direct.of[1 - port];
}

/* Some turns, in which at least one burst was left to the drivers' functions, but not all. */
static void
some_by_mbufs(void)
{
	const uint64_t by_mbufs = direct.by_mbufs, received = direct.received;

	direct_turns(50);
	assert_true(direct.by_mbufs > by_mbufs);
	assert_true(direct.received > received + 25 * RECYCLE_PORTS * 8u);
}

/* mlx5's functions look up the keys of memory again if any region was removed. */
static void
mlx5_keys(void **state)
{
	const struct mlx5_tx_layout *l = MLX5_TX_BUILT;

	recycle_ports_start(256, 32, 0);
	both_bind();
	some_by_mbufs();
	for (unsigned int i = 0; i < 20; i++) {
		(*(uint32_t *)shim_pointer(mlx5_sender()->to.txq, l->newest))++;
		some_by_mbufs();
	}
	both_unbind();
	ports_finish();
}

/* No mbuf is armed after the driver has found a buffer in another region; its functions go on. */
static void
mlx5_regions(void **state)
{
	struct direct *d;
	uint16_t *keys;

	recycle_ports_start(256, 32, 0);
	both_bind();
	direct_turns(50);
	d = direct.of[recycle_ports.is_mlx5[0] ? 0 : 1];
	keys = shim_at(d->from.rxq, MLX5_RX_BUILT->keys);
	assert_true(direct_usable(d));
	*keys += 1;
	assert_false(direct_usable(d));
	direct_pause(d);
	assert_int_equal(d->rx_ops->open(d), 0);
	*keys -= 1;
	assert_true(direct_usable(d));
	both_unbind();
	ports_finish();
}

/* Returns the blocks that n packets take. packets: maximum packets of an element. */
static uint16_t
blocks_of(uint16_t n, uint16_t packets)
{
	uint16_t blocks = 0;

	for (; n > 0; n -= RTE_MIN(n, packets))
		blocks += (2 + RTE_MIN(n, packets) + 3) / 4;
	return blocks;
}

/* There is room for as many packets as there are free blocks for, and no more. */
static void
mlx5_blocks(void **state)
{
	const struct mlx5_tx_layout *l = MLX5_TX_BUILT;
	uint16_t *freed, packets, n = 0;
	struct direct *d;

	recycle_ports_start(256, 32, 0);
	both_bind();
	d = mlx5_sender();
	packets = strstr(d->to.path, "Enhanced") != NULL ? 32 : 1;
	freed = shim_at(d->to.txq, l->freed_wqe);
	for (uint16_t blocks = 0; blocks <= 60; blocks++) {
		*freed = shim_u16(d->to.txq, l->wqe_next) + blocks -
			shim_u16(d->to.txq, l->wqe_size);
		while (blocks_of(n + 1, packets) <= blocks)
			n++;
		d->tx_ops->begin(d);
		assert_int_equal(d->room, RTE_MIN(n, 256));
	}
	*freed = shim_u16(d->to.txq, l->wqe_next);
	both_unbind();
	ports_stop();
}

/* An element that is in error: mlx5's function makes the queue ready again. */
static void
mlx5_tx_error(void **state)
{
	const struct mlx5_tx_layout *l = MLX5_TX_BUILT;

	recycle_ports_start(256, 32, 0);
	both_bind();
	direct_turns(50);
	for (unsigned int i = 0; i < 20; i++) {
		struct direct *d = mlx5_sender();
		const uint16_t before = shim_u16(d->to.txq, l->wqe_next);
		char *element = (char *)shim_pointer(d->to.txq, l->wqes) +
			(before & shim_u16(d->to.txq, l->wqe_mask)) * 64;

		direct_poll(d->from.port, BURST);
		assert_int_not_equal(shim_u16(d->to.txq, l->wqe_next), before);
		/* The key of its first packet. */
		*(uint32_t *)(void *)(element + 2 * 16 + 4) = 0;
		direct.bad_keys[d->to.port]++;
		some_by_mbufs();
	}
	both_unbind();
	ports_finish();
}

/* Completions are refused if they may be compressed, and left to mlx5's function if they are. */
static void
mlx5_compressed(void **state)
{
	recycle_ports_start(256, 32, 0);
	refused("rxq_cqe_comp_en=0");
	ports_stop();
	direct.hide_byte_mask = true;
	direct.by_mbufs = direct.received = 0;
	for (uint64_t i = 0; i < seed_count(SEEDS); i++)
		run_seed(test_seed + i);
	assert_true(direct.by_mbufs > 0 && direct.received > 0);
}

static int
with_slots(void **state)
{
	direct.slots = true;
	return 0;
}

/* A test with each mbuf bound to a slot of both rings. */
#define WITH_SLOTS(f) \
	{ \
		"slots: " #f, f, with_slots, told, NULL \
	}

int
main(void)
{
	/* Those of compressed completions, of mlx5, of all drivers, of Intel's. */
	enum { COMPRESSED = 1, MLX5 = 4, SLOTS = 7 };
	const struct CMUnitTest tests[] = { cmocka_unit_test_teardown(mlx5_compressed, told),
		cmocka_unit_test(mlx5_blocks), cmocka_unit_test(mlx5_regions),
		cmocka_unit_test(mlx5_keys), cmocka_unit_test(mlx5_tx_error),
		cmocka_unit_test(each_ring), cmocka_unit_test(no_pool), cmocka_unit_test(no_mbuf),
		cmocka_unit_test(full_tx_ring), cmocka_unit_test(dry_rx_ring),
		cmocka_unit_test(mbufs_after_dry), cmocka_unit_test(after_full_rings),
		cmocka_unit_test(restarts), cmocka_unit_test_teardown(turns, told),
		cmocka_unit_test(refusals), cmocka_unit_test(pools), WITH_SLOTS(each_ring),
		WITH_SLOTS(no_pool), WITH_SLOTS(no_mbuf), WITH_SLOTS(full_tx_ring),
		WITH_SLOTS(after_full_rings), WITH_SLOTS(restarts), WITH_SLOTS(turns) };
	size_t first = COMPRESSED + MLX5, n = ARRAY_SIZE(tests) - first;

	if (recycle_ports_setup(NULL) != 0)
		return 1;
	if (!recycle_ports_try())
		return 0;
	if (recycle_ports.mlx5) {
		first = COMPRESSED;
		n = ARRAY_SIZE(tests) - COMPRESSED - SLOTS;
		if (strstr(getenv("MOCK_PORT"), "zip=") != NULL)
			first = 0, n = COMPRESSED;
	}
	return _cmocka_run_group_tests("tests", tests + first, n, NULL, recycle_ports_teardown);
}
