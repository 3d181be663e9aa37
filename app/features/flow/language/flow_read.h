/* Parse flow rules, and other commands with their items and actions, in testpmd's syntax. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/words.h"
#include "features/flow/language/flow_part.h"
#include "features/flow/language/flow_phrase.h"
#include "features/flow/language/flow_rule.h"

struct err;
struct out;

/*
 * Read all words of a phrase into rule, which must be zeroed. If the defaults have FLOW_NO_PORT,
 * numbers of a port's objects are not looked up. EINVAL, ERANGE, E2BIG, ENOENT, ENOTSUP at the
 * word. Thread: control.
 */
int flow_read(struct words *r, const struct flow_phrase *phrase, struct flow_rule *rule,
	struct err *e);

/* Show the known items and actions with their fields. */

/*
 * Show n parts, one per line. JSON: {key: [{"name", "needs": another DPDK release, "fields":
 * [{"name", "kind", "words": choices, "then": fields that may follow}]}]}. Thread: control.
 */
void flow_show(struct out *o, const char *key, const struct flow_part *parts, size_t n);

/* Meter policy: actions for each color, in the language of flow rules. */

#define FLOW_POLICY_COLORS 3 /* green, yellow, red: enum rte_color */

struct flow_policy {
	struct flow_rule color[FLOW_POLICY_COLORS]; /* only its actions are used; may be empty */
};

/*
 * Read "g_actions ACTION [/ ACTION] / end y_actions ... / end r_actions ... / end" into policy,
 * which must be zeroed. Errors: those of flow_read(). Thread: control.
 */
int flow_policy_read(struct words *r, struct flow_policy *policy, struct err *e);
