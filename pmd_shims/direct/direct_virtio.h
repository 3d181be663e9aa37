/* Receive and transmit without mbufs: functions for net_virtio. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/direct/direct_half.h"

/* Functions by the kind of the ring. */
extern const struct direct_rx_ops direct_rx_virtio_split, direct_rx_virtio_packed,
	direct_rx_any_virtio_split, direct_rx_any_virtio_packed;
/* Likewise. */
extern const struct direct_tx_ops direct_tx_virtio_split, direct_tx_virtio_split_in_order,
	direct_tx_virtio_packed, direct_tx_any_virtio_split, direct_tx_any_virtio_split_in_order,
	direct_tx_any_virtio_packed;
