/* Offsets of fields in net_ixgbe's private queue structs, by DPDK release. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/intel/intel.h"

/* clang-format off */
#define IXGBE_RX_22_TO_24 .end = "ixgbe_22", .pool = 0, .ring = 8, .doorbell = 24, .sw_ring = 40, .size = 80, .tail = 82, \
	.rearm_n = 94, .rearm_start = 96, .queue = 100, .port = 106, .fake = 128, .desc_size = 16, .rearm = 32
#define IXGBE_TX_22_TO_24 .end_8 = "ixgbe_22", .ring = 0, .sw_ring = 16, .size = 32, .tail = 34, .rs_thresh = 38, .free = 44, \
	.next_done = 46, .queue = 50, .port = 54, .done_offset = 12, .done_mask = 1, .least = 32

static const struct intel_rx_layout ixgbe_rx_layouts[] = {
	{ "DPDK 22.11.11", IXGBE_RX_22_TO_24 },
	{ "DPDK 24.11.4", IXGBE_RX_22_TO_24 },
	{ "DPDK 25.11.4", INTEL_RX_25, .end = "ixgbe_25", .desc_size = 16 },
};

static const struct intel_tx_layout ixgbe_tx_layouts[] = {
	{ "DPDK 22.11.11", IXGBE_TX_22_TO_24 },
	{ "DPDK 24.11.4", IXGBE_TX_22_TO_24 },
	{ "DPDK 25.11.4", INTEL_TX_25, .end_8 = "ixgbe_25", .done_offset = 12, .done_mask = 1 },
};
/* clang-format on */
