/* Take sent packets out of a packed, in-order transmit ring of net_virtio, as its own clean-up
 * does. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/virtio/virtio_queue.h"

/* Where something is in the ring, and the value that both bits have there once it was used. */
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

/* Whether the backend has done with what begins there. */
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
 * Descriptors of whole bursts that the backend has done with, a batch or more; 0: fewer. Their
 * first tells the name of their last packet.
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
 * The rest of a burst begins there, as if the backend had been done with it alone; last: the name
 * of its last packet.
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
 * As shim_tx_sent. A batch at most: the backend marks bursts, and the one that is taken in part
 * gets a mark where the rest begins.
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
