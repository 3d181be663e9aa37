/* The families that mock ports offer. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/families.h"

extern const struct model_family mock_mlx5_family, mock_i40e_family, mock_ice_family,
	mock_iavf_family, mock_ixgbe_family, mock_ixgbe_vf_family;

const struct model_family *const model_families[] = { &mock_mlx5_family, &mock_i40e_family,
	&mock_ice_family, &mock_iavf_family, &mock_ixgbe_family, &mock_ixgbe_vf_family, NULL };
