/* Offsets of fields in net_virtio's private queue structs, by DPDK release; a test compares them
 * with the driver's own headers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct rte_mbuf;

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
