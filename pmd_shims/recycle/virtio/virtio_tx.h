/* Takes sent packets out of a transmit ring of net_virtio, packed and in order or split, in the way of the driver's own clean-up. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/virtio/virtio_queue.h"

/* A position in the ring, and the value of the avail and used bits there once it was used. */
struct virtio_place {
	uint16_t at;
	bool wrap;
};

static __rte_always_inline struct virtio_place
virtio_place(const void *vq, const struct virtio_layout *l)
{
	return (struct virtio_place){ .at = shim_u16(vq, l->used_next),
		.wrap = *(const bool *)shim_at(vq, l->wrap) };
}

static __rte_always_inline void
virtio_place_set(void *vq, const struct virtio_layout *l, struct virtio_place place)
{
	shim_u16_set(vq, l->used_next, place.at);
	*(bool *)shim_at(vq, l->wrap) = place.wrap;
}

static __rte_always_inline void
virtio_place_move(struct virtio_place *place, uint16_t n, uint16_t size)
{
	place->at += n;
	if (place->at >= size) {
		place->at -= size;
		place->wrap = !place->wrap;
	}
}

/* True if the backend has used the burst that begins at place. */
static __rte_always_inline bool
virtio_used_at(const struct vring_packed_desc *desc, struct virtio_place place)
{
	uint16_t flags = ((const volatile struct vring_packed_desc *)desc)[place.at].flags;
	bool avail = (flags & 1 << VRING_PACKED_DESC_F_AVAIL) != 0,
	     used = (flags & 1 << VRING_PACKED_DESC_F_USED) != 0;

	rte_io_rmb();
	return avail == used && used == place.wrap;
}

/*
 * Number of descriptors of whole used bursts, at least a batch; 0 if there are fewer. The first
 * descriptor of a burst has the id of its last packet.
 */
static __rte_always_inline unsigned int
virtio_bursts(const void *vq, const struct virtio_layout *l, struct virtio_place place)
{
	const struct virtio_entry *entries = shim_at(vq, l->entries);
	const struct vring_packed_desc *desc = shim_pointer(vq, l->desc);
	uint16_t size = shim_u16(vq, l->size), last, n;
	unsigned int ready;

	for (ready = 0; ready < VIRTIO_BATCH; ready += n) {
		if (!virtio_used_at(desc, place))
			return 0;
		last = desc[place.at].id;
		if (unlikely(last >= size))
			return 0;
		n = (last < place.at ? size : 0) + last - place.at + entries[last].n_desc;
		virtio_place_move(&place, n, size);
	}
	return ready;
}

/*
 * Mark place as the begin of a used burst, for the remainder of one that was taken in part. last:
 * id of its last packet.
 */
static __rte_always_inline void
virtio_mark(const void *vq, const struct virtio_layout *l, struct virtio_place place, uint16_t last)
{
	const uint16_t both = 1 << VRING_PACKED_DESC_F_AVAIL | 1 << VRING_PACKED_DESC_F_USED;
	volatile struct vring_packed_desc *desc = shim_pointer(vq, l->desc);

	desc += place.at;
	desc->id = last;
	desc->flags = place.wrap ? desc->flags | both : desc->flags & ~both;
}

/*
 * A shim_tx_sent; at most one batch. The backend marks only the begin of a used burst, so if one is
 * taken in part, its remainder is marked as a burst.
 */
static __rte_always_inline struct shim_mbufs
virtio_sent_packed(const struct shim_tx *tx, const struct virtio_layout *l)
{
	void *vq = virtio_queue(tx->txq, l);
	struct virtio_entry *entries = shim_at(vq, l->entries);
	const struct vring_packed_desc *desc = shim_pointer(vq, l->desc);
	struct virtio_place place = virtio_place(vq, l);
	uint16_t size = shim_u16(vq, l->size), n = 0, last = 0;
	unsigned int ready = virtio_started(vq, l) ? virtio_bursts(vq, l, place) : 0, done;
	bool within = false;

	for (done = 0; done < ready && n < VIRTIO_BATCH;) {
		struct virtio_entry *entry = &entries[place.at];

		if (!within)
			last = desc[place.at].id;
		within = place.at != last;
		n = virtio_list(tx, n, entry);
		done += entry->n_desc;
		virtio_place_move(&place, entry->n_desc, size);
	}
	if (done == 0)
		return virtio_none();
	if (within)
		virtio_mark(vq, l, place, last);
	shim_u16_set(vq, l->open, shim_u16(vq, l->open) + done);
	virtio_place_set(vq, l, place);
	return virtio_listed(tx, n);
}

/* Takes sent packets out of a split transmit ring of net_virtio, in the way of the driver's own
 * clean-up. */

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
