/* Copies of net_async_vhost by a DMA device that fails, is small or hangs: each packet arrives whole and in
 * order, or is freed and counted. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/dma_scripted.h"
#include "fixtures/vhost_pair.h"
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"

#include <rte_bus_vdev.h>
#include <rte_dmadev.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#define DMAS ",dmas=[txq0@dma_scripted0;rxq0@dma_scripted1]"

static const char *const rings[] = { "mrg_rxbuf=1", "mrg_rxbuf=1,packed_vq=1", "mrg_rxbuf=0" };

/* A port whose directions have a scripted engine each. */
static void
begin(const char *engine, const char *ring)
{
	assert_int_equal(rte_vdev_init("dma_scripted0", engine), 0);
	assert_int_equal(rte_vdev_init("dma_scripted1", engine), 0);
	vhost_pair_begin("none", 1, 2048, DMAS, ring);
}

static void
end(void)
{
	vhost_pair_end();
	assert_int_equal(rte_vdev_uninit("dma_scripted0"), 0);
	assert_int_equal(rte_vdev_uninit("dma_scripted1"), 0);
}

static struct scripted *
engine(bool rx)
{
	return scripted_of(vhost_pair_virtqueue(0, rx).dma);
}

static uint16_t
send_some(unsigned int from, uint32_t first, uint16_t n, uint32_t bytes)
{
	struct rte_mbuf *out[BURST];
	uint16_t sent;

	for (uint16_t i = 0; i < n; i++)
		out[i] = vhost_pair_packet(from, first + i, bytes);
	sent = rte_eth_tx_burst(vhost_pair.port[from], 0, out, n);
	rte_pktmbuf_free_bulk(&out[sent], n - sent);
	return sent;
}

/* What can be received without waiting. */
static uint16_t
receive(unsigned int at, struct rte_mbuf **in, uint16_t max)
{
	uint16_t n = 0, more;

	if (at == GUEST)
		rte_eth_tx_done_cleanup(vhost_pair.port[HOST], 0, 0);
	for (unsigned int i = 0; i < 20; i++) {
		more = rte_eth_rx_burst(vhost_pair.port[at], 0, &in[n], max - n);
		n += more;
	}
	return n;
}

/* Every fifth copy fails; its packet is counted, and all others arrive. */
TEST(copies_fail)
{
	for (unsigned int r = 0; r < ARRAY_SIZE(rings); r++) {
		begin("", rings[r]);
		for (int rx = 0; rx < 2; rx++) {
			struct rte_mbuf *in[BURST];
			uint32_t number = 0;
			uint16_t n;

			engine(rx)->fail_every = 5;
			assert_int_equal(send_some(rx ? GUEST : HOST, 0, 30, 1000), 30);
			n = receive(rx ? HOST : GUEST, in, BURST);
			assert_int_equal(n, 24);
			for (uint16_t i = 0; i < n; i++, number++) {
				number += number % 5 == 4;
				vhost_pair_check(in[i], number, 1000);
			}
			rte_pktmbuf_free_bulk(in, n);
			assert_int_equal(vhost_pair_virtqueue(0, rx).stats.drained, 6);
			assert_int_equal(vhost_pair_virtqueue(0, rx).stats.in_flight, 0);
			engine(rx)->fail_every = 0;
		}
		vhost_pair_both_ways(40, 1500);
		end();
	}
}

/* A packet with more parts than the device has room for: the CPU copies the others. */
TEST(small_engine)
{
	for (unsigned int r = 0; r < 2; r++) {
		begin("", rings[r]);
		for (int rx = 0; rx < 2; rx++)
			engine(rx)->room[0] = 3;
		vhost_pair_both_ways(64, 65535);
		end();
	}
}

/* The device takes no copy at all. */
TEST(refusing_engine)
{
	for (unsigned int r = 0; r < 2; r++) {
		begin("", rings[r]);
		for (int rx = 0; rx < 2; rx++)
			engine(rx)->refuse = EINVAL;
		vhost_pair_both_ways(64, 65535);
		end();
	}
}

/* Copies that are never made when the guest goes: their device is stopped before its memory goes. */
TEST(hung_engine)
{
	for (unsigned int r = 0; r < 2; r++) {
		begin("stepped=1", rings[r]);
		for (int rx = 0; rx < 2; rx++)
			assert_int_equal(send_some(rx ? GUEST : HOST, 0, 8, 1000), 8);
		WAIT_UNTIL((rte_eth_rx_burst(vhost_pair.port[HOST], 0, NULL, 0),
			send_some(HOST, 0, 0, 0),
			receive(HOST, (struct rte_mbuf *[BURST]){ 0 }, BURST) == 0 &&
				vhost_pair_virtqueue(0, true).stats.in_flight == 8));
		vhost_pair_end_one(GUEST);
		WAIT_UNTIL(!vhost_pair_linked());
		for (int rx = 0; rx < 2; rx++) {
			assert_int_equal(engine(rx)->stops, 1);
			assert_int_equal(vhost_pair_virtqueue(0, rx).stats.in_flight, 0);
			assert_int_equal(vhost_pair_virtqueue(0, rx).stats.drained, 8);
		}
		/* The next guest's packets are the CPU's to copy. */
		vhost_pair_guest(rings[r]);
		for (int rx = 0; rx < 2; rx++)
			assert_int_equal(vhost_pair_virtqueue(0, rx).copy, NET_ASYNC_VHOST_CPU);
		vhost_pair_both_ways(40, 9000);
		end();
	}
}

/* A device in the middle of copies when the guest goes ends them first. */
TEST(late_engine)
{
	for (unsigned int r = 0; r < 2; r++) {
		begin("", rings[r]);
		for (unsigned int i = 0; i < 4; i++) {
			for (int rx = 0; rx < 2; rx++) {
				engine(rx)->stepped = true;
				assert_int_equal(send_some(rx ? GUEST : HOST, 0, 8, 1000), 8);
			}
			assert_int_equal(receive(HOST, (struct rte_mbuf *[BURST]){ 0 }, BURST), 0);
			for (int rx = 0; rx < 2; rx++) {
				/* Done, and not yet collected. */
				engine(rx)->stepped = false;
				scripted_step(engine(rx), 0, UINT32_MAX);
			}
			vhost_pair_end_one(GUEST);
			WAIT_UNTIL(!vhost_pair_linked());
			assert_int_equal(vhost_pair_virtqueue(0, true).stats.drained, 8 * (i + 1));
			assert_int_equal(vhost_pair_virtqueue(0, false).stats.drained, 0);
			assert_int_equal(engine(true)->stops, 0);
			vhost_pair_guest(rings[r]);
			vhost_pair_both_ways(40, 9000);
		}
		end();
	}
}

TESTS(.setup = vhost_pair_setup, .teardown = vhost_pair_teardown);
