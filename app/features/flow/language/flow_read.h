/* Flow rules and what else takes their items and actions, from testpmd's words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/words.h"
#include "features/flow/language/flow_phrase.h"
#include "features/flow/language/flow_rule.h"

struct err;

/*
 * Read all words of a phrase into rule, zeroed. Only looking, nothing stands behind numbers of what
 * ports have. EINVAL, ERANGE, E2BIG, ENOENT, ENOTSUP at the word. Thread: control.
 */
int flow_read(struct words *r, const struct flow_phrase *phrase, struct flow_rule *rule,
	struct err *e);

/* Read "ACTION / [ACTION /] ... END" behind what actions rule has; END: that word. As flow_read(). */
int flow_read_actions(struct words *r, const char *end, struct flow_rule *rule, struct err *e);
