/* The chips that a plugin models. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/family.h"

/* What MODEL_NIC may name, ended by NULL. */
extern const struct model_family *const model_families[];
