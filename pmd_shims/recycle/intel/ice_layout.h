/* Offsets of fields in net_ice's private queue structs, by DPDK release. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/intel/intel.h"

enum { ICE_RX_ROWS(SHIM_ROW_ID) };
enum { ICE_TX_ROWS(SHIM_ROW_ID) };

static const struct intel_rx_layout ice_rx_layouts[] = { ICE_RX_ROWS(SHIM_ROW) };
static const struct intel_tx_layout ice_tx_layouts[] = { ICE_TX_ROWS(SHIM_ROW) };
