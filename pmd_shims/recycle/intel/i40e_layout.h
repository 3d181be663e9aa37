/* Offsets of fields in net_i40e's private queue structs, by DPDK release. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/intel/intel.h"

enum { I40E_RX_ROWS(SHIM_ROW_ID) };
enum { I40E_TX_ROWS(SHIM_ROW_ID) };

static const struct intel_rx_layout i40e_rx_layouts[] = { I40E_RX_ROWS(SHIM_ROW) };
static const struct intel_tx_layout i40e_tx_layouts[] = { I40E_TX_ROWS(SHIM_ROW) };
