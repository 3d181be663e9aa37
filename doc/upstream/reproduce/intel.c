/* Reproducers of faults of net_i40e, net_ice, net_iavf and net_ixgbe. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "reproduce.h"

#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_malloc.h>
#include <rte_vect.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Start EAL with two ports of a driver; port 1 receives what port 0 sends. driver: words of
 * MODEL_NIC for a modelled card, or "driver=" and words of a mock port.
 */
static void
wire_start(const char *driver, unsigned int bits)
{
	char devices[128], vdev[2][96];
	const char *const more[] = { vdev[0], vdev[1], NULL };

	if (strncmp(driver, "driver=", 7) != 0) {
		snprintf(devices, sizeof(devices), "%s,rx=none;%s,rx=wire:0", driver, driver);
		cards_start(devices, bits);
		return;
	}
	snprintf(vdev[0], sizeof(vdev[0]), "--vdev=net_mock0,%s,rx=none", driver);
	snprintf(vdev[1], sizeof(vdev[1]), "--vdev=net_mock1,%s,rx=wire:0", driver);
	eal_start(mock, bits, more);
}

/* A port that has sent stops: all its mbufs come back, once. */
static void
stop_after_sending(const char *driver, unsigned int bits, uint64_t tx_offloads, const char *tx)
{
	struct rte_mempool *pool;

	wire_start(driver, bits);
	pool = pool_make("pool", MBUFS);
	port_setup(0, pool, &(struct setup){ .tx_offloads = tx_offloads });
	functions_are(0, "", tx);
	packets_send(0, pool, 3 * RING + 40);
	must(rte_eth_dev_stop(0) == 0, "rte_eth_dev_stop()");
	pool_judge(pool, MBUFS, "port stopped");
}

static void
ixgbe_stop_full(void)
{
	stop_after_sending("82599", 128, RTE_ETH_TX_OFFLOAD_MULTI_SEGS, "");
}

static void
ixgbe_stop_simple(void)
{
	stop_after_sending("82599", 64, 0, "");
}

static void
ixgbe_stop_vector(void)
{
	stop_after_sending("82599", 128, 0, "");
}

static void
ice_stop_avx512(void)
{
	stop_after_sending("driver=ice", 512, 0, "AVX512");
}

static void
ice_stop_avx2(void)
{
	stop_after_sending("driver=ice", 256, 0, "AVX2");
}

static void
iavf_stop_vector(void)
{
	stop_after_sending("driver=iavf", 256, 0, "AVX2");
}

/*
 * Port 1 receives one packet at a time, and the application keeps all of them. When its pool is
 * empty the last armed descriptors are used up: no mbuf comes twice, and no packet is empty.
 */
static void
unarmed(const char *driver, unsigned int bits, const char *rx)
{
	enum { SMALL = RING + RING / 2 };
	static struct rte_mbuf *held[SMALL + BURST];
	struct rte_mempool *from, *to;
	unsigned int n = 0;

	wire_start(driver, bits);
	from = pool_make("from", MBUFS);
	to = pool_make("to", SMALL);
	port_setup(0, from, &(struct setup){ 0 });
	port_setup(1, to, &(struct setup){ 0 });
	functions_are(1, rx, "");
	for (unsigned int i = 0; i < SMALL; i++) {
		uint16_t got;

		packets_send(0, from, 1);
		model_step();
		got = rte_eth_rx_burst(1, 0, held + n, BURST);
		if (got > 1)
			end(RED, "one packet was sent, %u were received", got);
		for (unsigned int j = 0; got == 1 && j < n; j++)
			if (held[j] == held[n])
				end(RED, "packet %u is in the mbuf of packet %u", n, j);
		n += got;
	}
	end(GREEN, "%u of %u mbufs were received, each once", n, SMALL);
}

static void
unarmed_i40e_avx2(void)
{
	unarmed("xl710", 256, "AVX2");
}

static void
unarmed_i40e_avx512(void)
{
	unarmed("xl710", 512, "AVX512");
}

static void
unarmed_ixgbe(void)
{
	unarmed("82599", 128, "");
}

static void
unarmed_ice_avx2(void)
{
	unarmed("driver=ice", 256, "AVX2");
}

static void
unarmed_ice_avx512(void)
{
	unarmed("driver=ice", 512, "AVX512");
}

static void
unarmed_iavf_avx2(void)
{
	unarmed("driver=iavf", 256, "AVX2");
}

#if RTE_VERSION >= RTE_VERSION_NUM(23, 11, 0, 0)
/* net_i40e recycles batches of this size alone: as many as its receive functions arm at a time. */
enum { I40E_BATCH = RTE_VERSION < RTE_VERSION_NUM(25, 7, 0, 0) ? 32 : 64 };

/*
 * Port 0 receives, port 1 sends, and rte_eth_recycle_mbufs() moves from 1 to 0. brimful: rs and
 * free threshold add up to the whole transmit ring.
 */
static struct rte_eth_recycle_rxq_info info;
static struct rte_mempool *recycle_pool;

static void
recycle_start(const char *device, unsigned int bits, unsigned int tx_bits, uint16_t rs,
	bool brimful)
{
	const uint16_t ring = brimful ? 2 * rs : RING;
	const struct setup s = { .tx_ring = ring,
		.tx_rs = rs,
		.tx_free = ring - rs - (brimful ? 0 : 1) };
	struct rte_mbuf *pkts[BURST];
	char devices[64];

	snprintf(devices, sizeof(devices), "%s,flows=16*2", device);
	/* A word of EAL's would fix the width for both ports. */
	cards_start(devices, 0);
	rte_vect_set_max_simd_bitwidth(bits);
	recycle_pool = pool_make("pool", MBUFS);
	port_setup(0, recycle_pool, &s);
	if (tx_bits != bits)
		rte_vect_set_max_simd_bitwidth(tx_bits);
	port_setup(1, recycle_pool, &s);
	functions_are(0, strcmp(device, "xl710") == 0 ? "AVX2" : "", "");
	functions_are(1, "", strcmp(device, "xl710") == 0 ? tx_bits == 64 ? "Simple" : "AVX2" : "");
	must(rte_eth_recycle_rx_queue_info_get(0, 0, &info) == 0,
		"rte_eth_recycle_rx_queue_info_get()");
	/* Free slots in the receive ring. */
	for (unsigned int i = 0; i < 3; i++) {
		model_step();
		rte_pktmbuf_free_bulk(pkts, rte_eth_rx_burst(0, 0, pkts, BURST));
	}
}

/*
 * Recycle once. Returns the number of moved mbufs; *wrong: how many of them are not those that were
 * sent.
 */
static uint16_t
recycle_once(const char *device, unsigned int bits, unsigned int tx_bits, uint16_t rs,
	unsigned int *wrong)
{
	enum { SENT = 4 * BURST };
	struct rte_mbuf *pkts[SENT];
	uint16_t head, n;

	recycle_start(device, bits, tx_bits, rs, false);
	packets_make(recycle_pool, pkts, SENT);
	for (unsigned int i = 0; i < SENT; i++)
		must(rte_eth_tx_burst(1, 0, &pkts[i], 1) == 1, "rte_eth_tx_burst()");
	model_step();
	head = *info.refill_head;
	n = rte_eth_recycle_mbufs(0, 0, 1, 0, &info);
	*wrong = 0;
	for (uint16_t i = 0; i < n; i++)
		*wrong += info.mbuf_ring[head + i] != pkts[i];
	return n;
}

/* The mbufs that come into the receive ring are those that were sent. */
static void
recycle_which(const char *device, unsigned int bits, unsigned int tx_bits, uint16_t rs)
{
	unsigned int wrong;
	uint16_t n = recycle_once(device, bits, tx_bits, rs, &wrong);

	end(n == 0                   ? SKIPPED
			: wrong == 0 ? GREEN
				     : RED,
		"%u mbufs were recycled, %u of them are not those that were sent", n, wrong);
}

/* With the largest batch that net_ixgbe accepts, mbufs are recycled at all. */
static void
refill_ixgbe(void)
{
	unsigned int wrong;
	uint16_t n = recycle_once("82599", 128, 128, 32, &wrong);

	end(n != 0 ? GREEN : RED, "128 packets were sent, %u mbufs were recycled", n);
}

/* The simple function's entries of recycled mbufs are not freed when the port stops. */
static void
simple_i40e(void)
{
	struct rte_mbuf *pkts[BURST];

	if (RTE_VERSION >= RTE_VERSION_NUM(26, 3, 0, 0))
		end(SKIPPED, "%s keeps entries as the vector functions do", rte_version());
	recycle_start("xl710", 256, 64, I40E_BATCH, false);
	for (unsigned int i = 0; i < 300; i++) {
		uint16_t got, sent;

		rte_eth_recycle_mbufs(0, 0, 1, 0, &info);
		got = rte_eth_rx_burst(0, 0, pkts, BURST);
		sent = rte_eth_tx_burst(1, 0, pkts, got);
		rte_pktmbuf_free_bulk(pkts + sent, got - sent);
		rte_pktmbuf_free_bulk(pkts, rte_eth_rx_burst(1, 0, pkts, BURST));
		model_step();
	}
	must(rte_eth_dev_stop(1) == 0 && rte_eth_dev_stop(0) == 0, "rte_eth_dev_stop()");
	pool_judge(recycle_pool, MBUFS, "ports stopped");
}

static void
stride_i40e_avx2(void)
{
	recycle_which("xl710", 256, 256, I40E_BATCH);
}

static void
stride_i40e_simple(void)
{
	recycle_which("xl710", 256, 64, I40E_BATCH);
}

static void
stride_ixgbe(void)
{
	recycle_which("82599", 128, 128, 32);
}

/* Packets that the card has not sent yet stay where they are. */
static void
recycle_unsent(const char *device, unsigned int bits, uint16_t rs)
{
	struct rte_mbuf *pkts[BURST * 4];
	uint16_t n;

	recycle_start(device, bits, bits, rs, true);
	packets_make(recycle_pool, pkts, rs - 1);
	must(rte_eth_tx_burst(1, 0, pkts, rs - 1) == rs - 1, "rte_eth_tx_burst()");
	n = rte_eth_recycle_mbufs(0, 0, 1, 0, &info);
	end(n == 0 ? GREEN : RED,
		"the card has sent none of %u packets, and %u mbufs were recycled", rs - 1, n);
}

static void
unsent_i40e(void)
{
	recycle_unsent("xl710", 256, I40E_BATCH);
}

static void
unsent_ixgbe(void)
{
	recycle_unsent("82599", 128, 32);
}

/* After a restart with another transmit function nothing is recycled from its queue. */
static void
recycle_restart(const char *device, unsigned int bits, uint16_t rs)
{
	struct setup s = { .tx_rs = rs,
		.tx_free = RING - rs - 1,
		.tx_offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS };
	struct rte_mbuf *pkts[BURST];
	uint64_t moved = 0;

	recycle_start(device, bits, bits, rs, false);
	must(rte_eth_dev_stop(1) == 0, "rte_eth_dev_stop()");
	port_setup(1, recycle_pool, &s);
	for (unsigned int i = 0; i < 1000; i++) {
		uint16_t got, sent;

		moved += rte_eth_recycle_mbufs(0, 0, 1, 0, &info);
		got = rte_eth_rx_burst(0, 0, pkts, BURST);
		sent = rte_eth_tx_burst(1, 0, pkts, got);
		rte_pktmbuf_free_bulk(pkts + sent, got - sent);
		model_step();
	}
	end(moved == 0 ? GREEN : RED,
		"%" PRIu64 " mbufs were recycled from the queue of another function", moved);
}

static void
restart_i40e(void)
{
	recycle_restart("xl710", 256, I40E_BATCH);
}

static void
restart_ixgbe(void)
{
	recycle_restart("82599", 128, 32);
}
#else
static void
no_recycling(void)
{
	end(SKIPPED, "%s has no rte_eth_recycle_mbufs()", rte_version());
}

#define stride_i40e_avx2 no_recycling
#define stride_i40e_simple no_recycling
#define stride_ixgbe no_recycling
#define refill_ixgbe no_recycling
#define simple_i40e no_recycling
#define unsent_i40e no_recycling
#define unsent_ixgbe no_recycling
#define restart_i40e no_recycling
#define restart_ixgbe no_recycling
#endif

/* A receive ring of 64 goes on receiving. */
static void
small_ring(const char *driver, unsigned int bits, const char *rx)
{
	struct rte_mbuf *pkts[BURST];
	struct rte_mempool *pool;
	unsigned int n = 0;
	char device[64];

	snprintf(device, sizeof(device), "%s,flows=16", driver);
	cards_start(device, bits);
	pool = pool_make("pool", MBUFS);
	port_setup(0, pool, &(struct setup){ .rx_ring = 64 });
	functions_are(0, rx, "");
	for (unsigned int i = 0; i < PATIENCE && n < 1000; i++) {
		uint16_t got;

		model_step();
		got = rte_eth_rx_burst(0, 0, pkts, BURST);
		rte_pktmbuf_free_bulk(pkts, got);
		n += got;
	}
	end(n >= 1000 ? GREEN : RED, "%u packets were received, expected 1000 or more", n);
}

static void
small_ring_i40e(void)
{
	small_ring("xl710", 256, "");
}

static void
small_ring_ixgbe(void)
{
	small_ring("82599", 128, "");
}

const struct fault faults_intel[] = {
	{ "recycle-stride",
		{ { "i40e AVX2", stride_i40e_avx2 }, { "i40e simple", stride_i40e_simple },
			{ "ixgbe", stride_ixgbe } } },
	{ "recycle-refill", { { "ixgbe", refill_ixgbe } } },
	{ "recycle-simple", { { "i40e", simple_i40e } } },
	{ "recycle-unsent", { { "i40e", unsent_i40e }, { "ixgbe", unsent_ixgbe } } },
	{ "recycle-restart", { { "i40e", restart_i40e }, { "ixgbe", restart_ixgbe } } },
	{ "intel-unarmed",
		{ { "i40e AVX2", unarmed_i40e_avx2 }, { "i40e AVX-512", unarmed_i40e_avx512 },
			{ "ice AVX2", unarmed_ice_avx2 }, { "ice AVX-512", unarmed_ice_avx512 },
			{ "iavf AVX2", unarmed_iavf_avx2 }, { "ixgbe", unarmed_ixgbe } } },
	{ "intel-ring-64", { { "i40e", small_ring_i40e }, { "ixgbe", small_ring_ixgbe } } },
	{ "ixgbe-stop",
		{ { "full", ixgbe_stop_full }, { "simple", ixgbe_stop_simple },
			{ "vector", ixgbe_stop_vector } } },
	{ "ice-avx512-stop", { { "AVX-512", ice_stop_avx512 }, { "AVX2", ice_stop_avx2 } } },
	{ "iavf-stop", { { "AVX2", iavf_stop_vector } } },
	{ .name = NULL },
};
