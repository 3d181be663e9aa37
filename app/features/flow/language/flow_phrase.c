/* Tables of the words that follow the commands of flow rules. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/language/flow_phrase.h"

#include "base/base.h"
#include "features/flow/language/flow_rule.h"

#include <assert.h>
#include <string.h>

#define STRUCT(s) struct flow_##s
#include "features/flow/language/flow_fields.h"

/* The directions of a rule. */
#define DIRECTIONS \
	FLAG("ingress", said, attr.ingress), FLAG("egress", said, attr.egress), \
		FLAG("transfer", said, attr.transfer)

static const struct flow_field rule[] = {
	HOST(UINT, "group", said, attr.group),
	HOST(UINT, "priority", said, attr.priority),
	DIRECTIONS,
	HOST(UINT, "tunnel_set", said, tunnel),
	HOST(UINT, "tunnel_match", said, match_tunnel),
};

static const struct flow_field rules[] = {
	MORE("rule", said, number, n_numbers),
};

static const struct flow_field indirect[] = {
	HOST(UINT, "action_id", said, id),
	DIRECTIONS,
};

static const struct flow_field actions[] = {
	MORE("action_id", said, number, n_numbers),
};

static const struct flow_field configure[] = {
	HOST(UINT, "queues_number", said, queues),
	HOST(UINT, "queues_size", said, queue.size),
	HOST(UINT, "counters_number", said, port.nb_counters),
	HOST(UINT, "aging_counters_number", said, port.nb_aging_objects),
	HOST(UINT, "meters_number", said, port.nb_meters),
	HOST(UINT, "conn_tracks_number", said, port.nb_conn_tracks),
	HOST(UINT, "flags", said, port.flags),
};

static const struct flow_field pattern_template[] = {
	HOST(UINT, "pattern_template_id", said, id),
	HOST(BOOL, "relaxed", said, relaxed),
	DIRECTIONS,
};

static const struct flow_field actions_template[] = {
	HOST(UINT, "actions_template_id", said, id),
	DIRECTIONS,
};

static const struct flow_field pattern_templates[] = {
	MORE("pattern_template", said, number, n_numbers),
};

static const struct flow_field actions_templates[] = {
	MORE("actions_template", said, number, n_numbers),
};

static const struct flow_field table[] = {
	HOST(UINT, "table_id", said, id),
	HOST(UINT, "group", said, attr.group),
	HOST(UINT, "priority", said, attr.priority),
	DIRECTIONS,
	FLAG("resizable", said, resizable),
	HOST(UINT, "rules_number", said, flows),
	MORE("pattern_template", said, number, n_numbers),
	MORE("actions_template", said, other, n_others),
};

static const struct flow_field tables[] = {
	MORE("table", said, number, n_numbers),
};

/* Whether an operation waits for the next push. */
#define POSTPONE HOST(BOOL, "postpone", said, postpone)

static const struct flow_field queue_rules[] = {
	POSTPONE,
	MORE("rule", said, number, n_numbers),
};

static const struct flow_field queue_indirect[] = {
	HOST(UINT, "action_id", said, id),
	DIRECTIONS,
	POSTPONE,
};

static const struct flow_field queue_action[] = {
	POSTPONE,
};

static const struct flow_field queue_actions[] = {
	POSTPONE,
	MORE("action_id", said, number, n_numbers),
};

#define WORDS(fields) .words = fields, .n = ARRAY_SIZE(fields)
#define ACTION_LIST \
	{ \
		FLOW_ACTIONS, "action", "ACTION / end", "end" \
	}

const struct flow_phrase flow_phrase_rule = { .name = "rule",
	WORDS(rule),
	.list = { { FLOW_ITEMS, "pattern", "packets that the rule matches: ITEM [/ ITEM ...] / end",
			  "end" },
		{ FLOW_ACTIONS, "actions",
			"actions for matching packets: ACTION [/ ACTION ...] / end", "end" } } };

const struct flow_phrase flow_phrase_rules = { .name = "rules", WORDS(rules) };

const struct flow_phrase flow_phrase_raw = { .name = "raw",
	.index = true,
	.list = { { FLOW_ITEMS, NULL, "", "end_set" } } };

/* Only items, as in files. */
const struct flow_phrase flow_phrase_items = { .name = "items",
	.list = { { FLOW_ITEMS, NULL, "", "end" } } };

const struct flow_phrase flow_phrase_sample = { .name = "sample",
	.index = true,
	.index_first = true,
	.list = { { FLOW_ACTIONS, NULL, "", "end" } } };

const struct flow_phrase flow_phrase_indirect = { .name = "indirect",
	WORDS(indirect),
	.list = { ACTION_LIST } };

const struct flow_phrase flow_phrase_action = { .name = "action", .list = { ACTION_LIST } };

const struct flow_phrase flow_phrase_actions = { .name = "actions", WORDS(actions) };

const struct flow_phrase flow_phrase_update = { .name = "update",
	.list = { { FLOW_ACTIONS, "actions",
		"actions for matching packets: ACTION [/ ACTION ...] / end", "end" } } };

const struct flow_phrase flow_phrase_configure = { .name = "configure", WORDS(configure) };

const struct flow_phrase flow_phrase_pattern = { .name = "pattern",
	WORDS(pattern_template),
	.list = { { FLOW_ITEMS, "template", "ITEM [/ ITEM ...] / end", "end" } } };

const struct flow_phrase flow_phrase_masked = { .name = "masked",
	WORDS(actions_template),
	.list = { { FLOW_ACTIONS, "template", "ACTION [/ ACTION ...] / end", "end" },
		{ FLOW_MASKS, "mask",
			"parts of the actions that are fixed: ACTION [/ ACTION ...] / end",
			"end" } } };

const struct flow_phrase flow_phrase_patterns = { .name = "patterns", WORDS(pattern_templates) };
const struct flow_phrase flow_phrase_maskeds = { .name = "maskeds", WORDS(actions_templates) };
const struct flow_phrase flow_phrase_table = { .name = "table", WORDS(table) };
const struct flow_phrase flow_phrase_tables = { .name = "tables", WORDS(tables) };

const struct flow_phrase flow_phrase_missed = { .name = "missed",
	.list = { { FLOW_ACTIONS, NULL, "", "end" } } };

const struct flow_phrase flow_phrase_matched = { .name = "matched",
	.list = { { FLOW_ITEMS, "pattern", "ITEM [/ ITEM ...] / end", "end" } } };

const struct flow_phrase flow_phrase_queued = { .name = "queued",
	.list = { { FLOW_ITEMS, "pattern", "ITEM [/ ITEM ...] / end", "end" },
		{ FLOW_ACTIONS, "actions", "ACTION [/ ACTION ...] / end", "end" } } };

const struct flow_phrase flow_phrase_queued_rules = { .name = "queued_rules", WORDS(queue_rules) };

const struct flow_phrase flow_phrase_queued_indirect = { .name = "queued_indirect",
	WORDS(queue_indirect),
	.list = { ACTION_LIST } };

const struct flow_phrase flow_phrase_queued_action = { .name = "queued_action",
	WORDS(queue_action),
	.list = { ACTION_LIST } };

const struct flow_phrase flow_phrase_queued_actions = { .name = "queued_actions",
	WORDS(queue_actions) };

const struct flow_phrase *
flow_phrase_find(const char *name)
{
	static const struct flow_phrase *const all[] = { &flow_phrase_rule, &flow_phrase_rules,
		&flow_phrase_raw, &flow_phrase_items, &flow_phrase_sample, &flow_phrase_indirect,
		&flow_phrase_action, &flow_phrase_actions, &flow_phrase_update,
		&flow_phrase_configure, &flow_phrase_pattern, &flow_phrase_masked,
		&flow_phrase_patterns, &flow_phrase_maskeds, &flow_phrase_table,
		&flow_phrase_tables, &flow_phrase_missed, &flow_phrase_matched, &flow_phrase_queued,
		&flow_phrase_queued_rules, &flow_phrase_queued_indirect, &flow_phrase_queued_action,
		&flow_phrase_queued_actions };
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(all) && strcmp(all[i]->name, name) != 0)
		i++;
	assert(strcmp(all[i]->name, name) == 0);
	return all[i];
}
