/* Reproducers of faults of net_virtio, on a net_vhost port of the same process. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "reproduce.h"

#include <rte_dev.h>
#include <rte_dmadev.h>
#include <rte_eal.h>
#include <rte_malloc.h>
#include <rte_vhost.h>
#include <rte_vhost_async.h>

#include <inttypes.h>
#include <linux/virtio_ring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A guest's port, net_virtio_user, on a net_vhost port of this process: ports 0 and 1. */
enum { VHOST, VIRTIO, GUEST_RING = 256 };

static void
guest_attach(const char *options)
{
	char devargs[192];

	snprintf(devargs, sizeof(devargs), "path=%s/s,queues=1,queue_size=%u,%s", folder,
		GUEST_RING, options);
	must(rte_eal_hotplug_add("vdev", "net_virtio_user0", devargs) == 0,
		"rte_eal_hotplug_add()");
}

static void
guest_vhost(unsigned int bits, struct rte_mempool **pool)
{
	char vdev[64];
	const char *const more[] = { vdev, NULL };

	snprintf(vdev, sizeof(vdev), "--vdev=net_vhost0,iface=%s/s", folder);
	eal_start(NULL, bits, more);
	*pool = pool_make("vhost", MBUFS);
	port_setup(VHOST, *pool, &(struct setup){ .rx_ring = GUEST_RING, .tx_ring = GUEST_RING });
}

static void
guest_start(struct rte_mempool *pool)
{
	port_setup(VIRTIO, pool, &(struct setup){ .rx_ring = GUEST_RING, .tx_ring = GUEST_RING });
}

/* Packets from port to port: pkts gets those that arrive within 2 s, at most max. */
static uint16_t
guest_receive(uint16_t port, struct rte_mbuf **pkts, uint16_t max)
{
	uint16_t n = 0;

	for (unsigned int i = 0; i < PATIENCE && n < max; i++) {
		n += rte_eth_rx_burst(port, 0, pkts + n, max - n);
		usleep(n < max ? 1000 : 0);
	}
	return n;
}

/* The vhost port sends when its thread has taken the rings over. */
static void
vhost_send(struct rte_mempool *pool, uint16_t n)
{
	struct rte_mbuf *pkts[BURST];
	uint16_t sent = 0;

	packets_make(pool, pkts, n);
	for (unsigned int i = 0; sent < n; i++) {
		must(i < PATIENCE, "sending to the guest");
		sent += rte_eth_tx_burst(VHOST, 0, pkts + sent, n - sent);
		usleep(1000);
	}
}

/* Received mbufs that were not replaced are freed by the application, and then the port closes. */
static void
virtio_close(const char *options, unsigned int bits)
{
	enum { SMALL = 400, FEW = 8 };
	struct rte_mempool *pool, *guest;
	struct rte_mbuf *pkts[BURST], *rest[SMALL];
	unsigned int n = 0;

	guest_vhost(bits, &pool);
	guest = pool_make("guest", SMALL);
	guest_attach(options);
	guest_start(guest);
	while (rte_mempool_get(guest, (void **)&rest[n]) == 0)
		n++; /* the pool is empty, so functions without vectors replace none */
	vhost_send(pool, FEW);
	must(guest_receive(VIRTIO, pkts, FEW) == FEW, "receiving");
	rte_pktmbuf_free_bulk(pkts, FEW);
	rte_pktmbuf_free_bulk(rest, n);
	must(rte_eth_dev_stop(VIRTIO) == 0 && rte_eth_dev_close(VIRTIO) == 0, "closing");
	pool_judge(guest, SMALL, "8 packets received and freed, port closed");
}

static void
virtio_close_vector(void)
{
	virtio_close("packed_vq=1,mrg_rxbuf=0,in_order=1,vectorized=1", 512);
}

static void
virtio_close_packed(void)
{
	virtio_close("packed_vq=1,mrg_rxbuf=0,in_order=1", 128);
}

static void
virtio_close_mergeable(void)
{
	virtio_close("packed_vq=1,mrg_rxbuf=1,in_order=1", 128);
}

static void
virtio_close_split(void)
{
	virtio_close("mrg_rxbuf=0,in_order=0", 128);
}

/* mbufs whose data began elsewhere before they were freed. */
static void
virtio_offset(const char *options, unsigned int bits)
{
	struct rte_mempool *pool, *guest;
	struct rte_mbuf *pkts[MBUFS];
	unsigned int wrong = 0;

	guest_vhost(bits, &pool);
	guest = pool_make("guest", MBUFS);
	packets_make(guest, pkts, MBUFS);
	for (unsigned int i = 0; i < MBUFS; i++)
		rte_pktmbuf_prepend(pkts[i], 12);
	rte_pktmbuf_free_bulk(pkts, MBUFS);
	guest_attach(options);
	guest_start(guest);
	vhost_send(pool, BURST);
	must(guest_receive(VIRTIO, pkts, BURST) == BURST, "receiving");
	for (unsigned int i = 0; i < BURST; i++)
		wrong += pkts[i]->data_off != RTE_PKTMBUF_HEADROOM;
	end(wrong == 0 ? GREEN : RED, "%u of %u received packets begin at a wrong offset", wrong,
		BURST);
}

static void
virtio_offset_vector(void)
{
	virtio_offset("packed_vq=1,mrg_rxbuf=0,in_order=1,vectorized=1", 512);
}

static void
virtio_offset_packed(void)
{
	virtio_offset("packed_vq=1,mrg_rxbuf=0,in_order=1", 128);
}

/* Buffers that the application lends for sending: the driver writes into none of them. */
static void
virtio_header(const char *options, unsigned int bits)
{
	enum { SLICE = 256, BYTES = BURST * SLICE };
	struct rte_mbuf_ext_shared_info shinfo;
	struct rte_mempool *pool, *guest;
	struct rte_mbuf *pkts[BURST];
	unsigned int changed = 0;
	uint8_t *lent;

	guest_vhost(bits, &pool);
	guest = pool_make("guest", MBUFS);
	guest_attach(options);
	guest_start(guest);
	lent = rte_malloc("lent", BYTES, 4096);
	must(lent != NULL, "rte_malloc()");
	memset(lent, 0xa5, BYTES);
	lent_init(&shinfo, BURST);
	must(rte_pktmbuf_alloc_bulk(guest, pkts, BURST) == 0, "rte_pktmbuf_alloc_bulk()");
	for (unsigned int i = 0; i < BURST; i++) {
		rte_pktmbuf_attach_extbuf(pkts[i], lent + i * SLICE,
			rte_malloc_virt2iova(lent) + i * SLICE, SLICE, &shinfo);
		pkts[i]->data_off = RTE_PKTMBUF_HEADROOM;
		rte_pktmbuf_append(pkts[i], PACKET);
	}
	must(rte_eth_tx_burst(VIRTIO, 0, pkts, BURST) == BURST, "rte_eth_tx_burst()");
	for (unsigned int i = 0; i < BYTES; i++)
		changed += lent[i] != 0xa5;
	end(changed == 0 ? GREEN : RED, "%u bytes of lent buffers were changed", changed);
}

static void
virtio_header_vector(void)
{
	virtio_header("packed_vq=1,mrg_rxbuf=0,in_order=1,vectorized=1", 512);
}

static void
virtio_header_packed(void)
{
	virtio_header("packed_vq=1,mrg_rxbuf=0,in_order=1", 128);
}

/* Packets that need two descriptors fill the ring, and packets that need one follow. */
static void
virtio_full(const char *options, unsigned int bits)
{
	enum { SMALL = 64, LEFT = 8, PACKETS = SMALL - LEFT };
	struct rte_mempool *pool, *guest;
	struct rte_mbuf *pkts[SMALL];
	char path[64];
	uint16_t sent;

	guest_vhost(bits, &pool);
	guest = pool_make("guest", MBUFS);
	/* With indirect descriptors each packet would need one. */
	snprintf(path, sizeof(path), "%s/s", folder);
	must(rte_vhost_driver_disable_features(path, UINT64_C(1) << VIRTIO_RING_F_INDIRECT_DESC) ==
			0,
		"rte_vhost_driver_disable_features()");
	guest_attach(options);
	port_setup(VIRTIO, guest, &(struct setup){ .rx_ring = SMALL, .tx_ring = SMALL });
	packets_make(guest, pkts, SMALL);
	must(rte_eth_tx_burst(VIRTIO, 0, pkts, PACKETS) == PACKETS, "filling the ring");
	/* Without headroom the header has a descriptor of its own. */
	for (unsigned int i = 0; i < LEFT / 2; i++)
		pkts[PACKETS + i]->data_off = 0;
	sent = rte_eth_tx_burst(VIRTIO, 0, pkts + PACKETS, LEFT);
	end(sent == LEFT / 2 ? GREEN : RED,
		"%u descriptors were free, %u packets were taken that need 2, and %u that need 1",
		LEFT, RTE_MIN(sent, LEFT / 2), sent > LEFT / 2 ? sent - LEFT / 2 : 0);
}

static void
virtio_full_vector(void)
{
	virtio_full("packed_vq=1,mrg_rxbuf=0,in_order=1,vectorized=1", 512);
}

static void
virtio_full_packed(void)
{
	virtio_full("packed_vq=1,mrg_rxbuf=0,in_order=1", 128);
}

static _Atomic int guest_id = -1;

static int
guest_came(int id)
{
	guest_id = id;
	return 0;
}

/* vhost with a DMA engine: a packet of two mbufs when the pool has none for the second. */
static void
vhost_dma_twice(const char *options)
{
	enum { FEW = 2, LONG = 1500, GUEST = 0, FROM_GUEST = 1 };
	static const struct rte_vhost_device_ops ops = { .new_device = guest_came };
	const struct rte_dma_conf dma = { .nb_vchans = 1 };
	const struct rte_dma_vchan_conf channel = { .direction = RTE_DMA_DIR_MEM_TO_MEM,
		.nb_desc = 1024 };
	const char *const more[] = { "--vdev=dma_skeleton", NULL };
	struct rte_mempool *pool, *guest;
	struct rte_mbuf *first[FEW], *second[FEW], *got[FEW];
	char path[64];
	int inflight;

	eal_start(NULL, 128, more);
	pool = pool_make("few", FEW);
	guest = pool_make("guest", MBUFS);
	must(rte_dma_configure(0, &dma) == 0 && rte_dma_vchan_setup(0, 0, &channel) == 0 &&
			rte_dma_start(0) == 0 && rte_vhost_async_dma_configure(0, 0) == 0,
		"configuring dma_skeleton");
	snprintf(path, sizeof(path), "%s/s", folder);
	must(rte_vhost_driver_register(path, RTE_VHOST_USER_ASYNC_COPY) == 0 &&
			rte_vhost_driver_callback_register(path, &ops) == 0 &&
			rte_vhost_driver_start(path) == 0,
		"starting vhost");
	guest_attach(options);
	port_setup(GUEST, guest, &(struct setup){ .rx_ring = GUEST_RING, .tx_ring = GUEST_RING });
	for (unsigned int i = 0; i < PATIENCE && guest_id < 0; i++)
		usleep(1000);
	must(guest_id >= 0 && rte_vhost_async_channel_register(guest_id, FROM_GUEST) == 0,
		"rte_vhost_async_channel_register()");
	packets_make(guest, first, FEW);
	packets_make(guest, second, FEW);
	for (unsigned int i = 0; i < FEW; i++)
		must(rte_pktmbuf_append(first[i], LONG) != NULL &&
				rte_pktmbuf_append(second[i], LONG) != NULL &&
				rte_pktmbuf_chain(first[i], second[i]) == 0,
			"making a packet");
	must(rte_eth_tx_burst(GUEST, 0, first, FEW) == FEW, "rte_eth_tx_burst()");
	for (unsigned int i = 0; i < 100; i++) {
		rte_pktmbuf_free_bulk(got,
			rte_vhost_async_try_dequeue_burst(guest_id, FROM_GUEST, pool, got, FEW,
				&inflight, 0, 0));
		usleep(1000);
	}
	pool_judge(pool, FEW, "a packet that could not be copied");
}

static void
vhost_dma_packed(void)
{
	vhost_dma_twice("packed_vq=1,mrg_rxbuf=1,in_order=0");
}

static void
vhost_dma_split(void)
{
	vhost_dma_twice("mrg_rxbuf=1,in_order=0");
}

/* Memory of the application's that EAL knows, and a guest's port that starts afterwards. */
static void
virtio_extmem(void)
{
	enum { BYTES = 2 << 20 };
	struct rte_mempool *pool, *guest;
	struct rte_mbuf *pkts[BURST];
	uint16_t taken, got;
	void *memory;

	guest_vhost(128, &pool);
	guest = pool_make("guest", MBUFS);
	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	must(memory != MAP_FAILED && rte_extmem_register(memory, BYTES, NULL, 0, 4096) == 0,
		"rte_extmem_register()");
	guest_attach("mrg_rxbuf=0");
	guest_start(guest);
	packets_make(guest, pkts, BURST);
	taken = rte_eth_tx_burst(VIRTIO, 0, pkts, BURST);
	got = guest_receive(VHOST, pkts, BURST);
	end(taken == BURST && got == BURST ? GREEN : RED,
		"the port started and took %u packets, %u arrived", taken, got);
}

static void
clones_of_guest(const char *options, unsigned int bits)
{
	struct rte_mempool *pool, *pinned;
	struct rte_mbuf *pkts[BURST];
	uint8_t *region;

	guest_vhost(bits, &pool);
	pinned = pinned_make(&region, ELEMENT);
	guest_attach(options);
	guest_start(pinned);
	vhost_send(pool, BURST);
	must(guest_receive(VIRTIO, pkts, BURST) == BURST, "receiving");
	clone_judge(pkts, BURST, region);
}

static void
clones_virtio(void)
{
	clones_of_guest("mrg_rxbuf=1,in_order=0", 128);
}

static void
clones_virtio_packed(void)
{
	clones_of_guest("packed_vq=1,mrg_rxbuf=0,in_order=1", 128);
}

static void
clones_virtio_split_vector(void)
{
	clones_of_guest("mrg_rxbuf=0,in_order=0,vectorized=1", 128);
}

const struct fault faults_guests[] = {
	{ "pinned-clones",
		{ { "virtio mergeable", clones_virtio }, { "virtio packed", clones_virtio_packed },
			{ "virtio split vectors", clones_virtio_split_vector } } },
	{ "virtio-packed-header",
		{ { "vectors", virtio_header_vector }, { "no vectors", virtio_header_packed } } },
	{ "virtio-packed-close",
		{ { "vectors", virtio_close_vector }, { "no vectors", virtio_close_packed },
			{ "mergeable", virtio_close_mergeable },
			{ "split", virtio_close_split } } },
	{ "virtio-packed-offset",
		{ { "vectors", virtio_offset_vector }, { "no vectors", virtio_offset_packed } } },
	{ "virtio-packed-full",
		{ { "vectors", virtio_full_vector }, { "no vectors", virtio_full_packed } } },
	{ "vhost-dma-packed", { { "packed", vhost_dma_packed }, { "split", vhost_dma_split } } },
	{ "virtio-user-extmem", { { "", virtio_extmem } } },
	{ .name = NULL },
};
