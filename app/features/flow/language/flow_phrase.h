/* Phrases: what follows commands of flow rules: words in any order, then items and actions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_part.h"

enum flow_list { FLOW_NONE, FLOW_ITEMS, FLOW_ACTIONS, FLOW_MASKS };

struct flow_phrase {
	const char *name;               /* <x:flow NAME> in the syntax of commands */
	const struct flow_field *words; /* into struct flow_said, in any order */
	size_t n;
	bool index, index_first; /* the number of a preset may come first; must come first */
	struct {
		enum flow_list what;
		const char *begin; /* the word before the list; NULL: none */
		const char *help;  /* of begin */
		const char *end;
	} list[2];
};

/* Rules; lists of rules; presets; indirect actions. */
extern const struct flow_phrase flow_phrase_rule, flow_phrase_rules, flow_phrase_update,
	flow_phrase_raw, flow_phrase_items, flow_phrase_sample, flow_phrase_indirect,
	flow_phrase_action, flow_phrase_actions;

/* Pattern templates, actions templates with masks, tables, queued operations. */
extern const struct flow_phrase flow_phrase_configure, flow_phrase_pattern, flow_phrase_masked,
	flow_phrase_patterns, flow_phrase_maskeds, flow_phrase_table, flow_phrase_tables,
	flow_phrase_queued, flow_phrase_queued_rules, flow_phrase_queued_indirect,
	flow_phrase_queued_action, flow_phrase_queued_actions;

/* Actions for packets that no rule of a group matches; headers of a packet. */
extern const struct flow_phrase flow_phrase_missed, flow_phrase_matched;

/* Find a phrase by name, which must exist. */
const struct flow_phrase *flow_phrase_find(const char *name);
