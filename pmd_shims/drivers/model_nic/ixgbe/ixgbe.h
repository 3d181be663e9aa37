/* The families of the 82599 and the X540. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/family.h"

/* Intel 82599 with an SFP+ module, and Intel X540; driver net_ixgbe. */
extern const struct model_family model_82599, model_x540;
