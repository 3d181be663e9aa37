/* Functions shared by receive and transmit rings of net_virtio (field offsets by DPDK release, find the virtqueue, check that it is started, list sent mbufs). */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"

#include <rte_io.h>

#include <linux/virtio_ring.h>
#include <stdint.h>

struct rte_mbuf;

/* Offsets of fields in net_virtio's private queue structs, by DPDK release. */

/*
 * Byte offsets in the driver's virtqueue, in which ethdev's queue is embedded; SHIM_NONE: the
 * release has no such field. Those from queues on are offsets in the device that hw points to.
 */
#define VIRTIO_FIELDS(F) \
	F(hw, 8, "pointer to the device") \
	F(num, 4, "32 bits: number of descriptors, in the ring's own struct") \
	F(desc, 8, "pointer to the descriptors") \
	F(avail, 8, "pointer to the available ring; packed: to the driver's event words") \
	F(used, 8, "pointer to the used ring; packed: to the device's event words") \
	F(wrap, 1, "packed: a bool, the wrap counter at used_next") \
	F(flags, 2, "packed: flags of the next descriptor to be armed") \
	F(used_next, 2, "index of the next used descriptor to be read") \
	F(size, 2, "number of descriptors") \
	F(open, 2, "number of free descriptors") \
	F(avail_next, 2, "index of the next descriptor to be armed or sent") \
	F(thresh, 2, "number of descriptors that are freed or refilled together") \
	F(head, 2, "first free descriptor") \
	F(tail, 2, "last free descriptor") \
	F(index, 2, "number of the virtqueue in the device") \
	F(address, 2, "offset in an mbuf of the address of its buffer") \
	F(queue, 0, "ethdev's queue") \
	F(rx_fake, 8, "pointer to the driver's dummy mbuf") \
	F(rx_rearm, 8, "the word that is written into armed mbufs") \
	F(rx_pool, 8, "its mempool") \
	F(rx_queue, 2, "ethdev's queue number; up to 22.11") \
	F(rx_port, 2, "ethdev's port number; up to 22.11") \
	F(rx_stats, 16, "packets and bytes received so far, 64 bits each") \
	F(tx_queue, 0, "ethdev's queue number; up to 22.11") \
	F(tx_port, 0, "ethdev's port number; up to 22.11") \
	F(tx_stats, 0, "packets and bytes sent so far, 64 bits each") \
	F(slots, 0, "pointer to the mbufs of the vector function of split rings") \
	F(entries, 16, "mbufs of all other functions") \
	F(queues, 0, "pointer to all virtqueues of the device") \
	F(features, 0, "64 bits: negotiated features") \
	F(header, 0, "bytes of the virtio header before each packet") \
	F(started, 0, "not 0 if the device is started") \
	F(weak, 0, "not 0 if weak barriers suffice") \
	F(vector_rx, 0, "not 0 if the vector function receives") \
	F(vector_tx, 0, "not 0 if the vector function sends")

struct virtio_layout {
	struct shim_releases releases;
	VIRTIO_FIELDS(SHIM_FIELD)
};

enum { VIRTIO_ROWS(SHIM_ROW_ID) };
enum { VIRTIO_ROW_BUILT = VIRTIO_ROWS(SHIM_ROW_BUILT) };

static const struct virtio_layout virtio_layouts[] = { VIRTIO_ROWS(SHIM_ROW) };

/* The layout of the DPDK release at compile time. */
#define VIRTIO_BUILT (&virtio_layouts[VIRTIO_ROW_BUILT])

/* The driver's entry for a sent packet or an armed buffer. */
struct virtio_entry {
	struct rte_mbuf *mbuf; /* first segment of a packet; NULL: none */
	uint16_t n_desc, next;
};

/*
 * Mbufs moved at a time: the batch that the vector function of split rings arms, which never wraps
 * around the ring's end.
 */
enum { VIRTIO_BATCH = 32 };

/* The end of a chain of free descriptors. */
enum { VIRTIO_NO_DESC = 32768 };

/* The virtqueue of ethdev's queue. */
static __rte_always_inline void *
virtio_queue(const void *queue, const struct virtio_layout *l)
{
	return (char *)(uintptr_t)queue - l->queue;
}

/* True if driver and device have agreed on a feature. */
static inline bool
virtio_feature(const void *vq, const struct virtio_layout *l, unsigned int bit)
{
	const uint64_t *features = shim_at(shim_pointer(vq, l->hw), l->features);

	return (*features >> bit & 1) != 0;
}

static __rte_always_inline uint8_t
virtio_hw_u8(const void *vq, const struct virtio_layout *l, uint16_t offset)
{
	return *(const volatile uint8_t *)shim_at(shim_pointer(vq, l->hw), offset);
}

/*
 * False while another thread of the driver sets up the queues again because the backend
 * disconnected or reconnected.
 */
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

/* Move a sent packet from its entry to list[n]. Returns the new length of the list. */
static __rte_always_inline uint16_t
virtio_list(const struct shim_tx *tx, uint16_t n, struct virtio_entry *entry)
{
	tx->list[n] = entry->mbuf;
	n += entry->mbuf != NULL; /* the driver checks for NULL too */
	entry->mbuf = NULL;
	return n;
}

static __rte_always_inline struct shim_mbufs
virtio_listed(const struct shim_tx *tx, uint16_t n)
{
	return (struct shim_mbufs){ .first = tx->list, .stride = sizeof(tx->list[0]), .n = n };
}
