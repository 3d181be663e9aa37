/* Offsets of fields in net_ixgbe's private queue structs, by DPDK release. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/intel/intel.h"

enum { IXGBE_RX_ROWS(SHIM_ROW_ID) };
enum { IXGBE_TX_ROWS(SHIM_ROW_ID) };

static const struct intel_rx_layout ixgbe_rx_layouts[] = { IXGBE_RX_ROWS(SHIM_ROW) };
static const struct intel_tx_layout ixgbe_tx_layouts[] = { IXGBE_TX_ROWS(SHIM_ROW) };
