/* net_async_vhost and a guest in the same process, net_virtio_user: packets of 60 bytes to 64 KB both
 * ways, byte by byte, whoever copies, and what becomes of them when the guest goes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"

#include "base/base.h"
#include "fixtures/vhost_pair.h"
#include "pmd_shims/drivers/dma_adaptive/dma_adaptive.h"

#include <rte_bus_vdev.h>
#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const char *const engines[] = { "none", "skeleton", "adaptive" };
static const char *const rings[] = { "mrg_rxbuf=1", "mrg_rxbuf=1,packed_vq=1" };

TEST(lengths)
{
	static const unsigned int rooms[] = { 2048, 4096, 8192 };

	for (unsigned int e = 0; e < 2 * ARRAY_SIZE(engines); e++)
		for (unsigned int r = 0; r < ARRAY_SIZE(rooms); r++) {
			vhost_pair_begin(engines[e / 2], 1, rooms[r], "", rings[e % 2]);
			vhost_pair_both_ways(200, 65535);
			for (int rx = 0; rx < 2; rx++) {
				const struct net_async_vhost_virtqueue v =
					vhost_pair_virtqueue(0, rx);

				assert_int_equal(v.stats.packets, 200);
				assert_int_equal(v.stats.cpu_bytes + v.stats.dma_bytes >=
						v.stats.bytes,
					1);
				assert_int_equal(v.stats.cpu_bytes > 0, e / 2 != 1);
				assert_int_equal(v.stats.dma_bytes > 0, e / 2 != 0);
			}
			vhost_pair_end();
		}
}

TEST(queues)
{
	static const char *const guests[] = { "mrg_rxbuf=1", "mrg_rxbuf=0", "packed_vq=1",
		"in_order=0,mrg_rxbuf=1" };

	for (unsigned int n = 1; n <= 4; n++)
		for (unsigned int e = 0; e < ARRAY_SIZE(engines); e++) {
			vhost_pair_begin(engines[e], n, 2048, "", guests[n - 1]);
			vhost_pair_both_ways(120, 1500);
			vhost_pair_end();
		}
}

static void
copy_changes_on(const char *ring)
{
	static const enum net_async_vhost_copy order[] = { NET_ASYNC_VHOST_CPU, NET_ASYNC_VHOST_DMA,
		NET_ASYNC_VHOST_ADAPTIVE, NET_ASYNC_VHOST_CPU, NET_ASYNC_VHOST_AUTO,
		NET_ASYNC_VHOST_DMA };

	vhost_pair_begin("adaptive", 1, 2048, "", ring);
	for (unsigned int i = 0; i < 12; i++) {
		assert_int_equal(net_async_vhost_set_copy(vhost_pair.port[HOST], 0,
					 order[i % ARRAY_SIZE(order)]),
			0);
		vhost_pair_both_ways(40, 65535);
	}
	vhost_pair_end();
}

TEST(copy_changes)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(rings); i++)
		copy_changes_on(rings[i]);
}

TEST(copy_refused)
{
	vhost_pair_begin("skeleton", 1, 2048, "", "mrg_rxbuf=1");
	assert_int_equal(vhost_pair_virtqueue(0, true).copy, NET_ASYNC_VHOST_DMA);
	assert_int_equal(net_async_vhost_set_copy(vhost_pair.port[HOST], 0,
				 NET_ASYNC_VHOST_ADAPTIVE),
		-ENOTSUP);
	assert_int_equal(net_async_vhost_set_copy(vhost_pair.port[HOST], 1, NET_ASYNC_VHOST_CPU),
		-EINVAL);
	assert_int_equal(net_async_vhost_set_copy(vhost_pair.port[GUEST], 0, NET_ASYNC_VHOST_CPU),
		-ENODEV);
	vhost_pair_end();
	vhost_pair_begin("none", 1, 2048, "", "mrg_rxbuf=1");
	assert_int_equal(net_async_vhost_set_copy(vhost_pair.port[HOST], 0, NET_ASYNC_VHOST_DMA),
		-ENOTSUP);
	assert_int_equal(net_async_vhost_set_copy(vhost_pair.port[HOST], 0, NET_ASYNC_VHOST_CPU),
		0);
	vhost_pair_end();
}

/* One threshold while autotuning, near and far; whatever was asked for comes back. */
TEST(autotuned)
{
	const struct dma_min_len begin = { 6600, 12000 };
	struct dma_min_len now;
	int16_t dma;

	vhost_pair_begin("adaptive", 1, 2048, "", "mrg_rxbuf=1");
	dma = vhost_pair_virtqueue(0, false).dma;
	assert_int_equal(dma_adaptive_set_min_len(dma, 0, begin), 0);
	assert_int_equal(net_async_vhost_set_copy(vhost_pair.port[HOST], 0, NET_ASYNC_VHOST_AUTO),
		0);
	for (unsigned int i = 0; i < 5; i++)
		vhost_pair_both_ways(2000, 9000);
	assert_int_equal(dma_adaptive_min_len(dma, 0, &now), 0);
	assert_int_equal(now.near, now.far);
	assert_int_equal(net_async_vhost_set_copy(vhost_pair.port[HOST], 0, NET_ASYNC_VHOST_DMA),
		0);
	vhost_pair_both_ways(100, 9000);
	dma_adaptive_min_len(dma, 0, &now);
	assert_true(now.near == 0 && now.far == 0);
	/* And back to what was asked for. */
	for (int copy = NET_ASYNC_VHOST_CPU; copy <= NET_ASYNC_VHOST_ADAPTIVE; copy += 2) {
		assert_int_equal(net_async_vhost_set_copy(vhost_pair.port[HOST], 0,
					 (enum net_async_vhost_copy)copy),
			0);
		dma_adaptive_min_len(dma, 0, &now);
		assert_true(now.near == begin.near && now.far == begin.far);
	}
	vhost_pair_end();
	vhost_pair_begin("skeleton", 1, 2048, "", "mrg_rxbuf=1");
	assert_int_equal(net_async_vhost_set_copy(vhost_pair.port[HOST], 0, NET_ASYNC_VHOST_AUTO),
		-ENOTSUP);
	vhost_pair_end();
}

/* Packets that nobody takes: what the port can, it holds or has given to the guest. */
static void
fill(unsigned int from, uint32_t packets)
{
	struct rte_mbuf *out[BURST];

	for (uint32_t i = 0; i < packets; i++) {
		out[0] = vhost_pair_packet(from, i, vhost_pair_length(i, 4096));
		if (rte_eth_tx_burst(vhost_pair.port[from], 0, out, 1) == 0)
			rte_pktmbuf_free(out[0]);
	}
}

TEST(guest_comes_and_goes)
{
	struct net_async_vhost_guest g;
	struct rte_mbuf *in[BURST];

	for (unsigned int e = 0; e < ARRAY_SIZE(engines); e++) {
		vhost_pair_begin(engines[e], 1, 2048, "", "mrg_rxbuf=1");
		for (unsigned int i = 0; i < 6; i++) {
			fill(HOST, 48);
			fill(GUEST, 48);
			rte_pktmbuf_free_bulk(in,
				rte_eth_rx_burst(vhost_pair.port[HOST], 0, in, BURST));
			if (i % 3 == 2) { /* the port goes to sleep and comes back */
				assert_int_equal(rte_eth_dev_stop(vhost_pair.port[HOST]), 0);
				assert_int_equal(vhost_pair_virtqueue(0, false).stats.in_flight, 0);
				assert_int_equal(rte_eth_dev_start(vhost_pair.port[HOST]), 0);
			}
			vhost_pair_end_one(GUEST);
			WAIT_UNTIL(!vhost_pair_linked());
			assert_int_equal(rte_eth_tx_burst(vhost_pair.port[HOST], 0, in, 0), 0);
			assert_int_equal(vhost_pair_virtqueue(0, false).stats.in_flight, 0);
			vhost_pair_guest("mrg_rxbuf=1");
		}
		assert_int_equal(net_async_vhost_guest(vhost_pair.port[HOST], &g), 0);
		assert_int_equal(g.connects, 7);
		assert_int_equal(g.disconnects, 6);
		vhost_pair_both_ways(50, 65535);
		vhost_pair_end();
	}
}

TEST(port_goes_first)
{
	for (unsigned int e = 0; e < ARRAY_SIZE(engines); e++) {
		vhost_pair_begin(engines[e], 1, 2048, "", "mrg_rxbuf=1");
		fill(HOST, 100);
		fill(GUEST, 100);
		vhost_pair_end_one(HOST);
		vhost_pair_end();
	}
}

TEST(empty_packets)
{
	struct rte_mbuf *m;

	for (unsigned int e = 0; e < ARRAY_SIZE(engines); e++) {
		vhost_pair_begin(engines[e], 1, 2048, "", "mrg_rxbuf=1");
		m = rte_pktmbuf_alloc(vhost_pair.pool[HOST]);
		assert_int_equal(rte_eth_tx_burst(vhost_pair.port[HOST], 0, &m, 1), 1);
		assert_int_equal(vhost_pair_virtqueue(0, false).stats.refused, 1);
		vhost_pair_both_ways(20, 1500);
		vhost_pair_end();
	}
}

/* What a device argument is refused for leaves nothing behind. */
TEST(refused)
{
	static const char *const bad[] = {
		"",
		"iface=",
		"iface=%s,queues=0",
		"iface=%s,queues=65",
		"iface=%s,queues=x",
		"iface=%s,tso=2",
		"iface=%s,client=yes",
		"iface=%s,mac=1",
		"iface=%s,nonsense=1",
		"iface=%s,dmas=txq0@x",
		"iface=%s,dmas=[]x",
		"iface=%s,dmas=[txq1@x]",
		"iface=%s,dmas=[txq0]",
		"iface=%s,dmas=[txq0@]",
		"iface=%s,dmas=[bxq0@x]",
		"iface=%s,dmas=[txq0@x;txq0@y]",
		"iface=%s/none/s",
		"iface=/dev/null",
	};
	char args[256];
	struct stat st;

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(args, sizeof(args), bad[i], vhost_pair.path);
		if (rte_eal_hotplug_add("vdev", "net_async_vhost999", args) == 0)
			fail_msg("%s was taken", args);
	}
	assert_int_not_equal(stat(vhost_pair.path, &st), 0);
	assert_int_equal(stat("/dev/null", &st), 0);
}

static int
plug(const char *more)
{
	char args[256];

	snprintf(args, sizeof(args), "iface=%s%s", vhost_pair.path, more);
	return rte_eal_hotplug_add("vdev", "net_async_vhost998", args);
}

TEST(paths)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd;

	fclose(fopen(vhost_pair.path, "w"));
	assert_int_not_equal(plug(""), 0);
	assert_int_equal(unlink(vhost_pair.path), 0);
	snprintf(to.sun_path, sizeof(to.sun_path), "%s", vhost_pair.path);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_not_equal(plug(""), 0);
	close(fd); /* its path stays, as after kill -9 */
	assert_int_equal(plug(""), 0);
	assert_int_equal(rte_eal_hotplug_remove("vdev", "net_async_vhost998"), 0);
}

static int
configured(void)
{
	const struct rte_eth_conf conf = { 0 };
	uint16_t port;

	assert_int_equal(rte_eth_dev_get_port_by_name("net_async_vhost998", &port), 0);
	return rte_eth_dev_configure(port, 1, 1, &conf);
}

TEST(engine_missing_or_in_use)
{
	const char *args;

	assert_int_equal(plug(",dmas=[txq0@dma_none]"), 0);
	assert_int_equal(configured(), -ENODEV);
	assert_int_equal(rte_eal_hotplug_remove("vdev", "net_async_vhost998"), 0);
	vhost_pair.queues = 1;
	args = vhost_pair_engines("skeleton");
	assert_non_null(args);
	/* A skeleton has one vchan. */
	assert_int_equal(plug(",dmas=[txq0@dma_skeleton0;rxq0@dma_skeleton0]"), 0);
	assert_int_equal(configured(), -ENOSPC);
	assert_int_equal(rte_eal_hotplug_remove("vdev", "net_async_vhost998"), 0);
	vhost_pair_engines_end();
	vhost_pair_begin("skeleton", 1, 2048, "", "mrg_rxbuf=1");
	vhost_pair.path[strlen(vhost_pair.path) - 1] = 't';
	assert_int_equal(plug(",dmas=[txq0@dma_skeleton0]"), 0);
	assert_int_equal(configured(), -EBUSY);
	assert_int_equal(rte_eal_hotplug_remove("vdev", "net_async_vhost998"), 0);
	vhost_pair.path[strlen(vhost_pair.path) - 1] = 's';
	vhost_pair_both_ways(20, 1500);
	vhost_pair_end();
}

TESTS(.setup = vhost_pair_setup, .teardown = vhost_pair_teardown);
