/* The families that mock ports offer. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/families.h"

extern const struct model_family mock_mlx5_family, mock_i40e_family, mock_ixgbe_family;

const struct model_family *const model_families[] = { &mock_mlx5_family, &mock_i40e_family,
	&mock_ixgbe_family, NULL };
