/* Parse flow rules, and other commands with their items and actions, in testpmd's syntax. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/words.h"
#include "features/flow/language/flow_phrase.h"
#include "features/flow/language/flow_rule.h"

struct err;

/*
 * Read all words of a phrase into rule, which must be zeroed. If the defaults have FLOW_NO_PORT,
 * numbers of a port's objects are not looked up. EINVAL, ERANGE, E2BIG, ENOENT, ENOTSUP at the
 * word. Thread: control.
 */
int flow_read(struct words *r, const struct flow_phrase *phrase, struct flow_rule *rule,
	struct err *e);

/* Read "ACTION / [ACTION /] ... END" and append to rule's actions. Errors: those of flow_read(). */
int flow_read_actions(struct words *r, const char *end, struct flow_rule *rule, struct err *e);
