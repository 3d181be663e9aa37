/* Functions shared by receive and transmit rings of net_virtio: find the virtqueue, check that it
 * is started, list sent mbufs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"
#include "pmd_shims/recycle/virtio/virtio_layout.h"

#include <rte_io.h>

#include <linux/virtio_ring.h>

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
