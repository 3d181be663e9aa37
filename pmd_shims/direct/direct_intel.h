/* Receive and transmit without mbufs: functions for Intel's drivers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/direct/direct_half.h"

/* Functions by driver, and by the size of the Tx queue's entries. */
extern const struct direct_rx_ops direct_rx_i40e, direct_rx_ice, direct_rx_ixgbe,
	direct_rx_any_i40e, direct_rx_any_ice, direct_rx_any_ixgbe;
/* Likewise. */
extern const struct direct_tx_ops direct_tx_i40e_8, direct_tx_i40e_16, direct_tx_ice_8,
	direct_tx_ice_16, direct_tx_ixgbe_8, direct_tx_any_i40e_8, direct_tx_any_i40e_16,
	direct_tx_any_ice_8, direct_tx_any_ice_16, direct_tx_any_ixgbe_8;
