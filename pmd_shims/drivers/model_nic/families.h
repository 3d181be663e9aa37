/* The list of chips that the plugin models. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/family.h"

/* The devices that MODEL_NIC can name, NULL-terminated. */
extern const struct model_family *const model_families[];
