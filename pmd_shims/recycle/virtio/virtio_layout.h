/* Offsets of fields in net_virtio's private queue structs, by DPDK release. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim_layout.h"

#include <stdint.h>

struct rte_mbuf;

/* Byte offsets in the driver's virtqueue, of which a queue of ethdev is a part; SHIM_NONE: not there. */
#define VIRTIO_FIELDS(F) \
	F(hw, 8, "pointer to the device") \
	F(num, 4, "32 bits: descriptors, as the ring has them") \
	F(desc, 8, "descriptors") \
	F(avail, 8, "split: the ring; packed: event words of the driver") \
	F(used, 8, "split: the ring; packed: event words of the device") \
	F(wrap, 1, "packed: a bool of what is used next") \
	F(flags, 2, "packed: of what is armed next") \
	F(used_next, 2, "") \
	F(size, 2, "descriptors") \
	F(open, 2, "descriptors free") \
	F(avail_next, 2, "") \
	F(thresh, 2, "descriptors that are freed or refilled together") \
	F(head, 2, "first free descriptor") \
	F(tail, 2, "last free descriptor") \
	F(index, 2, "of the queue among all") \
	F(address, 2, "of a buffer's address in its mbuf") \
	F(queue, 0, "what ethdev knows as the queue") \
	F(rx_fake, 8, "pointer to the driver's dummy mbuf") \
	F(rx_rearm, 8, "what is written into mbufs") \
	F(rx_pool, 8, "its mempool") \
	F(rx_queue, 2, "of ethdev; up to 22.11") \
	F(rx_port, 2, "of ethdev; up to 22.11") \
	F(tx_queue, 0, "of ethdev; up to 22.11") \
	F(tx_port, 0, "of ethdev; up to 22.11") \
	F(slots, 0, "pointer to mbufs of the vector function of split rings") \
	F(entries, 16, "mbufs of all other functions") \
	F(queues, 0, "in what hw points to, as the rest: all queues") \
	F(features, 0, "64 bits") \
	F(header, 0, "bytes before each packet") \
	F(started, 0, "") \
	F(weak, 0, "barriers") \
	F(vector_rx, 0, "") \
	F(vector_tx, 0, "")

struct virtio_layout {
	struct shim_releases releases;
	VIRTIO_FIELDS(SHIM_FIELD)
};

enum { VIRTIO_ROWS(SHIM_ROW_ID) };
enum { VIRTIO_ROW_BUILT = VIRTIO_ROWS(SHIM_ROW_BUILT) };

static const struct virtio_layout virtio_layouts[] = { VIRTIO_ROWS(SHIM_ROW) };

/* That of the release this is compiled with. */
#define VIRTIO_BUILT (&virtio_layouts[VIRTIO_ROW_BUILT])

/* What the driver keeps of a packet or a buffer, beside its descriptors. */
struct virtio_entry {
	struct rte_mbuf *mbuf; /* NULL: none. A packet's first; the others follow it */
	uint16_t n_desc, next;
};
