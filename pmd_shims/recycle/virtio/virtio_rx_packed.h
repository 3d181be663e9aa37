/* Arms mbufs in a packed receive ring of net_virtio, in the way of its vector function. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/virtio/virtio_rx.h"

/* Arm a batch. wraps: the ring's end is inside the batch or right behind it. */
static __rte_always_inline bool
virtio_arm_at(const struct shim_rx *rx, const struct virtio_layout *l,
	const struct shim_mbufs *mbufs, bool sure, bool wraps)
{
	void *vq = virtio_queue(rx->rxq, l);
	uint16_t start = shim_u16(vq, l->avail_next), size = shim_u16(vq, l->size),
		 flags = shim_u16(vq, l->flags), address = shim_u16(vq, l->address),
		 header = shim_u16(shim_pointer(vq, l->hw), l->header), at = start;
	struct virtio_entry *entries = shim_at(vq, l->entries);
	struct vring_packed_desc *desc = shim_pointer(vq, l->desc);
	uint64_t word = virtio_rearm_word(rx->port);
	struct rearm_check check = rearm_check_begin(rx->pool);

	for (unsigned int i = 0; i < VIRTIO_BATCH; i++) {
		struct rte_mbuf *m = shim_mbuf(mbufs, i);

		rearm_check_mbuf(&check, m);
		entries[at].mbuf = m;
		desc[at].addr = virtio_address(m, address, header);
		desc[at].len = virtio_length(m, header);
		at = wraps && at + 1 == size ? 0 : at + 1;
	}
	if (unlikely(!sure && !rearm_check_passed(&check)))
		return false;
	/* The backend stops at the first descriptor, so its flags are written last. */
	rte_io_wmb();
	at = start;
	for (unsigned int i = 0; i < VIRTIO_BATCH; i++) {
		virtio_rearm(entries[at].mbuf, word);
		if (i > 0)
			((volatile struct vring_packed_desc *)desc)[at].flags = flags;
		if (++at == size && wraps) {
			at = 0;
			flags ^= 1 << VRING_PACKED_DESC_F_AVAIL | 1 << VRING_PACKED_DESC_F_USED;
		}
	}
	rte_io_wmb();
	((volatile struct vring_packed_desc *)desc)[start].flags = shim_u16(vq, l->flags);
	shim_u16_set(vq, l->flags, flags);
	shim_u16_set(vq, l->avail_next, at);
	shim_u16_set(vq, l->open, shim_u16(vq, l->open) - VIRTIO_BATCH);
	virtio_fence(vq, l);
	return true;
}

/* A shim_rx_arm. */
static __rte_always_inline bool
virtio_arm_packed(const struct shim_rx *rx, const struct virtio_layout *l,
	const struct shim_mbufs *mbufs, bool sure)
{
	const void *vq = virtio_queue(rx->rxq, l);

	return likely(shim_u16(vq, l->avail_next) + VIRTIO_BATCH < shim_u16(vq, l->size))
		? virtio_arm_at(rx, l, mbufs, sure, false)
		: virtio_arm_at(rx, l, mbufs, sure, true);
}
