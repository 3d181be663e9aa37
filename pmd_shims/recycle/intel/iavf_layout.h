/* Offsets of fields in net_iavf's private queue structs, by DPDK release. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/intel/intel.h"

enum { IAVF_RX_ROWS(SHIM_ROW_ID) };
enum { IAVF_TX_ROWS(SHIM_ROW_ID) };

static const struct intel_rx_layout iavf_rx_layouts[] = { IAVF_RX_ROWS(SHIM_ROW) };
static const struct intel_tx_layout iavf_tx_layouts[] = { IAVF_TX_ROWS(SHIM_ROW) };
