/* The functions of net_virtio's queues, by which pair_table.c finds the loops compiled for them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"

/* Functions by the kind of the ring. */
extern const struct shim_rx_ops virtio_split_rx_ops, virtio_packed_rx_ops;
/* Likewise; an in-order split ring has others. */
extern const struct shim_tx_ops virtio_split_tx_ops, virtio_split_in_order_tx_ops,
	virtio_packed_tx_ops;
