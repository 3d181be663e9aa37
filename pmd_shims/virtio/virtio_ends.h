/* Queues of virtio as ends of pairs, with the field offsets as constants. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/pair_end.h"
#include "pmd_shims/virtio/virtio_rx_packed.h"
#include "pmd_shims/virtio/virtio_rx_split.h"
#include "pmd_shims/virtio/virtio_tx_packed.h"
#include "pmd_shims/virtio/virtio_tx_split.h"

PAIR_RX_END(virtio_split_22, VIRTIO_BATCH, virtio_room(rx, &virtio_layouts[VIRTIO_22_11], false),
	virtio_arm_split(rx, &virtio_layouts[VIRTIO_22_11], mbufs, sure))
PAIR_RX_END(virtio_packed_22, VIRTIO_BATCH, virtio_room(rx, &virtio_layouts[VIRTIO_22_11], true),
	virtio_arm_packed(rx, &virtio_layouts[VIRTIO_22_11], mbufs, sure))
/* What was sent is forgotten as soon as it is listed. */
PAIR_TX_END(virtio_split_22, VIRTIO_BATCH, sizeof(void *),
	virtio_sent_split(tx, &virtio_layouts[VIRTIO_22_11]), (void)0)
PAIR_TX_END(virtio_packed_22, VIRTIO_BATCH, sizeof(void *),
	virtio_sent_packed(tx, &virtio_layouts[VIRTIO_22_11]), (void)0)
