/* The family of the XL710. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/family.h"

/* Intel XL710, driver net_i40e. */
extern const struct model_family model_xl710;
