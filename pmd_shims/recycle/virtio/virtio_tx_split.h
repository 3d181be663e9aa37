/* Takes sent packets out of a split transmit ring of net_virtio, in the way of the driver's own
 * clean-up. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/virtio/virtio_queue.h"

/* The last descriptor of the packet whose first descriptor is at. */
static __rte_always_inline uint16_t
virtio_chain_end(const struct vring_desc *desc, uint16_t at)
{
	if ((desc[at].flags & VRING_DESC_F_INDIRECT) == 0)
		while ((desc[at].flags & VRING_DESC_F_NEXT) != 0)
			at = desc[at].next;
	return at;
}

/* True if the backend has used at least a batch of packets. */
static __rte_always_inline bool
virtio_split_ready(const void *vq, const struct virtio_layout *l)
{
	const volatile struct vring_used *used = shim_pointer(vq, l->used);
	bool ready = (uint16_t)(used->idx - shim_u16(vq, l->used_next)) >= VIRTIO_BATCH &&
		virtio_started(vq, l);

	rte_io_rmb();
	return ready;
}

/*
 * A shim_tx_sent. The used ring has the ids of the packets; their descriptors are appended to the
 * chain of free ones.
 */
static __rte_always_inline struct shim_mbufs
virtio_sent_split(const struct shim_tx *tx, const struct virtio_layout *l)
{
	void *vq = virtio_queue(tx->txq, l);
	struct virtio_entry *entries = shim_at(vq, l->entries);
	struct vring_desc *desc = shim_pointer(vq, l->desc);
	const volatile struct vring_used *used = shim_pointer(vq, l->used);
	uint16_t next = shim_u16(vq, l->used_next), mask = shim_u16(vq, l->size) - 1u,
		 open = shim_u16(vq, l->open), tail = shim_u16(vq, l->tail), n = 0;

	if (!virtio_split_ready(vq, l))
		return virtio_none();
	for (unsigned int i = 0; i < VIRTIO_BATCH; i++) {
		uint16_t id = used->ring[(next + i) & mask].id & mask;

		n = virtio_list(tx, n, &entries[id]);
		open += entries[id].n_desc;
		entries[id].n_desc = 0;
		if (unlikely(tail == VIRTIO_NO_DESC))
			shim_u16_set(vq, l->head, id);
		else
			desc[tail].next = id;
		tail = virtio_chain_end(desc, id);
		desc[tail].next = VIRTIO_NO_DESC;
	}
	shim_u16_set(vq, l->open, open);
	shim_u16_set(vq, l->tail, tail);
	shim_u16_set(vq, l->used_next, next + VIRTIO_BATCH);
	return virtio_listed(tx, n);
}

/* A shim_tx_sent for in-order rings, whose entries have the packets in the order of sending. */
static __rte_always_inline struct shim_mbufs
virtio_sent_split_in_order(const struct shim_tx *tx, const struct virtio_layout *l)
{
	void *vq = virtio_queue(tx->txq, l);
	struct virtio_entry *entries = shim_at(vq, l->entries);
	uint16_t next = shim_u16(vq, l->used_next), mask = shim_u16(vq, l->size) - 1u,
		 open = shim_u16(vq, l->open), n = 0;

	if (!virtio_split_ready(vq, l))
		return virtio_none();
	for (unsigned int i = 0; i < VIRTIO_BATCH; i++) {
		struct virtio_entry *entry = &entries[(next + i) & mask];

		n = virtio_list(tx, n, entry);
		open += entry->n_desc;
	}
	shim_u16_set(vq, l->open, open);
	shim_u16_set(vq, l->used_next, next + VIRTIO_BATCH);
	return virtio_listed(tx, n);
}
