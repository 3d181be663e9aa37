/* net_async_vhost and a guest in the same process, net_virtio_user: packets of 60 bytes to 64 KB both
 * ways, byte by byte, whoever copies, and what becomes of them when the guest goes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"

#include "base/base.h"
#include "compat.h"
#include "fixtures/dma_scripted.h"
#include "fixtures/own_lcores.h"
#include "fixtures/unit.h"
#include "pmd_shims/drivers/dma_adaptive/dma_adaptive.h"

#include <rte_bus_vdev.h>
#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_dmadev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define RING 256
#define BURST 32
#define SECONDS 20 /* of waiting before a test fails */

enum { HOST, GUEST, ENDS };

static const char *const engines[] = { "none", "skeleton", "adaptive" };

/* A pair of ports: what it was made of. */
static struct {
	char folder[32], path[64];
	uint16_t port[ENDS];
	struct rte_mempool *pool[ENDS];
	unsigned int queues,
		made; /* made: tells pools and ports of one test from those of another */
	bool there[ENDS];
	void (*between)(void); /* called between bursts; NULL: nothing */
} pair = { .folder = "/tmp/vhost.XXXXXX" };

static bool
in_time(uint64_t *until)
{
	if (*until == 0)
		*until = rte_get_timer_cycles() + SECONDS * rte_get_timer_hz();
	return rte_get_timer_cycles() < *until;
}

#define WAIT(condition) \
	do { \
		uint64_t until_ = 0; \
		while (!(condition)) \
			assert_true(in_time(&until_)); \
	} while (0)

static int
group_setup(void **state)
{
	char *args[] = { "net_async_vhost", "--no-huge", "--no-shconf", "--no-pci", "-m", "320",
		"--no-telemetry", own_lcores("0"), "--iova-mode=va", "--log-level=error",
		"--log-level=lib.vhost*:critical", "--log-level=pmd.net.virtio*:critical",
		"--log-level=lib.eal:critical", "--log-level=lib.ethdev:critical",
		"--log-level=lib.dmadev:critical", "--log-level=*vhost*:critical" };

	signal(SIGPIPE, SIG_IGN);
	assert_non_null(mkdtemp(pair.folder));
	snprintf(pair.path, sizeof(pair.path), "%s/s", pair.folder);
	assert_int_equal(rte_eal_init(ARRAY_SIZE(args), args), ARRAY_SIZE(args) - 1);
	return 0;
}

static int
group_teardown(void **state)
{
	unlink(pair.path);
	assert_int_equal(rmdir(pair.folder), 0);
	return rte_eal_cleanup();
}

static void
port_begin(unsigned int end, const char *name, const char *devargs)
{
	const struct rte_eth_conf conf = { 0 };
	uint16_t port;

	assert_int_equal(rte_vdev_init(name, devargs), 0);
	assert_int_equal(rte_eth_dev_get_port_by_name(name, &port), 0);
	pair.port[end] = port;
	pair.there[end] = true;
	assert_int_equal(rte_eth_dev_configure(port, pair.queues, pair.queues, &conf), 0);
	for (uint16_t q = 0; q < pair.queues; q++) {
		assert_int_equal(rte_eth_rx_queue_setup(port, q, RING, SOCKET_ID_ANY, NULL,
					 pair.pool[end]),
			0);
		assert_int_equal(rte_eth_tx_queue_setup(port, q, RING, SOCKET_ID_ANY, NULL), 0);
	}
	assert_int_equal(rte_eth_dev_start(port), 0);
}

static bool
linked(void)
{
	struct net_async_vhost_guest g;

	assert_int_equal(net_async_vhost_guest(pair.port[HOST], &g), 0);
	return g.connected && g.virtqueues >= 2 * pair.queues;
}

static bool
served(void)
{
	struct net_async_vhost_virtqueue v;

	for (uint16_t q = 0; q < pair.queues; q++)
		for (int rx = 0; rx < 2; rx++) {
			assert_int_equal(net_async_vhost_virtqueue(pair.port[HOST], q, rx, &v), 0);
			if (!v.open)
				return false;
		}
	return linked();
}

static void
guest_begin(const char *devargs)
{
	char args[512], name[32];

	snprintf(name, sizeof(name), "net_virtio_user%u", pair.made++);
	snprintf(args, sizeof(args), "path=%s,queues=%u,queue_size=%u,%s", pair.path, pair.queues,
		RING, devargs);
	port_begin(GUEST, name, args);
	WAIT(served());
}

static void
end_one(unsigned int end)
{
	char name[RTE_ETH_NAME_MAX_LEN];

	if (!pair.there[end])
		return;
	pair.there[end] = false;
	assert_int_equal(compat_port_name(pair.port[end], name), 0);
	rte_eth_dev_stop(pair.port[end]);
	assert_int_equal(rte_eth_dev_close(pair.port[end]), 0);
	rte_eal_hotplug_remove("vdev", name);
}

/* The engine of queue i, of a name. */
static void
engine_name(char *name, size_t size, const char *engine, unsigned int i)
{
	snprintf(name, size, "dma_%s%u", engine, i);
}

/* DMA devices for both directions of every queue. Returns the device argument. movable: adaptive
 * ones, which the argument does not name. */
static const char *
engines_begin(const char *engine)
{
	static char dmas[512];
	char name[32], below[96];
	int at = snprintf(dmas, sizeof(dmas), ",dmas=[");

	if (strcmp(engine, "none") == 0)
		return "";
	if (strcmp(engine, "movable") == 0) {
		engines_begin("adaptive");
		return ",dmas=auto";
	}
	for (unsigned int i = 0; i < 2 * pair.queues; i++) {
		engine_name(name, sizeof(name), "skeleton", i);
		assert_int_equal(rte_vdev_init(name, ""), 0);
		if (strcmp(engine, "adaptive") == 0) {
			snprintf(below, sizeof(below), "dev=%s,min_len=2048,min_len_nr=3072", name);
			engine_name(name, sizeof(name), "adaptive", i);
			assert_int_equal(rte_vdev_init(name, below), 0);
		}
		at += snprintf(dmas + at, sizeof(dmas) - (size_t)at, "%s%cxq%u@%s",
			i > 0 ? ";" : "", i % 2 == 0 ? 't' : 'r', i / 2, name);
	}
	snprintf(dmas + at, sizeof(dmas) - (size_t)at, "]");
	return dmas;
}

static void
engines_end(void)
{
	char name[32];

	for (unsigned int i = 0; i < 2 * pair.queues; i++) {
		engine_name(name, sizeof(name), "adaptive", i);
		rte_eal_hotplug_remove("vdev", name);
		engine_name(name, sizeof(name), "skeleton", i);
		rte_eal_hotplug_remove("vdev", name);
	}
}

static void
pair_begin(const char *engine, unsigned int queues, unsigned int room, const char *host,
	const char *guest)
{
	char args[1024], name[32];

	pair.queues = queues;
	for (unsigned int end = 0; end < ENDS; end++) {
		snprintf(name, sizeof(name), "pool%u", pair.made++);
		pair.pool[end] = rte_pktmbuf_pool_create(name,
			2047u * 2176 / (room + 128) + 1200 * queues, 0, 0,
			(uint16_t)(room + RTE_PKTMBUF_HEADROOM), SOCKET_ID_ANY);
		assert_non_null(pair.pool[end]);
	}
	snprintf(args, sizeof(args), "iface=%s,queues=%u%s%s", pair.path, queues, host,
		engines_begin(engine));
	snprintf(name, sizeof(name), "net_async_vhost%u", pair.made++);
	port_begin(HOST, name, args);
	guest_begin(guest);
}

/* Nothing is leaked: all mbufs are back. */
static void
pair_end(void)
{
	end_one(GUEST);
	end_one(HOST);
	for (unsigned int end = 0; end < ENDS; end++)
		assert_int_equal(rte_mempool_avail_count(pair.pool[end]), pair.pool[end]->size);
	for (unsigned int end = 0; end < ENDS; end++)
		rte_mempool_free(pair.pool[end]);
	engines_end();
}

/* Byte i of a packet tells its number. */
static uint8_t
byte_of(uint32_t number, uint32_t i)
{
	return (uint8_t)(number * 7 + i * 13 + (i >> 8));
}

/* Packets are Ethernet of an unknown type. */
static struct rte_mbuf *
make(unsigned int end, uint32_t number, uint32_t length)
{
	struct rte_mbuf *first = rte_pktmbuf_alloc(pair.pool[end]), *last = first;
	uint32_t at = 0;

	assert_non_null(first);
	while (true) {
		uint32_t n = RTE_MIN(length - at, rte_pktmbuf_tailroom(last));
		uint8_t *to = rte_pktmbuf_mtod(last, uint8_t *);

		for (uint32_t i = 0; i < n; i++, at++)
			to[i] = at == 12 ? 0x88 : (at == 13 ? 0xb5 : byte_of(number, at));
		if (to == rte_pktmbuf_mtod(first, uint8_t *))
			to[0] &= 0xfe;
		last->data_len = (uint16_t)n;
		if (at == length)
			break;
		last->next = rte_pktmbuf_alloc(pair.pool[end]);
		assert_non_null(last->next);
		last = last->next;
		first->nb_segs++;
	}
	first->pkt_len = length;
	return first;
}

static void
check(const struct rte_mbuf *m, uint32_t number, uint32_t length)
{
	uint32_t at = 0;

	assert_int_equal(m->pkt_len, length);
	for (; m != NULL; m = m->next)
		for (uint32_t i = 0; i < m->data_len; i++, at++) {
			uint8_t want = at == 12 ? 0x88 : (at == 13 ? 0xb5 : byte_of(number, at));

			if (at == 0)
				want &= 0xfe;
			if (*rte_pktmbuf_mtod_offset(m, const uint8_t *, i) != want)
				fail_msg("packet %u of %u bytes: byte %u", number, length, at);
		}
	assert_int_equal(at, length);
}

/* The length of a packet: 60 bytes to most, short and long ones in turn. */
static uint32_t
length_of(uint32_t number, uint32_t most)
{
	static const uint32_t lengths[] = { 60, 64, 1500, 256, 2047, 2048, 4095, 4096, 128, 8192,
		1024, 9000, 16384, 61, 3072, 65535 };

	return RTE_MIN(lengths[number % ARRAY_SIZE(lengths)], most);
}

/* Sends so many packets from one end and takes them at the other, in bursts of different sizes. */
static void
traffic(unsigned int from, uint16_t queue, uint32_t packets, uint32_t most)
{
	struct rte_mbuf *out[BURST], *in[BURST], *none[BURST];
	uint32_t made = 0, got = 0;
	uint16_t n = 0, sent, i;
	uint64_t until = 0;

	while (got < packets) {
		assert_true(in_time(&until));
		if (pair.between != NULL)
			pair.between();
		for (; n < 1 + made % 8 && made < packets; made++)
			out[n++] = make(from, made, length_of(made, most));
		sent = rte_eth_tx_burst(pair.port[from], queue, out, n);
		n -= sent;
		memmove(out, &out[sent], n * sizeof(out[0]));
		/* What the sending side receives: nothing; it looks after its copies there. */
		assert_int_equal(rte_eth_rx_burst(pair.port[from], queue, none, BURST), 0);
		i = rte_eth_rx_burst(pair.port[!from], queue, in, 1 + got % BURST);
		for (uint16_t k = 0; k < i; k++, got++) {
			check(in[k], got, length_of(got, most));
			rte_pktmbuf_free(in[k]);
		}
	}
}

static void
both_ways(uint32_t packets, uint32_t most)
{
	for (uint16_t q = 0; q < pair.queues; q++) {
		traffic(HOST, q, packets, most);
		traffic(GUEST, q, packets, most);
	}
}

/* Statistics of a virtqueue of the port. */
static struct net_async_vhost_virtqueue
virtqueue(uint16_t queue, bool rx)
{
	struct net_async_vhost_virtqueue v;

	assert_int_equal(net_async_vhost_virtqueue(pair.port[HOST], queue, rx, &v), 0);
	return v;
}

static void
lengths(void **state)
{
	static const unsigned int rooms[] = { 2048, 4096, 8192 };

	for (unsigned int e = 0; e < ARRAY_SIZE(engines); e++)
		for (unsigned int r = 0; r < ARRAY_SIZE(rooms); r++) {
			pair_begin(engines[e], 1, rooms[r], "", "mrg_rxbuf=1");
			both_ways(200, 65535);
			for (int rx = 0; rx < 2; rx++) {
				const struct net_async_vhost_virtqueue v = virtqueue(0, rx);

				assert_int_equal(v.stats.packets, 200);
				assert_int_equal(v.stats.cpu_bytes + v.stats.dma_bytes >=
						v.stats.bytes,
					1);
				assert_int_equal(v.stats.cpu_bytes > 0, e != 1);
				assert_int_equal(v.stats.dma_bytes > 0, e != 0);
			}
			pair_end();
		}
}

static void
queues(void **state)
{
	static const char *const guests[] = { "mrg_rxbuf=1", "mrg_rxbuf=0", "packed_vq=1",
		"in_order=0,mrg_rxbuf=1" };

	for (unsigned int n = 1; n <= 4; n++)
		for (unsigned int e = 0; e < ARRAY_SIZE(engines); e++) {
			pair_begin(engines[e], n, 2048, "", guests[n - 1]);
			both_ways(120, 1500);
			pair_end();
		}
}

static void
copy_changes(void **state)
{
	static const enum net_async_vhost_copy order[] = { NET_ASYNC_VHOST_CPU, NET_ASYNC_VHOST_DMA,
		NET_ASYNC_VHOST_ADAPTIVE, NET_ASYNC_VHOST_CPU, NET_ASYNC_VHOST_AUTO,
		NET_ASYNC_VHOST_DMA };

	pair_begin("adaptive", 1, 2048, "", "mrg_rxbuf=1");
	for (unsigned int i = 0; i < 12; i++) {
		assert_int_equal(net_async_vhost_set_copy(pair.port[HOST], 0,
					 order[i % ARRAY_SIZE(order)]),
			0);
		both_ways(40, 65535);
	}
	pair_end();
	pair_begin("skeleton", 1, 2048, "", "mrg_rxbuf=1");
	assert_int_equal(virtqueue(0, true).copy, NET_ASYNC_VHOST_DMA);
	assert_int_equal(net_async_vhost_set_copy(pair.port[HOST], 0, NET_ASYNC_VHOST_ADAPTIVE),
		-ENOTSUP);
	assert_int_equal(net_async_vhost_set_copy(pair.port[HOST], 1, NET_ASYNC_VHOST_CPU),
		-EINVAL);
	assert_int_equal(net_async_vhost_set_copy(pair.port[GUEST], 0, NET_ASYNC_VHOST_CPU),
		-ENODEV);
	pair_end();
	pair_begin("none", 1, 2048, "", "mrg_rxbuf=1");
	assert_int_equal(net_async_vhost_set_copy(pair.port[HOST], 0, NET_ASYNC_VHOST_DMA),
		-ENOTSUP);
	assert_int_equal(net_async_vhost_set_copy(pair.port[HOST], 0, NET_ASYNC_VHOST_CPU), 0);
	pair_end();
}

/* One threshold while autotuning, near and far; whatever was asked for comes back. */
static void
autotuned(void **state)
{
	const struct dma_min_len begin = { 6600, 12000 };
	struct dma_min_len now;
	int16_t dma;

	pair_begin("adaptive", 1, 2048, "", "mrg_rxbuf=1");
	dma = virtqueue(0, false).dma;
	assert_int_equal(dma_adaptive_set_min_len(dma, 0, begin), 0);
	assert_int_equal(net_async_vhost_set_copy(pair.port[HOST], 0, NET_ASYNC_VHOST_AUTO), 0);
	for (unsigned int i = 0; i < 5; i++)
		both_ways(2000, 9000);
	assert_int_equal(dma_adaptive_min_len(dma, 0, &now), 0);
	assert_int_equal(now.near, now.far);
	assert_int_equal(net_async_vhost_set_copy(pair.port[HOST], 0, NET_ASYNC_VHOST_DMA), 0);
	both_ways(100, 9000);
	dma_adaptive_min_len(dma, 0, &now);
	assert_true(now.near == 0 && now.far == 0);
	/* And back to what was asked for. */
	for (int copy = NET_ASYNC_VHOST_CPU; copy <= NET_ASYNC_VHOST_ADAPTIVE; copy += 2) {
		assert_int_equal(net_async_vhost_set_copy(pair.port[HOST], 0,
					 (enum net_async_vhost_copy)copy),
			0);
		dma_adaptive_min_len(dma, 0, &now);
		assert_true(now.near == begin.near && now.far == begin.far);
	}
	pair_end();
	pair_begin("skeleton", 1, 2048, "", "mrg_rxbuf=1");
	assert_int_equal(net_async_vhost_set_copy(pair.port[HOST], 0, NET_ASYNC_VHOST_AUTO),
		-ENOTSUP);
	pair_end();
}

/* Packets that nobody takes: what the port can, it holds or has given to the guest. */
static void
fill(unsigned int from, uint32_t packets)
{
	struct rte_mbuf *out[BURST];

	for (uint32_t i = 0; i < packets; i++) {
		out[0] = make(from, i, length_of(i, 4096));
		if (rte_eth_tx_burst(pair.port[from], 0, out, 1) == 0)
			rte_pktmbuf_free(out[0]);
	}
}

static void
guest_comes_and_goes(void **state)
{
	struct net_async_vhost_guest g;
	struct rte_mbuf *in[BURST];

	for (unsigned int e = 0; e < ARRAY_SIZE(engines); e++) {
		pair_begin(engines[e], 1, 2048, "", "mrg_rxbuf=1");
		for (unsigned int i = 0; i < 6; i++) {
			fill(HOST, 48);
			fill(GUEST, 48);
			rte_pktmbuf_free_bulk(in, rte_eth_rx_burst(pair.port[HOST], 0, in, BURST));
			if (i % 3 == 2) { /* the port goes to sleep and comes back */
				assert_int_equal(rte_eth_dev_stop(pair.port[HOST]), 0);
				assert_int_equal(virtqueue(0, false).stats.in_flight, 0);
				assert_int_equal(rte_eth_dev_start(pair.port[HOST]), 0);
			}
			end_one(GUEST);
			WAIT(!linked());
			assert_int_equal(rte_eth_tx_burst(pair.port[HOST], 0, in, 0), 0);
			assert_int_equal(virtqueue(0, false).stats.in_flight, 0);
			guest_begin("mrg_rxbuf=1");
		}
		assert_int_equal(net_async_vhost_guest(pair.port[HOST], &g), 0);
		assert_int_equal(g.connects, 7);
		assert_int_equal(g.disconnects, 6);
		both_ways(50, 65535);
		pair_end();
	}
}

static void
port_goes_first(void **state)
{
	for (unsigned int e = 0; e < ARRAY_SIZE(engines); e++) {
		pair_begin(engines[e], 1, 2048, "", "mrg_rxbuf=1");
		fill(HOST, 100);
		fill(GUEST, 100);
		end_one(HOST);
		pair_end();
	}
}

static void
empty_packets(void **state)
{
	struct rte_mbuf *m;

	for (unsigned int e = 0; e < ARRAY_SIZE(engines); e++) {
		pair_begin(engines[e], 1, 2048, "", "mrg_rxbuf=1");
		m = rte_pktmbuf_alloc(pair.pool[HOST]);
		assert_int_equal(rte_eth_tx_burst(pair.port[HOST], 0, &m, 1), 1);
		assert_int_equal(virtqueue(0, false).stats.refused, 1);
		both_ways(20, 1500);
		pair_end();
	}
}

/* What a device argument is refused for leaves nothing behind. */
static void
refused(void **state)
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
		snprintf(args, sizeof(args), bad[i], pair.path);
		if (rte_eal_hotplug_add("vdev", "net_async_vhost999", args) == 0)
			fail_msg("%s was taken", args);
	}
	assert_int_not_equal(stat(pair.path, &st), 0);
	assert_int_equal(stat("/dev/null", &st), 0);
}

static int
plug(const char *more)
{
	char args[256];

	snprintf(args, sizeof(args), "iface=%s%s", pair.path, more);
	return rte_eal_hotplug_add("vdev", "net_async_vhost998", args);
}

static void
paths(void **state)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd;

	fclose(fopen(pair.path, "w"));
	assert_int_not_equal(plug(""), 0);
	assert_int_equal(unlink(pair.path), 0);
	snprintf(to.sun_path, sizeof(to.sun_path), "%s", pair.path);
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

static void
engine_missing_or_in_use(void **state)
{
	const char *args;

	assert_int_equal(plug(",dmas=[txq0@dma_none]"), 0);
	assert_int_equal(configured(), -ENODEV);
	assert_int_equal(rte_eal_hotplug_remove("vdev", "net_async_vhost998"), 0);
	pair.queues = 1;
	args = engines_begin("skeleton");
	assert_non_null(args);
	/* A skeleton has one vchan. */
	assert_int_equal(plug(",dmas=[txq0@dma_skeleton0;rxq0@dma_skeleton0]"), 0);
	assert_int_equal(configured(), -ENOSPC);
	assert_int_equal(rte_eal_hotplug_remove("vdev", "net_async_vhost998"), 0);
	engines_end();
	pair_begin("skeleton", 1, 2048, "", "mrg_rxbuf=1");
	pair.path[strlen(pair.path) - 1] = 't';
	assert_int_equal(plug(",dmas=[txq0@dma_skeleton0]"), 0);
	assert_int_equal(configured(), -EBUSY);
	assert_int_equal(rte_eal_hotplug_remove("vdev", "net_async_vhost998"), 0);
	pair.path[strlen(pair.path) - 1] = 's';
	both_ways(20, 1500);
	pair_end();
}

/* Move a direction of queue 0 until it is there. */
static int
move(bool rx, int16_t dma)
{
	return net_async_vhost_move(pair.port[HOST], 0, rx, dma, dma >= 0 ? rx : 0);
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
		if (net_async_vhost_move(pair.port[HOST], 0, rx, dma, 0) != 0)
			continue;
		tour.next[rx]++;
		tour.moved++;
	}
}

/* Channels change under traffic: every packet arrives, whole and in order, and is counted once. */
static void
moves(void **state)
{
	const uint32_t packets = 800;
	uint64_t bytes = 0;
	char name[32];

	pair_begin("movable", 2, 2048, "", "mrg_rxbuf=1");
	for (unsigned int i = 0; i < 4; i++) {
		engine_name(name, sizeof(name), "adaptive", i);
		tour.dma[i] = engine_taken(name);
	}
	pair.between = tour_on;
	traffic(HOST, 0, packets, 65535);
	traffic(GUEST, 0, packets, 65535);
	pair.between = NULL;
	assert_true(tour.moved > 100);
	for (int rx = 0; rx < 2; rx++)
		WAIT(net_async_vhost_move(pair.port[HOST], 0, rx, -1, 0) == 0);
	for (uint32_t i = 0; i < packets; i++)
		bytes += length_of(i, 65535);
	for (int rx = 0; rx < 2; rx++) {
		const struct net_async_vhost_stats s = virtqueue(0, rx).stats;

		assert_int_equal(s.packets, packets);
		assert_int_equal(s.bytes, bytes);
		assert_true(s.dma_bytes > 0);
		/* The dma_adaptive copies the headers of packets too. */
		assert_in_range(s.cpu_bytes + s.dma_bytes, bytes, bytes + packets * 16);
	}
	for (unsigned int i = 0; i < 4; i++)
		net_async_vhost_engine_release(tour.dma[i]);
	pair_end();
}

/* Packets number first to first + n - 1, sent; those that were accepted. */
static uint16_t
send_some(unsigned int from, uint32_t first, uint16_t n)
{
	struct rte_mbuf *out[BURST];
	uint16_t sent;

	for (uint16_t i = 0; i < n; i++)
		out[i] = make(from, first + i, 1000);
	sent = rte_eth_tx_burst(pair.port[from], 0, out, n);
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
		WAIT((more = rte_eth_rx_burst(pair.port[at], 0, in, (uint16_t)(n - got))) > 0);
		for (uint16_t i = 0; i < more; i++, got++)
			check(in[i], first + got, 1000);
		rte_pktmbuf_free_bulk(in, more);
	} while (got < n);
}

static void
receive_none(unsigned int at)
{
	struct rte_mbuf *in[BURST];

	for (unsigned int i = 0; i < 10; i++)
		assert_int_equal(rte_eth_rx_burst(pair.port[at], 0, in, BURST), 0);
}

/* Eight packets on their way in each direction, with copies that nobody makes. */
static void
begin_stuck(int16_t dma)
{
	for (int rx = 0; rx < 2; rx++) {
		assert_int_equal(move(rx, dma), 0);
		assert_int_equal(send_some(rx ? GUEST : HOST, 0, 8), 8);
		if (rx)
			WAIT((receive_none(HOST), virtqueue(0, true).stats.in_flight == 8));
		else
			receive_none(GUEST);
		assert_int_equal(virtqueue(0, rx).stats.in_flight, 8);
		assert_int_equal(move(rx, -1), -EAGAIN);
		assert_true(virtqueue(0, rx).leaving);
		assert_int_equal(virtqueue(0, rx).dma, dma);
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
		assert_false(virtqueue(0, rx).leaving);
		assert_int_equal(virtqueue(0, rx).copy, NET_ASYNC_VHOST_CPU);
	}
	receive_some(HOST, 8, 8);
	assert_int_equal(send_some(HOST, 8, 8), 8);
	receive_some(GUEST, 8, 8);
	for (int rx = 0; rx < 2; rx++) {
		assert_int_equal(virtqueue(0, rx).stats.in_flight, 0);
		assert_int_equal(virtqueue(0, rx).stats.packets, 16);
		assert_in_range(virtqueue(0, rx).stats.dma_bytes, dma_bytes, dma_bytes + 8 * 16);
		assert_true(virtqueue(0, rx).stats.cpu_bytes >= 8 * 1000);
	}
}

/* A channel changes only when its copies are complete. */
static void
move_waits(void **state)
{
	int16_t dma;

	pair_begin("movable", 1, 2048, "", "mrg_rxbuf=1");
	assert_int_equal(rte_vdev_init("dma_scripted0", "stepped=1"), 0);
	dma = engine_taken("dma_scripted0");
	begin_stuck(dma);
	/* To stay is no move. */
	assert_int_equal(move(false, dma), 0);
	assert_int_equal(virtqueue(0, false).copy, NET_ASYNC_VHOST_DMA);
	assert_int_equal(move(false, -1), -EAGAIN);
	assert_int_equal(net_async_vhost_engine_lost(dma), -ENOTSUP);
	scripted_step(scripted_of(dma), 0, UINT32_MAX);
	scripted_step(scripted_of(dma), 1, UINT32_MAX);
	end_stuck(8 * 1000);
	net_async_vhost_engine_release(dma);
	assert_int_equal(rte_vdev_uninit("dma_scripted0"), 0);
	pair_end();
}

/* An engine that never answers: the CPU makes its copies, and no packet is lost. */
static void
engine_lost(void **state)
{
	int16_t dma;

	pair_begin("movable", 1, 2048, "", "mrg_rxbuf=1");
	assert_int_equal(rte_vdev_init("dma_scripted0", "stepped=1"), 0);
	assert_int_equal(rte_vdev_init("dma_adaptive9", "dev=dma_scripted0,min_len=0"), 0);
	dma = engine_taken("dma_adaptive9");
	begin_stuck(dma);
	assert_int_equal(net_async_vhost_engine_lost(dma), 0);
	end_stuck(8 * 1000);
	net_async_vhost_engine_release(dma);
	assert_int_equal(rte_vdev_uninit("dma_adaptive9"), 0);
	assert_int_equal(rte_vdev_uninit("dma_scripted0"), 0);
	pair_end();
}

/* Ports that name their channels keep them; guests and ports go with a channel that was moved. */
static void
move_refused(void **state)
{
	int16_t dma;

	pair_begin("adaptive", 1, 2048, "", "mrg_rxbuf=1");
	assert_int_equal(move(false, -1), -ENOTSUP);
	assert_int_equal(net_async_vhost_move(pair.port[HOST], 1, false, -1, 0), -EINVAL);
	assert_int_equal(net_async_vhost_move(pair.port[GUEST], 0, false, -1, 0), -ENODEV);
	assert_int_equal(virtqueue(0, false).copy, NET_ASYNC_VHOST_ADAPTIVE);
	both_ways(20, 1500);
	pair_end();
	pair_begin("movable", 1, 2048, "", "mrg_rxbuf=1");
	assert_int_equal(virtqueue(0, false).copy, NET_ASYNC_VHOST_CPU);
	dma = engine_taken("dma_adaptive0");
	assert_int_equal(net_async_vhost_move(pair.port[HOST], 0, false, dma, 0), 0);
	assert_int_equal(virtqueue(0, false).copy, NET_ASYNC_VHOST_ADAPTIVE);
	assert_int_equal(net_async_vhost_move(pair.port[HOST], 0, true, dma, 0), -EBUSY);
	traffic(HOST, 0, 40, 65535);
	end_one(GUEST);
	guest_begin("mrg_rxbuf=1");
	assert_int_equal(virtqueue(0, false).dma, dma);
	traffic(HOST, 0, 40, 65535);
	assert_true(virtqueue(0, false).stats.dma_bytes > 0);
	WAIT(net_async_vhost_move(pair.port[HOST], 0, false, -1, 0) == 0);
	net_async_vhost_engine_release(dma);
	both_ways(20, 1500);
	pair_end();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused),
		cmocka_unit_test(paths),
		cmocka_unit_test(engine_missing_or_in_use),
		cmocka_unit_test(lengths),
		cmocka_unit_test(queues),
		cmocka_unit_test(copy_changes),
		cmocka_unit_test(autotuned),
		cmocka_unit_test(empty_packets),
		cmocka_unit_test(guest_comes_and_goes),
		cmocka_unit_test(port_goes_first),
		cmocka_unit_test(moves),
		cmocka_unit_test(move_waits),
		cmocka_unit_test(engine_lost),
		cmocka_unit_test(move_refused),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
