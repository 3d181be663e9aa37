/* The known pattern items of flow rules. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_part.h"

/* In the order of help, without END. */
extern const struct flow_part flow_items[];
extern const size_t flow_items_n;
