/* Offsets of fields in the private queue structs of Intel's drivers, by DPDK release. X_BUILT: the
 * layout of the release at compile time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/intel/intel.h"

/* net_i40e */
enum { I40E_RX_ROWS(SHIM_ROW_ID) I40E_RX_ROW_BUILT = I40E_RX_ROWS(SHIM_ROW_BUILT) };
enum { I40E_TX_ROWS(SHIM_ROW_ID) I40E_TX_ROW_BUILT = I40E_TX_ROWS(SHIM_ROW_BUILT) };
static const struct intel_rx_layout i40e_rx_layouts[] = { I40E_RX_ROWS(SHIM_ROW) };
static const struct intel_tx_layout i40e_tx_layouts[] = { I40E_TX_ROWS(SHIM_ROW) };
#define I40E_RX_BUILT (&i40e_rx_layouts[I40E_RX_ROW_BUILT])
#define I40E_TX_BUILT (&i40e_tx_layouts[I40E_TX_ROW_BUILT])

/* net_iavf */
enum { IAVF_RX_ROWS(SHIM_ROW_ID) };
enum { IAVF_TX_ROWS(SHIM_ROW_ID) };
static const struct intel_rx_layout iavf_rx_layouts[] = { IAVF_RX_ROWS(SHIM_ROW) };
static const struct intel_tx_layout iavf_tx_layouts[] = { IAVF_TX_ROWS(SHIM_ROW) };

/* net_ice */
enum { ICE_RX_ROWS(SHIM_ROW_ID) ICE_RX_ROW_BUILT = ICE_RX_ROWS(SHIM_ROW_BUILT) };
enum { ICE_TX_ROWS(SHIM_ROW_ID) ICE_TX_ROW_BUILT = ICE_TX_ROWS(SHIM_ROW_BUILT) };
static const struct intel_rx_layout ice_rx_layouts[] = { ICE_RX_ROWS(SHIM_ROW) };
static const struct intel_tx_layout ice_tx_layouts[] = { ICE_TX_ROWS(SHIM_ROW) };
#define ICE_RX_BUILT (&ice_rx_layouts[ICE_RX_ROW_BUILT])
#define ICE_TX_BUILT (&ice_tx_layouts[ICE_TX_ROW_BUILT])

/* net_ixgbe */
enum { IXGBE_RX_ROWS(SHIM_ROW_ID) IXGBE_RX_ROW_BUILT = IXGBE_RX_ROWS(SHIM_ROW_BUILT) };
enum { IXGBE_TX_ROWS(SHIM_ROW_ID) IXGBE_TX_ROW_BUILT = IXGBE_TX_ROWS(SHIM_ROW_BUILT) };
static const struct intel_rx_layout ixgbe_rx_layouts[] = { IXGBE_RX_ROWS(SHIM_ROW) };
static const struct intel_tx_layout ixgbe_tx_layouts[] = { IXGBE_TX_ROWS(SHIM_ROW) };
#define IXGBE_RX_BUILT (&ixgbe_rx_layouts[IXGBE_RX_ROW_BUILT])
#define IXGBE_TX_BUILT (&ixgbe_tx_layouts[IXGBE_TX_ROW_BUILT])
