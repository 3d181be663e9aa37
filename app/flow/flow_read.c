/* Pattern and actions, part by part, each by its table. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow/flow_read.h"

#include "base/err.h"
#include "flow/flow_actions.h"
#include "flow/flow_forms.h"
#include "flow/flow_items.h"
#include "flow/flow_value.h"

#include <errno.h>
#include <string.h>

/* The part of that table that the word is; NULL: none, and all of them may stand there. */
static const struct flow_part *
part_read(struct flow_reader *r, const struct flow_part *parts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		flow_reader_may(r, parts[i].name, "");
	for (size_t i = 0; i < n; i++)
		if (flow_reader_is(r, parts[i].name, ""))
			return &parts[i];
	return NULL;
}

/* Where the words of an item go. */
struct item_memory {
	uint8_t *spec, *last, *mask;
};

/* "is", "spec", "last", "mask" or "prefix", and the value behind it. */
static int
param_read(struct flow_reader *r, const struct flow_part *part, const struct flow_field *f,
	struct rte_flow_item *item, const struct item_memory *m, struct err *e)
{
	if (flow_reader_is(r, "is", "this very value")) {
		item->spec = m->spec;
		item->mask = m->mask;
		return flow_value_read(r, part, f, m->spec, m->mask, e);
	}
	if (flow_reader_is(r, "spec", "this value, by the mask")) {
		item->spec = m->spec;
		return flow_value_read(r, part, f, m->spec, NULL, e);
	}
	if (flow_reader_is(r, "last", "up to this value")) {
		item->last = m->last;
		return flow_value_read(r, part, f, m->last, NULL, e);
	}
	if (flow_reader_is(r, "mask", "its bits that matter")) {
		item->mask = m->mask;
		return flow_value_read(r, part, f, m->mask, NULL, e);
	}
	if (flow_reader_is(r, "prefix", "how many of its first bits matter")) {
		item->mask = m->mask;
		return flow_value_prefix(r, f, m->mask, e);
	}
	return flow_reader_fail(r, EINVAL, NULL, e);
}

/* The field that the word is; one without a name is what comes without a word. */
static const struct flow_field *
field_read(struct flow_reader *r, const struct flow_part *part)
{
	for (size_t i = 0; i < part->n; i++)
		if (*part->fields[i].name != '\0')
			flow_reader_may(r, part->fields[i].name, "");
	for (size_t i = 0; i < part->n; i++)
		if (*part->fields[i].name == '\0' || flow_reader_is(r, part->fields[i].name, ""))
			return &part->fields[i];
	return NULL;
}

static int
item_read(struct flow_reader *r, struct flow_rule *rule, struct err *e)
{
	const struct flow_part *part = part_read(r, flow_items, flow_items_n);
	struct rte_flow_item *item = &rule->item[rule->n_items];
	const struct flow_field *f;
	struct item_memory m;
	int ret = 0;

	if (part == NULL)
		return flow_reader_fail(r, EINVAL, NULL, e);
	if (rule->n_items + 1 == FLOW_PARTS)
		return err_set(e, E2BIG, "more than %d items", FLOW_PARTS - 1);
	m.spec = flow_rule_store(rule, part->bytes + part->room);
	m.last = flow_rule_store(rule, part->bytes + part->room);
	m.mask = flow_rule_store(rule, part->bytes + part->room);
	if (m.spec == NULL || m.last == NULL || m.mask == NULL)
		return err_set(e, E2BIG, "the rule is too long");
	item->type = (enum rte_flow_item_type)part->type;
	rule->n_items++;
	while (ret == 0 && !flow_reader_is(r, "/", "the end of the item")) {
		f = field_read(r, part);
		ret = f != NULL ? param_read(r, part, f, item, &m, e)
				: flow_reader_fail(r, EINVAL, NULL, e);
	}
	/* rte_flow itself reads the spec there, to know how long the others are. */
	if (ret == 0 && part->room > 0 && item->spec == NULL &&
		(item->last != NULL || item->mask != NULL))
		return err_set(e, EINVAL, "%s: last and mask want a spec", part->name);
	return ret;
}

static int
action_words(struct flow_reader *r, const struct flow_defaults *defaults, struct flow_rule *rule,
	struct err *e)
{
	const struct flow_part *part = part_read(r, flow_actions, flow_actions_n);
	struct rte_flow_action *action = &rule->action[rule->n_actions];
	uint8_t *conf;

	if (part == NULL)
		return flow_reader_fail(r, EINVAL, NULL, e);
	if (rule->n_actions + 1 == FLOW_PARTS)
		return err_set(e, E2BIG, "more than %d actions", FLOW_PARTS - 1);
	conf = flow_rule_store(rule, part->bytes + part->room);
	if (conf == NULL)
		return err_set(e, E2BIG, "the rule is too long");
	action->type = (enum rte_flow_action_type)part->type;
	action->conf = part->bytes > 0 ? conf : NULL;
	rule->n_actions++;
	if (part->form != NULL)
		return flow_form_read(r, part, defaults, rule, conf, e);
	for (;;) {
		const struct flow_field *f = field_read(r, part);

		if (f == NULL)
			return 0;
		if (flow_value_read(r, part, f, conf, NULL, e) != 0)
			return -e->code;
	}
}

static int
action_read(struct flow_reader *r, const struct flow_defaults *defaults, struct flow_rule *rule,
	struct err *e)
{
	int ret = action_words(r, defaults, rule, e);

	if (ret == 0 && !flow_reader_is(r, "/", "the end of the action"))
		ret = flow_reader_fail(r, EINVAL, NULL, e);
	return ret;
}

/* A number behind the word. */
static int
attr_number(struct flow_reader *r, uint32_t *to, struct err *e)
{
	uint64_t value;
	int ret = flow_reader_uint(r, UINT32_MAX, &value, e);

	if (ret == 0)
		*to = (uint32_t)value;
	return ret;
}

/* Attributes up to the word pattern. */
static int
attr_read(struct flow_reader *r, struct rte_flow_attr *attr, struct err *e)
{
	int ret = 0;

	while (ret == 0 &&
		!flow_reader_is(r, "pattern", "what the rule is for: ITEM [/ ITEM ...] / end")) {
		if (flow_reader_is(r, "group", "of rules"))
			ret = attr_number(r, &attr->group, e);
		else if (flow_reader_is(r, "priority", "within the group, 0 first"))
			ret = attr_number(r, &attr->priority, e);
		else if (flow_reader_is(r, "ingress", "for packets that come in"))
			attr->ingress = 1;
		else if (flow_reader_is(r, "egress", "for packets that go out"))
			attr->egress = 1;
		else if (flow_reader_is(r, "transfer", "between the ports of a switch"))
			attr->transfer = 1;
		else
			ret = flow_reader_fail(r, EINVAL, NULL, e);
	}
	return ret;
}

int
flow_read_actions(struct flow_reader *r, const struct flow_defaults *defaults,
	struct flow_rule *rule, struct err *e)
{
	int ret = 0;

	while (ret == 0 && !flow_reader_is(r, "end", "of the actions"))
		ret = action_read(r, defaults, rule, e);
	return ret;
}

int
flow_read(struct flow_reader *r, const struct flow_defaults *defaults, struct flow_rule *rule,
	struct err *e)
{
	int ret = attr_read(r, &rule->attr, e);

	while (ret == 0 && !flow_reader_is(r, "end", "of the pattern"))
		ret = item_read(r, rule, e);
	if (ret == 0 && !flow_reader_is(r, "actions", "what is done: ACTION [/ ACTION ...] / end"))
		ret = flow_reader_fail(r, EINVAL, NULL, e);
	return ret == 0 ? flow_read_actions(r, defaults, rule, e) : ret;
}
