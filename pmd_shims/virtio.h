/* Places in net_virtio's queues, and turns made for them at one width of vectors. */
#pragma once

#include "shim.h"

#include <rte_io.h>

#include <linux/virtio_ring.h>

/* Mbufs that are moved at a time: what the vector function of split rings arms without a look at the ring's end. */
enum { VIRTIO_BATCH = 32 };

/* The end of a chain of free descriptors. */
enum { VIRTIO_NO_DESC = 32768 };

/* Byte offsets in the driver's virtqueue of one DPDK release; a queue of ethdev is a part of it. */
struct virtio_layout {
	const char *version; /* rte_version() */
	uint16_t hw, num, desc;
	uint16_t avail, used; /* split: the rings; packed: event words of driver and device */
	uint16_t wrap, flags; /* packed: a bool of what is used next, flags of what is armed next */
	uint16_t used_next, size, open, avail_next, thresh, head, tail;
	uint16_t index, address; /* of the queue among all; of a buffer's address in its mbuf */
	uint16_t queue;          /* what ethdev knows as the queue */
	uint16_t rx_fake, rx_rearm, rx_pool, rx_queue, rx_port;
	uint16_t tx_queue, tx_port;
	uint16_t slots, entries; /* mbufs of the vector function of split rings; of all others */
	/* In what hw points to. */
	uint16_t queues, features, header, started, weak, vector_rx, vector_tx;
};

static const struct virtio_layout virtio_layouts[] = {
	{ "DPDK 22.11.11", .hw = 0, .num = 8, .desc = 16, .avail = 24, .used = 32, .wrap = 40,
		.flags = 42, .used_next = 48, .size = 50, .open = 52, .avail_next = 54,
		.thresh = 56, .head = 58, .tail = 60, .index = 62, .address = 76, .queue = 80,
		.rx_fake = 80, .rx_rearm = 88, .rx_pool = 96, .rx_queue = 104, .rx_port = 106,
		.tx_queue = 96, .tx_port = 98, .slots = 240, .entries = 248, .queues = 0,
		.features = 8, .header = 16, .started = 18, .weak = 19, .vector_rx = 24,
		.vector_tx = 25 },
};

/* What the driver keeps of a packet or a buffer, beside its descriptors. */
struct virtio_entry {
	struct rte_mbuf *mbuf; /* NULL: none. A packet's first; the others follow it */
	uint16_t n_desc, next;
};

/* The turns of a release (rte_version()), at one width of vectors; packed: both queues' rings are; NULL: none is made. */
pair_turn *virtio_turn_128(const char *version, bool packed, enum recycle_mode mode);
pair_turn *virtio_turn_256(const char *version, bool packed, enum recycle_mode mode);
pair_turn *virtio_turn_512(const char *version, bool packed, enum recycle_mode mode);

/* The virtqueue of ethdev's queue. */
static __rte_always_inline void *
virtio_queue(const void *queue, const struct virtio_layout *l)
{
	return (char *)(uintptr_t)queue - l->queue;
}

static __rte_always_inline uint8_t
virtio_hw_u8(const void *vq, const struct virtio_layout *l, uint16_t offset)
{
	return *(const volatile uint8_t *)shim_at(shim_pointer(vq, l->hw), offset);
}

/* No while the driver, in another thread, makes the queues anew because its backend went away or came back. */
static __rte_always_inline bool
virtio_started(const void *vq, const struct virtio_layout *l)
{
	return virtio_hw_u8(vq, l, l->started) != 0;
}

static __rte_always_inline struct shim_mbufs
virtio_none(void)
{
	return (struct shim_mbufs){ .n = 0 };
}

/* Take a sent packet out of its entry, as the nth of the list. Returns how many are there now. */
static __rte_always_inline uint16_t
virtio_list(const struct shim_tx *tx, uint16_t n, struct virtio_entry *entry)
{
	tx->list[n] = entry->mbuf;
	n += entry->mbuf != NULL; /* the driver, too, looks */
	entry->mbuf = NULL;
	return n;
}

static __rte_always_inline struct shim_mbufs
virtio_listed(const struct shim_tx *tx, uint16_t n)
{
	return (struct shim_mbufs){ .first = tx->list, .stride = sizeof(tx->list[0]), .n = n };
}
