/* Queues of virtio as ends of pairs, with the field offsets as constants. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/pair.h"
#include "pmd_shims/recycle/virtio/virtio_rx.h"
#include "pmd_shims/recycle/virtio/virtio_tx.h"

PAIR_RX_END(virtio_split_built, VIRTIO_BATCH, virtio_room(rx, VIRTIO_BUILT, false),
	virtio_arm_split(rx, VIRTIO_BUILT, mbufs, sure))
PAIR_RX_END(virtio_packed_built, VIRTIO_BATCH, virtio_room(rx, VIRTIO_BUILT, true),
	virtio_arm_packed(rx, VIRTIO_BUILT, mbufs, sure))
/* sent() already removes the mbufs from the ring, so taken() has nothing to do. */
PAIR_TX_END(virtio_split_built, VIRTIO_BATCH, sizeof(void *), virtio_sent_split(tx, VIRTIO_BUILT),
	(void)0)
PAIR_TX_END(virtio_packed_built, VIRTIO_BATCH, sizeof(void *), virtio_sent_packed(tx, VIRTIO_BUILT),
	(void)0)
