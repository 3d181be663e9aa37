/* Forwarding without mbufs on NICs and virtio, alone and in turns with the drivers' own functions and with
 * recycling: every packet whole, each buffer in one place, the drivers' counters exact. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/direct/direct.h"

#include "base/base.h"
#include "fixtures/direct_ports.h"
#include "fixtures/rig.h"
#include "fixtures/unit.h"
#include "pmd_shims/recycle/intel/intel_rows.h"
#include "pmd_shims/recycle/mlx5/mlx5.h"

#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_version.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESTARTS = 200 };

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

static void
each_ring(void)
{
	static const struct {
		uint16_t ring, rs;
		bool virtio;
	} rings[] = { { 64, 32, true }, { 128, 32, true }, { 256, 32, true }, { 1024, 64, true },
		{ 2048, 32, false }, { 4096, 32, true } };

	for (size_t i = 0; i < ARRAY_SIZE(rings); i++) {
		const uint16_t ring = rings[i].ring;

		if (rig.path != NULL ? !rings[i].virtio
				     : rings[i].rs > rig.rs_max || ring > OPERATIONS_MBUFS / 2)
			continue;
		if (ring <= rig.least)
			continue;
		rig_start(ring, rings[i].rs, RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE);
		direct_ports_bind();
		direct_ports.received = direct_ports.bytes = 0;
		direct_ports.bound = 0;
		/* The rings of virtio go round more often. */
		direct_ports_turns(400 + (rig.path != NULL ? 3 * ring : 0));
		print_message("# rings of %u, %u: %" PRIu64 " packets, %" PRIu64
			      " bursts with bound mbufs\n",
			ring, rings[i].rs, direct_ports.received, direct_ports.bound);
		assert_true(!direct_ports.slots || ring < 256 || direct_ports.bound > 600);
		assert_true(direct_ports.received > 400 * 8u * (rig.path == NULL ? RIG_PORTS : 1));
		assert_int_equal(direct_ports.bytes, direct_ports.received * OPERATIONS_SNAP);
		direct_ports_close();
	}
}

/* Sent mbufs come back to the Rx ring: after the first rounds the pool is not used. */
static void
no_pool(void)
{
	uint64_t topped_up, freed;

	direct_ports_open(512);
	direct_ports_turns(320);
	topped_up = shim_counted(&direct_ports.topped_up);
	freed = shim_counted(&direct_ports.freed);
	direct_ports_turns(640);
	assert_int_equal(shim_counted(&direct_ports.topped_up), topped_up);
	assert_int_equal(shim_counted(&direct_ports.freed), freed);
	direct_ports_close();
}

/* Descriptors that the NIC can still fill. */
static uint16_t
rx_fillable(const struct shim_rx *rx)
{
	/* Intel's NICs never fill the last one. */
	return rig.is_mlx5[rx->port] ? mlx5_rx_armed(rx->rxq, MLX5_RX_BUILT)
				     : rx->size - 1 -
			shim_u16(rx->rxq, ((const struct intel_rx_layout *)rx->layout)->rearm_n);
}

static void
mbuf_mark(struct rte_mempool *mp, void *unused, void *mbuf, unsigned int i)
{
	struct rte_mbuf *m = mbuf;

	m->hash.usr = 4711;
	m->vlan_tci = 4712;
	m->pkt_len = 4713;
}

static void
mbuf_marked(struct rte_mempool *mp, void *changed, void *mbuf, unsigned int i)
{
	const struct rte_mbuf *m = mbuf;

	assert_true(m->hash.usr == 4711 && m->vlan_tci == 4712);
	*(uint64_t *)changed += m->pkt_len != 4713;
}

/* No mbuf is read or written, but that of a virtio packet after which no other came. */
static void
no_mbuf(void)
{
	uint64_t changed = 0;

	/* The other direction has mbufs. */
	if (rig.path != NULL && rig.path->one_way)
		return;
	direct_ports_open(512);
	direct_ports_turns(320);
	rte_mempool_obj_iter(operations.pool, mbuf_mark, NULL);
	direct_ports.flushed = 0;
	direct_ports_turns(320);
	rte_mempool_obj_iter(operations.pool, mbuf_marked, &changed);
	assert_true(changed <= direct_ports.flushed);
	direct_ports_close();
}

/* A Tx ring that is not emptied: nothing is lost or dropped, and it goes on. */
static void
full_tx_ring(void)
{
	const bool nics = rig.path == NULL;

	rig.tx_ring = nics && !direct_ports.slots ? 128 : 0;
	direct_ports_open(nics ? 512 : 128);
	rig.tx_ring = 0;
	for (unsigned int round = 0; round < 50; round++) {
		for (unsigned int i = 0; i < 20 && nics; i++)
			rig.model.step();
		for (unsigned int i = 0; i < 40; i++)
			for (uint16_t p = 0; p < RIG_PORTS; p++)
				if (direct_ports.of[p] != NULL)
					direct_ports_poll(p, RIG_BURST);
		/* What comes next finds armed mbufs although none comes back. */
		for (uint16_t p = 0; p < RIG_PORTS && nics; p++)
			assert_true(direct_ports.of[p]->rx_ops->open(direct_ports.of[p]) <
				direct_ports.of[p]->from.size / 2);
		direct_ports_turns(3);
	}
	direct_ports_close();
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
dry_rx_ring(void)
{
	direct_ports_open(128);
	for (unsigned int round = 0; round < 5; round++) {
		direct_ports_turns(20);
		for (unsigned int i = 0; i < 30; i++) {
			for (uint16_t p = 0; p < RIG_PORTS; p++) {
				if (direct_ports.of[p] != NULL)
					hoard(&direct_ports.of[p]->to);
				direct_ports_poll(p, RIG_BURST);
			}
			rig.model.step();
			rig_law();
		}
		for (uint16_t p = 0; p < RIG_PORTS && rig.path == NULL; p++)
			assert_int_equal(rx_fillable(&direct_ports.of[p]->from), 0);
		hoard_return();
	}
	direct_ports_turns(20);
	direct_ports_close();
}

/* The Rx ring has run dry, and the drivers' functions go on, with an empty pool and with a full one. */
static void
mbufs_after_dry(void)
{
	rig_start(256, 32, 0);
	for (unsigned int round = 0; round < 20; round++) {
		direct_ports_bind();
		direct_ports_turns(20);
		for (unsigned int i = 0; i < 30; i++)
			for (uint16_t p = 0; p < RIG_PORTS; p++) {
				hoard(&direct_ports.of[p]->to);
				direct_ports_poll(p, (uint16_t)(1 + (round + i) % RIG_BURST));
				rig.model.step();
			}
		if (round % 2 == 0)
			hoard_return();
		direct_ports_unbind();
		for (unsigned int i = 0; i < 20; i++) {
			for (uint16_t p = 0; p < RIG_PORTS; p++)
				direct_ports_plain(p, operation_plain);
			rig.model.step();
			rig_law();
			if (i == 3)
				hoard_return();
		}
	}
	direct_ports_finish();
}

/*
 * The cards send nothing. The pool stands in at the first poll that finds two batches missing, or half
 * of a small ring, and not before.
 */
static void
pool_is_asked(void)
{
	static const uint16_t rings[] = { 64, 512 };

	for (size_t i = 0; i < ARRAY_SIZE(rings); i++) {
		unsigned int asked = 0;

		if (rings[i] <= rig.least)
			continue;
		direct_ports_open(rings[i]);
		direct_ports_turns(20);
		for (unsigned int n = 0; n < 20; n++)
			rig.model.step();
		/* What was sent is armed again. */
		for (uint16_t p = 0; p < RIG_PORTS; p++)
			for (unsigned int n = 0; n < 4; n++)
				direct_ports_poll(p, 0);
		for (unsigned int n = 0; n < rings[i] / 16u - 1; n++)
			for (uint16_t p = 0; p < RIG_PORTS; p++) {
				struct direct *d = direct_ports.of[p];
				uint64_t topped_up = shim_counted(&direct_ports.topped_up);
				const uint16_t few = RTE_MIN(rings[i] / 2, 2 * d->batch);
				const bool few_left = d->rx_ops->open(d) >= few;

				direct_ports_poll(p, 16);
				topped_up = shim_counted(&direct_ports.topped_up) - topped_up;
				asked += few_left;
				assert_int_equal(topped_up > 0, few_left);
			}
		assert_true(asked > 0);
		direct_ports_turns(20);
		direct_ports_close();
	}
}

/* Another engine has left a full Tx ring and a full Rx ring: packets flow again. */
static void
after_full_rings(void)
{
	uint64_t freed;

	rig.tx_ring = 128;
	rig_start(512, 32, 0);
	rig.tx_ring = 0;
	for (unsigned int i = 0; i < 20; i++)
		rig.model.step();
	for (uint16_t p = 0; p < RIG_PORTS; p++)
		while (direct_ports_plain(p, operation_plain) > 0)
			;
	for (unsigned int i = 0; i < 20; i++)
		rig.model.step();
	direct_ports_bind();
	direct_ports.received = 0;
	freed = shim_counted(&direct_ports.freed);
	direct_ports_turns(40);
	assert_true(shim_counted(&direct_ports.freed) > freed);
	assert_true(direct_ports.received > 40 * RIG_PORTS * 16u);
	direct_ports_close();
}

/*
 * Ports stop and start, with another way to forward each time. But the vector receive function of packed
 * rings gives packets of mbufs that it was started with at the wrong place, unless these are new.
 */
static void
restarts(void)
{
	enum { DIRECT, RECYCLE, IO, WAYS };
	const unsigned int n = rig.path == NULL ? RESTARTS : 30,
			   ways = rig.path == NULL || rig.least < 64 ? WAYS : DIRECT + 1;

	for (unsigned int i = 0; i < n; i++) {
		const unsigned int way = i % ways;

		if (i == 0 || rig.path == NULL)
			rig_start(rig.path == NULL ? 128 << i % 3 : 256, 32, 0);
		else
			rig_restart();
		if (way == DIRECT) {
			direct_ports_bind();
			direct_ports_turns(20 + (rig.path != NULL ? i : 0));
			direct_ports_unbind();
		} else {
			/* Pairs with batches of 64 and 32 cannot recycle. */
			for (uint16_t p = 0; p < RIG_PORTS && way == RECYCLE; p++)
				rig.pair[p] = rig_pair(p, ZCFWD_RECYCLE_MODE_RING, NULL);
			rig_poll(20, operation_plain);
		}
		if (rig.path == NULL)
			direct_ports_finish();
		else
			rig_unbind();
	}
	if (rig.path != NULL)
		direct_ports_finish();
}

static void
turns(void)
{
	const uint64_t before = direct_ports.received;
	uint64_t n;

	direct_ports.bound = 0;
	n = direct_ports_seeds();
	assert_true(direct_ports.received - before >
		n * DIRECT_PORTS_TURNS / (rig.path == NULL ? 1 : 2));
	print_message("# %" PRIu64 " bursts with bound mbufs\n", direct_ports.bound);
	assert_true(!direct_ports.slots || direct_ports.bound > n * 20);
}

static uint16_t
observe(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, uint16_t max,
	void *unused)
{
	return n;
}

/* Offloads of a single queue, beside those that ethdev knows of. */
static uint64_t queue_rx_offloads, queue_tx_offloads;

static void
ethdev_find(const char *name, void *to)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	assert_non_null(symbol);
	memcpy(to, &symbol, sizeof(symbol));
}

/* In place of ethdev's. */
int
rte_eth_rx_queue_info_get(uint16_t port, uint16_t queue, struct rte_eth_rxq_info *info)
{
	int (*real)(uint16_t, uint16_t, struct rte_eth_rxq_info *), ret;

	ethdev_find("rte_eth_rx_queue_info_get", &real);
	ret = real(port, queue, info);
	info->conf.offloads |= queue_rx_offloads;
	return ret;
}

/* In place of ethdev's. */
int
rte_eth_tx_queue_info_get(uint16_t port, uint16_t queue, struct rte_eth_txq_info *info)
{
	int (*real)(uint16_t, uint16_t, struct rte_eth_txq_info *), ret;

	ethdev_find("rte_eth_tx_queue_info_get", &real);
	ret = real(port, queue, info);
	info->conf.offloads |= queue_tx_offloads;
	return ret;
}

/* An offload of the queue alone is refused as one of its port is. */
static void
queue_offloads(void)
{
	rig_start(512, 32, 0);
	queue_rx_offloads = RTE_ETH_RX_OFFLOAD_VLAN_STRIP | RTE_ETH_RX_OFFLOAD_RSS_HASH;
	direct_ports_refused("Rx offload VLAN_STRIP needs mbufs");
	queue_rx_offloads = RTE_ETH_RX_OFFLOAD_RSS_HASH;
	queue_tx_offloads = RTE_ETH_TX_OFFLOAD_VLAN_INSERT | RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
	direct_ports_refused("Tx offload VLAN_INSERT needs mbufs");
	queue_tx_offloads = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
	direct_ports_bind();
	queue_rx_offloads = queue_tx_offloads = 0;
	direct_ports_unbind();
	direct_ports_stop();
}

static void
refusals(void)
{
	const struct rte_eth_rxtx_callback *callback;

	rig_start(512, 32, RTE_ETH_TX_OFFLOAD_VLAN_INSERT);
	direct_ports_refused("Tx offload VLAN_INSERT needs mbufs");
	direct_ports_stop();

	rig_start(512, 32, 0);
	callback = rte_eth_add_rx_callback(0, 0, observe, NULL);
	direct_ports_refused("need mbufs: end them first");
	assert_int_equal(rte_eth_remove_rx_callback(0, 0, callback), 0);
	rte_free((void *)(uintptr_t)callback);
	snprintf(release, sizeof(release), "DPDK 99.11.0");
	direct_ports_refused("unknown queue layout");
	snprintf(release, sizeof(release), "DPDK %u.%02u.%u", SHIM_BUILT >> 16U,
		SHIM_BUILT >> 8U & 0xffU, (SHIM_BUILT & 0xffU) + 1);
	/* Of a release that was not run layouts are proved later. */
	direct_ports_bind();
	direct_ports_unbind();
	release[0] = '\0';
	direct_ports_stop();
}

/* A pool whose IOVAs do not follow from addresses, and one whose buffers are elsewhere. */
static void
pools(void)
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
	rig_start(128, 32, 0);
	direct_ports_refused(
		rig.is_mlx5[0] ? "lie in 2 memory regions" : "do not follow from their addresses");
	direct_ports_stop();
	operations.pool = usual;
	rig_start(128, 32, 0);
	direct_ports_stop();
	rte_mempool_free(mp);

	mp = rte_pktmbuf_pool_create_extbuf("pinned", MBUFS, 0, 0, 2176, SOCKET_ID_ANY, &ext, 1);
	assert_non_null(mp);
	operations.pool = mp;
	rig_start(128, 32, 0);
	direct_ports_refused("outside of its mbufs");
	direct_ports_stop();
	operations.pool = usual;
	rig_start(128, 32, 0);
	direct_ports_stop();
	rte_mempool_free(mp);
	rte_free(memory);
}

static uint16_t
burst_none(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	return 0;
}

/*
 * A port whose card was removed has functions that do nothing, until it is closed. Packets for it are
 * left to them, and all mbufs return to their pool, also those bound to slots.
 */
static void
removed(void)
{
	struct rte_eth_fp_ops *ops = &rte_eth_fp_ops[1];
	struct rte_mbuf *pkts[12];
	unsigned int floating = 0;

	for (unsigned int round = 0; round < 8; round++) {
		struct rte_eth_fp_ops usual;
		uint64_t received;

		rig_start(256, 32, 0);
		/* Packets that are not sent: the rings do not begin at the same slot, so that some mbufs are in none. */
		rig.model.step();
		for (uint16_t p = 0; p < RIG_PORTS; p++)
			rte_pktmbuf_free_bulk(pkts, rte_eth_rx_burst(p, 0, pkts, ARRAY_SIZE(pkts)));
		direct_ports_bind();
		direct_ports_turns(40 + round);
		floating += direct_ports.of[0]->slots.floating + direct_ports.of[1]->slots.floating;
		usual = *ops;
		ops->rx_pkt_burst = ops->tx_pkt_burst = burst_none;
		received = direct_ports.received;
		for (unsigned int i = 0; i < 4; i++)
			for (uint16_t p = 0; p < RIG_PORTS; p++)
				direct_ports_poll(p, RIG_BURST);
		assert_int_equal(direct_ports.received, received);
		direct_ports_unbind();
		ops->rx_pkt_burst = usual.rx_pkt_burst;
		ops->tx_pkt_burst = usual.tx_pkt_burst;
		direct_ports_finish();
	}
	assert_true(!direct_ports.slots || floating > 0);
}

/* Each mbuf is bound to a slot of both rings. */
static void
slots(void)
{
	direct_ports.slots = true;
}

static void
end(void)
{
	direct_ports.slots = false;
	direct_ports_print_seed();
}

int
main(void)
{
	static const struct rig_case cases[] = {
		{ "each_ring", each_ring, RIG_EACH, NULL, NULL },
		{ "no_pool", no_pool, RIG_EACH, NULL, NULL },
		{ "no_mbuf", no_mbuf, RIG_EACH, NULL, NULL },
		{ "full_tx_ring", full_tx_ring, RIG_EACH, NULL, NULL },
		{ "dry_rx_ring", dry_rx_ring, RIG_EACH, NULL, NULL },
		{ "mbufs_after_dry", mbufs_after_dry, RIG_NICS, NULL, NULL },
		{ "pool_is_asked", pool_is_asked, RIG_NICS, NULL, NULL },
		{ "after_full_rings", after_full_rings, RIG_NICS, NULL, NULL },
		{ "restarts", restarts, RIG_EACH, NULL, NULL },
		{ "turns", turns, RIG_EACH, NULL, end },
		{ "refusals", refusals, RIG_NICS, NULL, NULL },
		{ "queue_offloads", queue_offloads, RIG_NICS, NULL, NULL },
		{ "pools", pools, RIG_NICS, NULL, NULL },
		{ "removed", removed, RIG_NICS, NULL, NULL },
		/* Mbufs are bound to slots with drivers of Intel only. */
		{ "slots: each_ring", each_ring, RIG_INTEL, slots, end },
		{ "slots: no_pool", no_pool, RIG_INTEL, slots, end },
		{ "slots: no_mbuf", no_mbuf, RIG_INTEL, slots, end },
		{ "slots: full_tx_ring", full_tx_ring, RIG_INTEL, slots, end },
		{ "slots: after_full_rings", after_full_rings, RIG_INTEL, slots, end },
		{ "slots: restarts", restarts, RIG_INTEL, slots, end },
		{ "slots: removed", removed, RIG_INTEL, slots, end },
		{ "slots: turns", turns, RIG_INTEL, slots, end },
	};

	return rig_main(cases, ARRAY_SIZE(cases));
}
