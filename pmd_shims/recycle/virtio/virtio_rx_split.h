/* Arms mbufs in a split receive ring of net_virtio, in the way of its vector function. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/virtio/virtio_rx.h"

/* A shim_rx_arm. */
static __rte_always_inline bool
virtio_arm_split(const struct shim_rx *rx, const struct virtio_layout *l,
	const struct shim_mbufs *mbufs, bool sure)
{
	void *vq = virtio_queue(rx->rxq, l);
	uint16_t next = shim_u16(vq, l->avail_next), start = next & (shim_u16(vq, l->size) - 1u),
		 address = shim_u16(vq, l->address),
		 header = shim_u16(shim_pointer(vq, l->hw), l->header);
	struct rte_mbuf **slot = (struct rte_mbuf **)shim_pointer(vq, l->slots) + start;
	struct vring_desc *desc = (struct vring_desc *)shim_pointer(vq, l->desc) + start;
	volatile struct vring_avail *avail = shim_pointer(vq, l->avail);
	uint64_t word = virtio_rearm_word(rx->port);
	struct rearm_check check = rearm_check_begin(rx->pool);

	for (unsigned int i = 0; i < VIRTIO_BATCH; i++) {
		struct rte_mbuf *m = shim_mbuf(mbufs, i);

		rearm_check_mbuf(&check, m);
		slot[i] = m;
		desc[i].addr = virtio_address(m, address, header);
		desc[i].len = virtio_length(m, header);
	}
	if (unlikely(!sure && !rearm_check_passed(&check)))
		return false;
	for (unsigned int i = 0; i < VIRTIO_BATCH; i++)
		virtio_rearm(slot[i], word);
	shim_u16_set(vq, l->avail_next, next + VIRTIO_BATCH);
	shim_u16_set(vq, l->open, shim_u16(vq, l->open) - VIRTIO_BATCH);
	rte_io_wmb();
	avail->idx = next + VIRTIO_BATCH;
	virtio_fence(vq, l);
	return true;
}
