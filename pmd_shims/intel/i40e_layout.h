/* Offsets of fields in net_i40e's private queue structs, by DPDK release. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/intel/intel.h"

/* clang-format off */
#define I40E_RX_22_TO_24 .end = "i40e_22", .pool = 0, .ring = 8, .sw_ring = 24, .size = 32, .tail = 36, .fake = 64, \
	.rearm_n = 712, .rearm_start = 714, .port = 728, .queue = 732, .doorbell = 744, .desc_size = 32, \
	.rearm = 32
#define I40E_TX_22_TO_24 .end_8 = "i40e_22_8", .end_16 = "i40e_22_16", .size = 0, .ring = 16, .sw_ring = 24, .tail = 32, .free = 52, .rs_thresh = 56, \
	.port = 62, .queue = 64, .next_done = 80, .done_offset = 8, .done_mask = 0xf, .least = 32

static const struct intel_rx_layout i40e_rx_layouts[] = {
	{ "DPDK 22.11.11", I40E_RX_22_TO_24 },
	{ "DPDK 24.11.4", I40E_RX_22_TO_24 },
	{ "DPDK 25.11.4", INTEL_RX_25, .end = "i40e_25", .desc_size = 32 },
};

static const struct intel_tx_layout i40e_tx_layouts[] = {
	{ "DPDK 22.11.11", I40E_TX_22_TO_24 },
	{ "DPDK 24.11.4", I40E_TX_22_TO_24 },
	{ "DPDK 25.11.4", INTEL_TX_25, .end_8 = "i40e_25", .done_offset = 8, .done_mask = 0xf },
};
/* clang-format on */
