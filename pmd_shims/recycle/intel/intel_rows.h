/* Offsets of fields in the private queue structs of net_i40e, net_iavf, net_ice and net_ixgbe, by DPDK release. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/intel/intel.h"

enum { I40E_RX_ROWS(SHIM_ROW_ID) };
enum { I40E_TX_ROWS(SHIM_ROW_ID) };

static const struct intel_rx_layout i40e_rx_layouts[] = { I40E_RX_ROWS(SHIM_ROW) };
static const struct intel_tx_layout i40e_tx_layouts[] = { I40E_TX_ROWS(SHIM_ROW) };

/* Offsets of fields in net_iavf's private queue structs, by DPDK release. */

enum { IAVF_RX_ROWS(SHIM_ROW_ID) };
enum { IAVF_TX_ROWS(SHIM_ROW_ID) };

static const struct intel_rx_layout iavf_rx_layouts[] = { IAVF_RX_ROWS(SHIM_ROW) };
static const struct intel_tx_layout iavf_tx_layouts[] = { IAVF_TX_ROWS(SHIM_ROW) };

/* Offsets of fields in net_ice's private queue structs, by DPDK release. */

enum { ICE_RX_ROWS(SHIM_ROW_ID) };
enum { ICE_TX_ROWS(SHIM_ROW_ID) };

static const struct intel_rx_layout ice_rx_layouts[] = { ICE_RX_ROWS(SHIM_ROW) };
static const struct intel_tx_layout ice_tx_layouts[] = { ICE_TX_ROWS(SHIM_ROW) };

/* Offsets of fields in net_ixgbe's private queue structs, by DPDK release. */

enum { IXGBE_RX_ROWS(SHIM_ROW_ID) };
enum { IXGBE_TX_ROWS(SHIM_ROW_ID) };

static const struct intel_rx_layout ixgbe_rx_layouts[] = { IXGBE_RX_ROWS(SHIM_ROW) };
static const struct intel_tx_layout ixgbe_tx_layouts[] = { IXGBE_TX_ROWS(SHIM_ROW) };
