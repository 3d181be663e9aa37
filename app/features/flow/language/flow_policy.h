/* What a meter does with packets by their color: actions as of flow rules. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/words.h"
#include "features/flow/language/flow_rule.h"

struct err;

#define FLOW_POLICY_COLORS 3 /* green, yellow, red: enum rte_color */

struct flow_policy {
	struct flow_rule color[FLOW_POLICY_COLORS]; /* its actions count, none: nothing is done */
};

/*
 * Read "g_actions ACTION [/ ACTION] / end y_actions ... / end r_actions ... / end" into policy,
 * zeroed. Errors as flow_read(). Thread: control.
 */
int flow_policy_read(struct words *r, struct flow_policy *policy, struct err *e);
