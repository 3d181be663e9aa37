/* Queues of Intel's drivers as ends of pairs, with the field offsets as constants. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/intel/intel_rows.h"
#include "pmd_shims/recycle/pair.h"

#define INTEL_RX_END(name, layout) \
	PAIR_RX_END(name, (layout)->rearm, intel_room(rx, layout), \
		intel_arm(rx, layout, mbufs, mbufs->stride, sure))

#define INTEL_TX_END(name, layout, stride) \
	PAIR_TX_END(name, (layout)->least, stride, intel_sent(tx, layout, stride), \
		intel_taken(tx, layout, mbufs))

/*
 * DPDK releases in the names: 22 is up to 24.11; 25 is 25.07 to 25.11, where ice and iavf have the
 * queues of i40e; 26 is 26.07, where receive queues are those of 25.
 */
INTEL_RX_END(i40e_22, &i40e_rx_layouts[I40E_RX_22_11])
INTEL_RX_END(i40e_25, &i40e_rx_layouts[I40E_RX_25_07])
INTEL_RX_END(ice_22, &ice_rx_layouts[ICE_RX_22_11])
INTEL_RX_END(ixgbe_22, &ixgbe_rx_layouts[IXGBE_RX_22_11])
INTEL_RX_END(ixgbe_25, &ixgbe_rx_layouts[IXGBE_RX_25_07])
INTEL_TX_END(i40e_22_8, &i40e_tx_layouts[I40E_TX_22_11], 8)
INTEL_TX_END(i40e_22_16, &i40e_tx_layouts[I40E_TX_22_11], 16)
INTEL_TX_END(i40e_25, &i40e_tx_layouts[I40E_TX_25_07], 8)
INTEL_TX_END(i40e_26, &i40e_tx_layouts[I40E_TX_26_07], 8)
INTEL_TX_END(ice_22, &ice_tx_layouts[ICE_TX_22_11], 16)
INTEL_TX_END(ixgbe_22, &ixgbe_tx_layouts[IXGBE_TX_22_11], 8)
INTEL_TX_END(ixgbe_25, &ixgbe_tx_layouts[IXGBE_TX_25_07], 8)
INTEL_TX_END(ixgbe_26, &ixgbe_tx_layouts[IXGBE_TX_26_07], 8)
