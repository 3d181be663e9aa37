/* net_async_vhost moves a queue between DMA channels and the CPU while packets are on their way: every
 * packet arrives, also when an engine stops answering. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/dma_scripted.h"
#include "fixtures/vhost_pair.h"
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"

#include <rte_bus_vdev.h>
#include <rte_dmadev.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <errno.h>

/* Move a direction of queue 0 until it is there. */
static int
move(bool rx, int16_t dma)
{
	return net_async_vhost_move(vhost_pair.port[HOST], 0, rx, dma, dma >= 0 ? rx : 0);
}

static int16_t
engine_taken(const char *name)
{
	const int16_t dma = (int16_t)rte_dma_get_dev_id_by_name(name);

	assert_int_equal(net_async_vhost_engine_take(dma), 0);
	assert_int_equal(net_async_vhost_engine_take(dma), -EBUSY);
	return dma;
}

/* Where each direction goes next, between the CPU and two channels of its own. */
static struct {
	int16_t dma[4];
	unsigned int next[2], calls, moved;
} tour;

static void
tour_on(void)
{
	static const int stops[] = { 0, 1, -1, 1, 0, -1 };

	for (int rx = 0; rx < 2; rx++) {
		const int stop = stops[tour.next[rx] % ARRAY_SIZE(stops)];
		const int16_t dma = stop < 0 ? (int16_t)-1 : tour.dma[2 * rx + stop];

		if (tour.calls++ % 3 == 0)
			continue;
		if (net_async_vhost_move(vhost_pair.port[HOST], 0, rx, dma, 0) != 0)
			continue;
		tour.next[rx]++;
		tour.moved++;
	}
}

/* Channels change under traffic: every packet arrives, whole and in order, and is counted once. */
TEST(moves)
{
	const uint32_t packets = 800;
	uint64_t bytes = 0;
	char name[32];

	vhost_pair_begin("movable", 2, 2048, "", "mrg_rxbuf=1");
	for (unsigned int i = 0; i < 4; i++) {
		vhost_pair_engine_name(name, sizeof(name), "adaptive", i);
		tour.dma[i] = engine_taken(name);
	}
	vhost_pair.between = tour_on;
	vhost_pair_traffic(HOST, 0, packets, 65535);
	vhost_pair_traffic(GUEST, 0, packets, 65535);
	vhost_pair.between = NULL;
	assert_true(tour.moved > 100);
	for (int rx = 0; rx < 2; rx++)
		WAIT_UNTIL(net_async_vhost_move(vhost_pair.port[HOST], 0, rx, -1, 0) == 0);
	for (uint32_t i = 0; i < packets; i++)
		bytes += vhost_pair_length(i, 65535);
	for (int rx = 0; rx < 2; rx++) {
		const struct net_async_vhost_stats s = vhost_pair_virtqueue(0, rx).stats;

		assert_int_equal(s.packets, packets);
		assert_int_equal(s.bytes, bytes);
		assert_true(s.dma_bytes > 0);
		assert_int_equal(s.cpu_bytes + s.dma_bytes, bytes);
	}
	for (unsigned int i = 0; i < 4; i++)
		net_async_vhost_engine_release(tour.dma[i]);
	vhost_pair_end();
}

/* Packets number first to first + n - 1, sent; those that were accepted. */
static uint16_t
send_some(unsigned int from, uint32_t first, uint16_t n)
{
	struct rte_mbuf *out[BURST];
	uint16_t sent;

	for (uint16_t i = 0; i < n; i++)
		out[i] = vhost_pair_packet(from, first + i, 1000);
	sent = rte_eth_tx_burst(vhost_pair.port[from], 0, out, n);
	rte_pktmbuf_free_bulk(&out[sent], n - sent);
	return sent;
}

/* Wait for packets first to first + n - 1. */
static void
receive_some(unsigned int at, uint32_t first, uint16_t n)
{
	struct rte_mbuf *in[BURST];
	uint16_t got = 0, more = 0;

	do {
		WAIT_UNTIL((more = rte_eth_rx_burst(vhost_pair.port[at], 0, in,
				    (uint16_t)(n - got))) > 0);
		for (uint16_t i = 0; i < more; i++, got++)
			vhost_pair_check(in[i], first + got, 1000);
		rte_pktmbuf_free_bulk(in, more);
	} while (got < n);
}

static void
receive_none(unsigned int at)
{
	struct rte_mbuf *in[BURST];

	for (unsigned int i = 0; i < 10; i++)
		assert_int_equal(rte_eth_rx_burst(vhost_pair.port[at], 0, in, BURST), 0);
}

/* Eight packets on their way in each direction, with copies that are never made. */
static void
begin_stuck(int16_t dma)
{
	for (int rx = 0; rx < 2; rx++) {
		assert_int_equal(move(rx, dma), 0);
		assert_int_equal(send_some(rx ? GUEST : HOST, 0, 8), 8);
		if (rx)
			WAIT_UNTIL((receive_none(HOST),
				vhost_pair_virtqueue(0, true).stats.in_flight == 8));
		else
			receive_none(GUEST);
		assert_int_equal(vhost_pair_virtqueue(0, rx).stats.in_flight, 8);
		assert_int_equal(move(rx, -1), -EAGAIN);
		assert_true(vhost_pair_virtqueue(0, rx).leaving);
		assert_int_equal(vhost_pair_virtqueue(0, rx).dma, dma);
	}
	/* Nothing overtakes them. */
	assert_int_equal(send_some(HOST, 8, 8), 0);
	assert_int_equal(send_some(GUEST, 8, 8), 8);
	receive_none(HOST);
	receive_none(GUEST);
}

/* They arrive, then later ones by the CPU. */
static void
end_stuck(uint64_t dma_bytes)
{
	assert_int_equal(move(true, -1), -EAGAIN); /* its packets are the program's to receive */
	receive_some(HOST, 0, 8);
	receive_some(GUEST, 0, 8);
	for (int rx = 0; rx < 2; rx++) {
		assert_int_equal(move(rx, -1), 0);
		assert_false(vhost_pair_virtqueue(0, rx).leaving);
		assert_int_equal(vhost_pair_virtqueue(0, rx).copy, NET_ASYNC_VHOST_CPU);
	}
	receive_some(HOST, 8, 8);
	assert_int_equal(send_some(HOST, 8, 8), 8);
	receive_some(GUEST, 8, 8);
	for (int rx = 0; rx < 2; rx++) {
		assert_int_equal(vhost_pair_virtqueue(0, rx).stats.in_flight, 0);
		assert_int_equal(vhost_pair_virtqueue(0, rx).stats.packets, 16);
		assert_int_equal(vhost_pair_virtqueue(0, rx).stats.dma_bytes, dma_bytes);
		assert_true(vhost_pair_virtqueue(0, rx).stats.cpu_bytes >= 8 * 1000);
	}
}

/* A channel changes only when its copies are complete. */
TEST(move_waits)
{
	int16_t dma;

	vhost_pair_begin("movable", 1, 2048, "", "mrg_rxbuf=1");
	assert_int_equal(rte_vdev_init("dma_scripted0", "stepped=1"), 0);
	dma = engine_taken("dma_scripted0");
	begin_stuck(dma);
	/* To stay is no move. */
	assert_int_equal(move(false, dma), 0);
	assert_int_equal(vhost_pair_virtqueue(0, false).copy, NET_ASYNC_VHOST_DMA);
	assert_int_equal(move(false, -1), -EAGAIN);
	assert_int_equal(net_async_vhost_engine_lost(dma), -ENOTSUP);
	scripted_step(scripted_of(dma), 0, UINT32_MAX);
	scripted_step(scripted_of(dma), 1, UINT32_MAX);
	end_stuck(8 * 1000);
	net_async_vhost_engine_release(dma);
	assert_int_equal(rte_vdev_uninit("dma_scripted0"), 0);
	vhost_pair_end();
}

/* An engine that never answers: the CPU makes its copies, and no packet is lost. */
TEST(engine_lost)
{
	int16_t dma;

	vhost_pair_begin("movable", 1, 2048, "", "mrg_rxbuf=1");
	assert_int_equal(rte_vdev_init("dma_scripted0", "stepped=1"), 0);
	assert_int_equal(rte_vdev_init("dma_adaptive9", "dev=dma_scripted0,min_len=0"), 0);
	dma = engine_taken("dma_adaptive9");
	begin_stuck(dma);
	assert_int_equal(net_async_vhost_engine_lost(dma), 0);
	end_stuck(8 * 1000);
	net_async_vhost_engine_release(dma);
	assert_int_equal(rte_vdev_uninit("dma_adaptive9"), 0);
	assert_int_equal(rte_vdev_uninit("dma_scripted0"), 0);
	vhost_pair_end();
}

/*
 * An engine that was stopped while its guest left is no queue's again until both directions have left
 * it; then it can be started anew.
 */
TEST(engine_stopped)
{
	int16_t dma;

	vhost_pair_begin("movable", 1, 2048, "", "mrg_rxbuf=1");
	assert_int_equal(rte_vdev_init("dma_scripted0", "stepped=1"), 0);
	dma = engine_taken("dma_scripted0");
	assert_int_equal(move(false, dma), 0);
	assert_int_equal(send_some(HOST, 0, 8), 8);
	assert_false(vhost_pair_virtqueue(0, false).lost);
	vhost_pair_end_one(GUEST);
	WAIT_UNTIL(!vhost_pair_linked());
	assert_int_equal(scripted_of(dma)->stops, 1);
	assert_true(vhost_pair_virtqueue(0, false).lost);
	assert_false(vhost_pair_virtqueue(0, true).lost);
	vhost_pair_guest("mrg_rxbuf=1");
	assert_int_equal(move(true, dma), -EIO);
	assert_int_equal(net_async_vhost_engine_take(dma), -EIO);
	vhost_pair_both_ways(20, 1500);
	assert_int_equal(vhost_pair_virtqueue(0, true).dma, -1);
	assert_int_equal(move(false, -1), 0);
	assert_false(vhost_pair_virtqueue(0, false).lost);
	net_async_vhost_engine_release(dma);
	scripted_of(dma)->stepped = false;
	assert_int_equal(net_async_vhost_engine_take(dma), 0);
	assert_int_equal(move(true, dma), 0);
	vhost_pair_both_ways(20, 1500);
	assert_true(vhost_pair_virtqueue(0, true).stats.dma_bytes > 0);
	WAIT_UNTIL(move(true, -1) == 0);
	net_async_vhost_engine_release(dma);
	vhost_pair_end();
	assert_int_equal(rte_vdev_uninit("dma_scripted0"), 0);
}

/* Ports that name their channels keep them; guests and ports go with a channel that was moved. */
TEST(move_refused)
{
	int16_t dma;

	vhost_pair_begin("adaptive", 1, 2048, "", "mrg_rxbuf=1");
	assert_int_equal(move(false, -1), -ENOTSUP);
	assert_int_equal(net_async_vhost_move(vhost_pair.port[HOST], 1, false, -1, 0), -EINVAL);
	assert_int_equal(net_async_vhost_move(vhost_pair.port[GUEST], 0, false, -1, 0), -ENODEV);
	assert_int_equal(vhost_pair_virtqueue(0, false).copy, NET_ASYNC_VHOST_ADAPTIVE);
	vhost_pair_both_ways(20, 1500);
	vhost_pair_end();
	vhost_pair_begin("movable", 1, 2048, "", "mrg_rxbuf=1");
	assert_int_equal(vhost_pair_virtqueue(0, false).copy, NET_ASYNC_VHOST_CPU);
	dma = engine_taken("dma_adaptive0");
	assert_int_equal(net_async_vhost_move(vhost_pair.port[HOST], 0, false, dma, 0), 0);
	assert_int_equal(vhost_pair_virtqueue(0, false).copy, NET_ASYNC_VHOST_ADAPTIVE);
	assert_int_equal(net_async_vhost_move(vhost_pair.port[HOST], 0, true, dma, 0), -EBUSY);
	vhost_pair_traffic(HOST, 0, 40, 65535);
	vhost_pair_end_one(GUEST);
	vhost_pair_guest("mrg_rxbuf=1");
	assert_int_equal(vhost_pair_virtqueue(0, false).dma, dma);
	vhost_pair_traffic(HOST, 0, 40, 65535);
	assert_true(vhost_pair_virtqueue(0, false).stats.dma_bytes > 0);
	WAIT_UNTIL(net_async_vhost_move(vhost_pair.port[HOST], 0, false, -1, 0) == 0);
	net_async_vhost_engine_release(dma);
	vhost_pair_both_ways(20, 1500);
	vhost_pair_end();
}

TESTS(.setup = vhost_pair_setup, .teardown = vhost_pair_teardown);
