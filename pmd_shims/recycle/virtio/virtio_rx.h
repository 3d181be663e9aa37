/* Receive rings of net_virtio, split and packed: when mbufs may be armed, and what is written into
 * each. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Only the driver can notify its backend, so nothing is armed while the backend wants to be told of
 * new buffers. It may start to want that at any time: it sets its flag, then looks for buffers once
 * more, then sleeps. Here a batch is published, then comes a full fence, and before the next batch
 * the flag is looked at. So a backend that sleeps may have missed the last batch, none before it.
 * It wakes: without buffers it gives back as used all that it knows, which is the ring but that
 * batch; the driver receives them and refills by its own hand, which notifies, once a batch of its
 * own (32, or rx_free_thresh for packed rings) is open. Therefore queues that have no room for both
 * batches are refused.
 */
#pragma once

#include "pmd_shims/recycle/rearm_check.h"
#include "pmd_shims/recycle/virtio/virtio_queue.h"

#include <rte_atomic.h>

#include <stdatomic.h>

/* What every received mbuf has at data_off: its headroom, one reference, one segment, its port. */
static __rte_always_inline uint64_t
virtio_rearm_word(uint16_t port)
{
	return RTE_PKTMBUF_HEADROOM | UINT64_C(1) << 16 | UINT64_C(1) << 32 | (uint64_t)port << 48;
}

/*
 * The vector functions leave these to whom arms; what is received lies in the second half of the
 * line.
 */
static __rte_always_inline void
virtio_rearm(struct rte_mbuf *m, uint64_t word)
{
	*(uint64_t *)shim_at(m, REARM_OFFSET) = word;
	m->ol_flags &= RTE_MBUF_F_EXTERNAL;
}

/* Address and length of a free mbuf's buffer, with room for the header before what is received. */
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

/* Whether the backend polls, now. */
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

/* As shim_rx_room. */
static __rte_always_inline uint16_t
virtio_room(const struct shim_rx *rx, const struct virtio_layout *l, bool packed)
{
	const void *vq = virtio_queue(rx->rxq, l);
	uint16_t open = shim_u16(vq, l->open);

	if (open < VIRTIO_BATCH || !virtio_started(vq, l) || !virtio_polled(vq, l, packed))
		return 0;
	return open / VIRTIO_BATCH * VIRTIO_BATCH;
}

/* Between what was published and the next look at what the backend wants. */
static __rte_always_inline void
virtio_fence(const void *vq, const struct virtio_layout *l)
{
	if (likely(virtio_hw_u8(vq, l, l->weak) != 0))
		atomic_thread_fence(memory_order_seq_cst);
	else
		rte_mb();
}
