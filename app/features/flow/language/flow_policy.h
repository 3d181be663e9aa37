/* Meter policy: actions for each color, in the language of flow rules. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/words.h"
#include "features/flow/language/flow_rule.h"

struct err;

#define FLOW_POLICY_COLORS 3 /* green, yellow, red: enum rte_color */

struct flow_policy {
	struct flow_rule color[FLOW_POLICY_COLORS]; /* only its actions are used; may be empty */
};

/*
 * Read "g_actions ACTION [/ ACTION] / end y_actions ... / end r_actions ... / end" into policy,
 * which must be zeroed. Errors: those of flow_read(). Thread: control.
 */
int flow_policy_read(struct words *r, struct flow_policy *policy, struct err *e);
