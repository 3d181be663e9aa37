/* Reproducers of faults of cards' drivers with external buffers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "reproduce.h"

#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_malloc.h>
#include <rte_vect.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
clones_of_card(const char *plugin, const char *device, unsigned int bits, const char *vdev)
{
	const char *const more[] = { vdev, NULL };
	struct rte_mbuf *pkts[4 * BURST];
	struct rte_mempool *pool;
	uint8_t *region;
	uint16_t n = 0;

	setenv("MODEL_NIC", device, 1);
	eal_start(plugin, bits, vdev != NULL ? more : NULL);
	pool = pinned_make(&region, ELEMENT);
	port_setup(0, pool, &(struct setup){ .rx_ring = 256 });
	for (unsigned int i = 0; i < PATIENCE && n < 3 * BURST; i++) {
		model_step();
		n += rte_eth_rx_burst(0, 0, pkts + n, BURST);
	}
	clone_judge(pkts, n, region);
}

static void
clones_i40e(void)
{
	clones_of_card(model_nic, "xl710,flows=16", 256, NULL);
}

static void
clones_i40e_scalar(void)
{
	clones_of_card(model_nic, "xl710,flows=16", 64, NULL);
}

static void
clones_ixgbe(void)
{
	clones_of_card(model_nic, "82599,flows=16", 128, NULL);
}

static void
clones_ice(void)
{
	clones_of_card(mock, "", 256, "--vdev=net_mock0,driver=ice,flows=16");
}

static void
clones_mlx5(void)
{
	clones_of_card(mock, "", 512, "--vdev=net_mock0,driver=mlx5,flows=16");
}

static void
clones_mlx5_l34(void)
{
	clones_of_card(mock, "", 512, "--vdev=net_mock0,driver=mlx5,zip=l34,flows=16");
}

/* MBUF_FAST_FREE and mbufs with a buffer attached, which 25.03 and newer forbid. */
static void
fast_free(void)
{
	struct rte_mbuf_ext_shared_info shinfo;
	struct rte_mempool *pool;
	struct rte_mbuf *pkts[BURST];
	uint8_t *lent;
	enum { LENT = 2048 };
	unsigned int changed = 0;

	cards_start("xl710,rx=none", 256);
	/* Up to 25.11 the driver frees packet by packet into a pool without a cache. */
	pool = rte_pktmbuf_pool_create("pool", MBUFS, BURST, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
		SOCKET_ID_ANY);
	must(pool != NULL, "rte_pktmbuf_pool_create()");
	port_setup(0, pool, &(struct setup){ .tx_offloads = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE });
	functions_are(0, "", "AVX2");
	lent = rte_zmalloc("lent", LENT, 4096);
	must(lent != NULL, "rte_malloc()");
	lent_init(&shinfo, BURST);
	must(rte_pktmbuf_alloc_bulk(pool, pkts, BURST) == 0, "rte_pktmbuf_alloc_bulk()");
	for (unsigned int i = 0; i < BURST; i++) {
		rte_pktmbuf_attach_extbuf(pkts[i], lent, (uintptr_t)lent, LENT, &shinfo);
		rte_pktmbuf_append(pkts[i], PACKET);
	}
	must(rte_eth_tx_burst(0, 0, pkts, BURST) == BURST, "rte_eth_tx_burst()");
	packets_send(0, pool, 2 * RING);
	for (unsigned int i = 0; i < LENT; i++)
		changed += lent[i] != 0;
	end(lent_released() == 1 && changed == 0 ? GREEN : RED,
		"the free callback came %u times, and later packets changed %u bytes of the lent buffer",
		lent_released(), changed);
}

/* Buffers of a pinned pool that end in a page in which none begins. */
static void
mlx5_pages(void)
{
	const char *const more[] = { "--vdev=net_mock0,driver=mlx5,flows=16", NULL };
	struct rte_mbuf *held[PINNED + BURST];
	struct rte_mempool *pool;
	uint64_t id, bad = 0;
	unsigned int n = 0;
	uint8_t *region;

	eal_start(mock, 512, more);
	pool = pinned_make(&region, 2304);
	port_setup(0, pool, &(struct setup){ .rx_ring = 256 });
	for (unsigned int i = 0; i < PATIENCE && n < PINNED - 300; i++) {
		model_step();
		n += rte_eth_rx_burst(0, 0, held + n, BURST);
	}
	for (unsigned int round = 0; round < 8; round++) {
		rte_pktmbuf_free_bulk(held, n);
		n = 0;
		for (unsigned int i = 0; i < PATIENCE && n < PINNED - 300; i++) {
			model_step();
			n += rte_eth_rx_burst(0, 0, held + n, BURST);
		}
	}
	must(rte_eth_xstats_get_id_by_name(0, "mock_bad_keys", &id) == 0 &&
			rte_eth_xstats_get_by_id(0, &id, &bad, 1) == 1,
		"reading xstats");
	end(bad == 0 && n >= PINNED - 300 ? GREEN : RED,
		"%" PRIu64
		" buffers outside of the memory that is registered; the last %u packets came",
		bad, n);
}

/* Cards of QEMU, which the plugin starts. */
static void
qemu_start(const char *devices, uint16_t ports)
{
	cards_start(devices, 0);
	rte_delay_us_callback_register(rte_delay_us_block);
	if (rte_eth_dev_count_avail() != ports)
		end(SKIPPED, "no cards of QEMU: is qemu-system-x86_64 installed?");
}

static void
vmxnet3_statistics(void)
{
	struct rte_eth_stats stats;

	qemu_start("vmxnet3", 1);
	end(GREEN, "statistics of a port that was not configured: %d",
		rte_eth_stats_get(0, &stats));
}

static void
vmxnet3_promiscuous(void)
{
	qemu_start("vmxnet3", 1);
	end(GREEN, "promiscuous mode of a port that was not configured: %d",
		rte_eth_promiscuous_enable(0));
}

/* A packet that asks for a VLAN tag, over a cable to another card. */
static void
vlan_insert(bool strip)
{
	const uint64_t insert = RTE_ETH_TX_OFFLOAD_VLAN_INSERT;
	struct rte_mbuf *m, *got = NULL;
	struct rte_eth_link link;
	struct rte_mempool *pool;
	const uint8_t *type;

	qemu_start("e1000e,rx=wire:1;e1000e,rx=wire:0", 2);
	pool = pool_make("pool", MBUFS);
	for (uint16_t p = 0; p < 2; p++) {
		port_setup(p, pool,
			&(struct setup){ .tx_ring = 256, .rx_ring = 256, .tx_offloads = insert });
		must(rte_eth_promiscuous_enable(p) == 0, "rte_eth_promiscuous_enable()");
		must(rte_eth_link_get(p, &link) == 0 && link.link_status != 0, "the link");
	}
	must(!strip || rte_eth_dev_set_vlan_offload(0, RTE_ETH_VLAN_STRIP_OFFLOAD) == 0,
		"rte_eth_dev_set_vlan_offload()");
	packets_make(pool, &m, 1);
	m->ol_flags |= RTE_MBUF_F_TX_VLAN;
	m->vlan_tci = 0x123;
	must(rte_eth_tx_burst(0, 0, &m, 1) == 1, "rte_eth_tx_burst()");
	for (unsigned int i = 0; i < PATIENCE && rte_eth_rx_burst(1, 0, &got, 1) == 0; i++)
		rte_delay_us_block(1000);
	must(got != NULL, "receiving the packet");
	type = rte_pktmbuf_mtod_offset(got, const uint8_t *, 12);
	end(type[0] == 0x81 && type[1] == 0 ? GREEN : RED,
		"the packet that asked for a tag was sent with EtherType 0x%02x%02x", type[0],
		type[1]);
}

static void
vlan_insert_alone(void)
{
	vlan_insert(false);
}

static void
vlan_insert_and_strip(void)
{
	vlan_insert(true);
}

const struct fault faults_cards[] = {
	{ "pinned-clones",
		{ { "i40e AVX2", clones_i40e }, { "i40e scalar", clones_i40e_scalar },
			{ "ixgbe", clones_ixgbe }, { "ice AVX2", clones_ice },
			{ "mlx5", clones_mlx5 }, { "mlx5 L3/L4 format", clones_mlx5_l34 } } },
	{ "fast-free", { { "i40e AVX2", fast_free } } },
	{ "mlx5-pages", { { "", mlx5_pages } } },
	{ "vmxnet3-early",
		{ { "statistics", vmxnet3_statistics }, { "promiscuous", vmxnet3_promiscuous } } },
	{ "e1000-vlan-insert",
		{ { "insert", vlan_insert_alone },
			{ "insert and strip", vlan_insert_and_strip } } },
	{ .name = NULL },
};
