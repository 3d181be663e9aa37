/* Receive rings of net_virtio, split and packed: when mbufs can be armed, and what is written into
 * each mbuf. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Only the driver can notify its backend, so nothing is armed while the backend needs notifications
 * about new buffers. The backend may begin to need them at any time: it sets its flag, checks for
 * buffers once more, then sleeps. Here a batch is published, followed by a full fence, and the flag
 * is read before the next batch. So a sleeping backend may have missed the last batch, but no
 * earlier one. It still wakes up: it returns all buffers it knows as used, that is the whole ring
 * except for that batch. The driver receives them and refills the ring itself, with a notification,
 * once a batch of its own (32, or rx_free_thresh for packed rings) is free. Therefore queues
 * without room for both batches are refused.
 */
#pragma once

#include "pmd_shims/recycle/rearm_check.h"
#include "pmd_shims/recycle/virtio/virtio_queue.h"

#include <rte_atomic.h>

#include <stdatomic.h>

/* The word at data_off of every received mbuf: headroom, one reference, one segment, port. */
static __rte_always_inline uint64_t
virtio_rearm_word(uint16_t port)
{
	return RTE_PKTMBUF_HEADROOM | UINT64_C(1) << 16 | UINT64_C(1) << 32 | (uint64_t)port << 48;
}

/*
 * Set the fields that the vector functions expect to be set when an mbuf is armed. Those that they
 * set themselves are in the second half of the cache line.
 */
static __rte_always_inline void
virtio_rearm(struct rte_mbuf *m, uint64_t word)
{
	*(uint64_t *)shim_at(m, REARM_OFFSET) = word;
	m->ol_flags &= RTE_MBUF_F_EXTERNAL;
}

/* Address and length of a free mbuf's buffer, including the virtio header before the packet. */
static __rte_always_inline uint64_t
virtio_address(const struct rte_mbuf *m, uint16_t address, uint16_t header)
{
	return *(const uint64_t *)shim_at(m, address) + RTE_PKTMBUF_HEADROOM - header;
}

static __rte_always_inline uint32_t
virtio_length(const struct rte_mbuf *m, uint16_t header)
{
	return (uint32_t)m->buf_len - RTE_PKTMBUF_HEADROOM + header;
}

/* True if the backend polls now, so that it needs no notifications. */
static __rte_always_inline bool
virtio_polled(const void *vq, const struct virtio_layout *l, bool packed)
{
	if (packed) {
		const volatile struct vring_packed_desc_event *device = shim_pointer(vq, l->used);

		return device->flags == VRING_PACKED_EVENT_FLAG_DISABLE;
	} else {
		const volatile struct vring_used *used = shim_pointer(vq, l->used);

		return (used->flags & VRING_USED_F_NO_NOTIFY) != 0;
	}
}

/* A shim_rx_room. */
static __rte_always_inline uint16_t
virtio_room(const struct shim_rx *rx, const struct virtio_layout *l, bool packed, uint16_t shut)
{
	const void *vq = virtio_queue(rx->rxq, l);
	uint16_t open = shim_u16(vq, l->open);

	if (shut != 0)
		open = open > shut ? open - shut : 0;
	if (open < VIRTIO_BATCH || !virtio_started(vq, l) || !virtio_polled(vq, l, packed))
		return 0;
	return open / VIRTIO_BATCH * VIRTIO_BATCH;
}

/*
 * True if the free slots are what the indices say. They are not if another thread of the driver has
 * set up the ring again.
 */
static __rte_always_inline bool
virtio_free_agrees(const void *vq, const struct virtio_layout *l, uint16_t free)
{
	const uint16_t size = shim_u16(vq, l->size),
		       armed = shim_u16(vq, l->avail_next) - shim_u16(vq, l->used_next);

	return (uint16_t)(armed + free) % size == 0;
}

/*
 * A shim_rx_hide. While the backend needs notifications, which only the driver can send, the driver
 * refills the ring.
 */
static __rte_always_inline uint16_t
virtio_hide(const struct shim_rx *rx, const struct virtio_layout *l, bool packed,
	struct shim_hidden *hidden)
{
	void *vq = virtio_queue(rx->rxq, l);
	const uint16_t free = shim_u16(vq, l->open);

	if (!virtio_started(vq, l) || !virtio_polled(vq, l, packed))
		return free;
	hidden->n = free;
	shim_u16_set(vq, l->open, 0);
	return free;
}

/* A shim_rx_unhide. What was hidden before the ring was set up again is forgotten. */
static __rte_always_inline uint16_t
virtio_unhide(const struct shim_rx *rx, const struct virtio_layout *l, struct shim_hidden *hidden)
{
	void *vq = virtio_queue(rx->rxq, l);
	const uint16_t received = shim_u16(vq, l->open), free = received + hidden->n;

	if (hidden->n == 0 || !virtio_started(vq, l))
		return 0;
	hidden->n = 0;
	if (unlikely(!virtio_free_agrees(vq, l, free)))
		return 0;
	shim_u16_set(vq, l->open, free);
	return received;
}

/* Full fence between publishing a batch and the next read of the backend's flag. */
static __rte_always_inline void
virtio_fence(const void *vq, const struct virtio_layout *l)
{
	if (likely(virtio_hw_u8(vq, l, l->weak) != 0))
		atomic_thread_fence(memory_order_seq_cst);
	else
		rte_mb();
}

/* Arms mbufs in a packed receive ring of net_virtio, in the way of its vector function. */

/*
 * Publish a batch whose entries, addresses and lengths are written. word: written into each mbuf; 0:
 * mbufs stay as they are. wraps: the ring's end is inside the batch or right behind it.
 */
static __rte_always_inline void
virtio_armed_packed(void *vq, const struct virtio_layout *l, uint64_t word, bool wraps)
{
	const uint16_t start = shim_u16(vq, l->avail_next), size = shim_u16(vq, l->size);
	uint16_t flags = shim_u16(vq, l->flags), at = start;
	const struct virtio_entry *entries = shim_at(vq, l->entries);
	volatile struct vring_packed_desc *desc = shim_pointer(vq, l->desc);

	/* The backend stops at the first descriptor, so its flags are written last. */
	rte_io_wmb();
	for (unsigned int i = 0; i < VIRTIO_BATCH; i++) {
		if (word != 0)
			virtio_rearm(entries[at].mbuf, word);
		if (i > 0)
			desc[at].flags = flags;
		if (++at == size && wraps) {
			at = 0;
			flags ^= 1 << VRING_PACKED_DESC_F_AVAIL | 1 << VRING_PACKED_DESC_F_USED;
		}
	}
	rte_io_wmb();
	desc[start].flags = shim_u16(vq, l->flags);
	shim_u16_set(vq, l->flags, flags);
	shim_u16_set(vq, l->avail_next, at);
	shim_u16_set(vq, l->open, shim_u16(vq, l->open) - VIRTIO_BATCH);
	virtio_fence(vq, l);
}

/* Arm a batch. wraps: the ring's end is inside the batch or right behind it. */
static __rte_always_inline bool
virtio_arm_at(const struct shim_rx *rx, const struct virtio_layout *l,
	const struct shim_mbufs *mbufs, bool sure, bool wraps)
{
	void *vq = virtio_queue(rx->rxq, l);
	uint16_t size = shim_u16(vq, l->size), address = shim_u16(vq, l->address),
		 header = shim_u16(shim_pointer(vq, l->hw), l->header),
		 at = shim_u16(vq, l->avail_next);
	struct virtio_entry *entries = shim_at(vq, l->entries);
	struct vring_packed_desc *desc = shim_pointer(vq, l->desc);
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
	virtio_armed_packed(vq, l, virtio_rearm_word(rx->port), wraps);
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

/* Arms mbufs in a split receive ring of net_virtio, in the way of its vector function. */

/* Publish a batch whose slots and descriptors are written. */
static __rte_always_inline void
virtio_armed_split(void *vq, const struct virtio_layout *l)
{
	const uint16_t next = shim_u16(vq, l->avail_next) + VIRTIO_BATCH;
	volatile struct vring_avail *avail = shim_pointer(vq, l->avail);

	shim_u16_set(vq, l->avail_next, next);
	shim_u16_set(vq, l->open, shim_u16(vq, l->open) - VIRTIO_BATCH);
	rte_io_wmb();
	avail->idx = next;
	virtio_fence(vq, l);
}

/* A shim_rx_arm. */
static __rte_always_inline bool
virtio_arm_split(const struct shim_rx *rx, const struct virtio_layout *l,
	const struct shim_mbufs *mbufs, bool sure)
{
	void *vq = virtio_queue(rx->rxq, l);
	uint16_t start = shim_u16(vq, l->avail_next) & (shim_u16(vq, l->size) - 1u),
		 address = shim_u16(vq, l->address),
		 header = shim_u16(shim_pointer(vq, l->hw), l->header);
	struct rte_mbuf **slot = (struct rte_mbuf **)shim_pointer(vq, l->slots) + start;
	struct vring_desc *desc = (struct vring_desc *)shim_pointer(vq, l->desc) + start;
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
	virtio_armed_split(vq, l);
	return true;
}
