/* The known actions of flow rules. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_part.h"

/* Parsers of actions with more than fields and values; flow_outer.h has those with headers. */

/* In the order of help, without END. */
extern const struct flow_part flow_actions[];
extern const size_t flow_actions_n;
