/* Parse patterns, actions and meter policies with the tables of items and actions, and show the tables. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/language/flow_read.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "features/flow/language/flow_actions.h"
#include "features/flow/language/flow_items.h"
#include "features/flow/language/flow_presets.h"
#include "features/flow/language/flow_value.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Read the name of a part in the table; NULL with e filled. */
static const struct flow_part *
part_read(struct words *r, const struct flow_part *parts, size_t n, struct err *e)
{
	char wrong[64];

	for (size_t i = 0; i < n; i++)
		if (parts[i].needs == NULL)
			words_may(r, parts[i].name, "");
	for (size_t i = 0; i < n && r->n > 0; i++) {
		if (strcmp(parts[i].name, r->word) != 0)
			continue;
		if (parts[i].needs == NULL) {
			words_next(r);
			return &parts[i];
		}
		offers_free(&r->offers);
		snprintf(wrong, sizeof(wrong), "%s needs DPDK %s", parts[i].name, parts[i].needs);
		words_fail(r, ENOTSUP, wrong, e);
		return NULL;
	}
	words_fail(r, EINVAL, NULL, e);
	return NULL;
}

/* Fields that may follow: those of the part, preferably those of the last FLOW_WORD. */
struct walk {
	const struct flow_field *own, *brought;
	size_t n_own, n_brought;
	bool must; /* one of brought must follow */
};

/* Read the name of a field. A field without a name is chosen without reading a word. */
static const struct flow_field *
field_of(struct words *r, const struct flow_field *fields, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (*fields[i].name != '\0')
			words_may(r, fields[i].name, "");
	for (size_t i = 0; i < n; i++)
		if (*fields[i].name == '\0' || words_is(r, fields[i].name, ""))
			return &fields[i];
	return NULL;
}

/* Read the name of the next field; NULL: the word is not a field. */
static const struct flow_field *
walk_next(struct words *r, struct walk *w)
{
	const struct flow_field *f = field_of(r, w->brought, w->n_brought);

	if (f != NULL && *f->name == '\0')
		w->n_brought = 0;
	if (f == NULL && !w->must)
		f = field_of(r, w->own, w->n_own);
	if (f == NULL)
		return NULL;
	w->must = false;
	if (f->n_then > 0) {
		w->brought = f->then;
		w->n_brought = f->n_then;
		w->must = f->bytes == 0;
	}
	return f;
}

/* Read fields and their values into a struct, up to a word that is not a field. */
static int
fields_read(struct words *r, struct walk *w, const struct flow_part *part, void *to, struct err *e)
{
	for (;;) {
		const struct flow_field *f = walk_next(r, w);

		if (f == NULL)
			return w->must ? words_fail(r, EINVAL, NULL, e) : 0;
		if (flow_value_read(r, part, f, to, NULL, e) != 0)
			return -e->code;
		if (f == w->own && *f->name == '\0')
			w->n_own = 0;
	}
}

/* The structs of an item. */
struct item_memory {
	uint8_t *spec, *last, *mask;
};

/* Read "is", "spec", "last", "mask" or "prefix", and the value after it. */
static int
param_read(struct words *r, const struct flow_part *part, const struct flow_field *f,
	struct rte_flow_item *item, const struct item_memory *m, struct err *e)
{
	if (f->kind == FLOW_WORD && f->bytes == 0)
		return 0;
	if (f->kind == FLOW_WORD || words_is(r, "is", "match this value exactly")) {
		item->spec = m->spec;
		item->mask = m->mask;
		return flow_value_read(r, part, f, m->spec, m->mask, e);
	}
	if (words_is(r, "spec", "match this value under the mask")) {
		item->spec = m->spec;
		return flow_value_read(r, part, f, m->spec, NULL, e);
	}
	if (words_is(r, "last", "upper end of a range of values")) {
		item->last = m->last;
		return flow_value_read(r, part, f, m->last, NULL, e);
	}
	if (words_is(r, "mask", "bits to compare")) {
		item->mask = m->mask;
		return flow_value_read(r, part, f, m->mask, NULL, e);
	}
	if (words_is(r, "prefix", "number of leading bits to compare")) {
		item->mask = m->mask;
		return flow_value_prefix(r, f, m->mask, e);
	}
	return words_fail(r, EINVAL, NULL, e);
}

static int
item_read(struct words *r, struct flow_rule *rule, struct err *e)
{
	const struct flow_part *part = part_read(r, flow_items, flow_items_n, e);
	struct rte_flow_item *item = &rule->item[rule->n_items];
	const struct flow_field *f;
	struct item_memory m;
	struct walk w = { 0 };
	int ret = 0;

	if (part == NULL)
		return -e->code;
	w.own = part->fields;
	w.n_own = part->n;
	if (rule->n_items + 1 == FLOW_PARTS)
		return err_set(e, E2BIG, "more than %d items", FLOW_PARTS - 1);
	m.spec = flow_rule_store(rule, part->bytes + part->room);
	m.last = flow_rule_store(rule, part->bytes + part->room);
	m.mask = flow_rule_store(rule, part->bytes + part->room);
	if (m.spec == NULL || m.last == NULL || m.mask == NULL)
		return err_set(e, E2BIG, "the rule is too long");
	item->type = (enum rte_flow_item_type)part->type;
	rule->n_items++;
	while (ret == 0 && (w.must || !words_is(r, "/", "end of the item"))) {
		f = walk_next(r, &w);
		ret = f != NULL ? param_read(r, part, f, item, &m, e)
				: words_fail(r, EINVAL, NULL, e);
	}
	/* For such items rte_flow reads the lengths of last and mask from the spec. */
	if (ret == 0 && part->room > 0 && item->spec == NULL &&
		(item->last != NULL || item->mask != NULL))
		return err_set(e, EINVAL, "%s: last and mask need a spec", part->name);
	return ret;
}

/* The list being read: actions, or the masks of an actions template. */
struct actions {
	struct rte_flow_action *action;
	unsigned int *n;
};

static int
action_words(struct words *r, struct flow_rule *rule, const struct actions *list, struct err *e)
{
	const struct flow_part *part = part_read(r, flow_actions, flow_actions_n, e);
	struct rte_flow_action *action = &list->action[*list->n];
	struct walk w = { 0 };
	uint8_t *conf;

	if (part == NULL)
		return -e->code;
	if (*list->n + 1 == FLOW_PARTS)
		return err_set(e, E2BIG, "more than %d actions", FLOW_PARTS - 1);
	conf = flow_rule_store(rule, part->bytes + part->room);
	if (conf == NULL)
		return err_set(e, E2BIG, "the rule is too long");
	action->type = (enum rte_flow_action_type)part->type;
	action->conf = part->bytes > 0 ? conf : NULL;
	++*list->n;
	if (part->form != NULL)
		return part->form(r, part, rule, conf, e);
	w.own = part->fields;
	w.n_own = part->n;
	if (fields_read(r, &w, part, conf, e) != 0)
		return -e->code;
	if (part->handle)
		memcpy(&action->conf, conf, sizeof(action->conf));
	return 0;
}

static int
actions_read(struct words *r, const char *end, struct flow_rule *rule, const struct actions *list,
	struct err *e)
{
	int ret = 0;

	while (ret == 0 && !words_is(r, end, "end of the actions")) {
		ret = action_words(r, rule, list, e);
		if (ret == 0 && !words_is(r, "/", "end of the action"))
			ret = words_fail(r, EINVAL, NULL, e);
	}
	return ret;
}

/* Read "ACTION / [ACTION /] ... END" and append to rule's actions. Errors: those of flow_read(). */
static int
flow_read_actions(struct words *r, const char *end, struct flow_rule *rule, struct err *e)
{
	const struct actions list = { rule->action, &rule->n_actions };

	return actions_read(r, end, rule, &list, e);
}

static int
list_read(struct words *r, enum flow_list what, const char *end, struct flow_rule *rule,
	struct err *e)
{
	const struct actions masks = { rule->mask, &rule->n_masks };
	int ret = 0;

	if (what == FLOW_MASKS)
		return actions_read(r, end, rule, &masks, e);
	if (what == FLOW_ACTIONS)
		return flow_read_actions(r, end, rule, e);
	while (ret == 0 && !words_is(r, end, "end of the items"))
		ret = item_read(r, rule, e);
	return ret;
}

/* Read the number of a preset, if the phrase has one. */
static int
index_read(struct words *r, const struct flow_phrase *phrase, struct flow_rule *rule, struct err *e)
{
	uint64_t index = 0;
	int ret = 0;

	if (!phrase->index)
		return 0;
	if (phrase->index_first || (r->word[0] >= '0' && r->word[0] <= '9'))
		ret = words_uint(r, FLOW_PRESETS - 1, &index, e);
	else
		words_hint(r, "a number 0..7");
	rule->said.index = (uint32_t)index;
	return ret;
}

int
flow_read(struct words *r, const struct flow_phrase *phrase, struct flow_rule *rule, struct err *e)
{
	const struct flow_part said = { .name = phrase->name };
	struct walk w = { .own = phrase->words, .n_own = phrase->n };
	int ret;

	rule->said.id = FLOW_NO_ID;
	ret = index_read(r, phrase, rule, e);
	if (ret == 0)
		ret = fields_read(r, &w, &said, &rule->said, e);
	for (size_t i = 0; i < ARRAY_SIZE(phrase->list); i++) {
		const enum flow_list what = phrase->list[i].what;

		if (ret != 0 || what == FLOW_NONE)
			break;
		if (phrase->list[i].begin != NULL &&
			!words_is(r, phrase->list[i].begin, phrase->list[i].help))
			ret = words_fail(r, EINVAL, NULL, e);
		if (ret == 0)
			ret = list_read(r, what, phrase->list[i].end, rule, e);
	}
	return ret;
}

/* Show the tables of items and actions as text and JSON. */

static const char *const kinds[] = { [FLOW_UINT] = "number",
	[FLOW_INT] = "signed",
	[FLOW_BOOL] = "boolean",
	[FLOW_MAC] = "MAC",
	[FLOW_IPV4] = "IPv4",
	[FLOW_IPV6] = "IPv6",
	[FLOW_STRING] = "characters",
	[FLOW_HEX] = "hex",
	[FLOW_COLOR] = "color",
	[FLOW_WORD] = "word",
	[FLOW_ONE_OF] = "choice",
	[FLOW_MORE] = "numbers",
	[FLOW_HANDLE] = "handle",
	[FLOW_PRESET] = "preset" };

static void
part_fields_show(struct out *o, const char *key, const struct flow_field *fields, size_t n)
{
	out_nest(o, key, OUT_ARRAY);
	for (size_t i = 0; i < n; i++) {
		const struct flow_field *f = &fields[i];

		out_nest(o, NULL, OUT_OBJECT);
		out_str(o, "name", *f->name != '\0' ? " %s" : "%s", f->name);
		out_str(o, "kind", f->kind != FLOW_WORD ? " <%s>" : "", kinds[f->kind]);
		if (f->words != NULL) {
			out_nest(o, "words", OUT_ARRAY);
			for (size_t k = 0; f->words[k] != NULL; k++)
				out_str(o, "", NULL, f->words[k]);
			out_unnest(o);
		}
		if (f->n_then > 0) {
			out_text(o, " {");
			part_fields_show(o, "then", f->then, f->n_then);
			out_text(o, " }");
		}
		out_unnest(o);
	}
	out_unnest(o);
}

void
flow_show(struct out *o, const char *key, const struct flow_part *parts, size_t n)
{
	out_nest(o, key, OUT_ARRAY);
	for (size_t i = 0; i < n; i++) {
		const struct flow_part *p = &parts[i];

		out_nest(o, NULL, OUT_OBJECT);
		out_str(o, "name", "%s", p->name);
		if (p->needs != NULL)
			out_str(o, "needs", " (needs DPDK %s)", p->needs);
		part_fields_show(o, "fields", p->fields, p->n);
		out_text(o, "\n");
		out_unnest(o);
	}
	out_unnest(o);
}

/* Read the actions of a meter policy. */

int
flow_policy_read(struct words *r, struct flow_policy *policy, struct err *e)
{
	static const char *const words[FLOW_POLICY_COLORS] = { "g_actions", "y_actions",
		"r_actions" };
	static const char *const help[FLOW_POLICY_COLORS] = { "actions for green packets",
		"actions for yellow packets", "actions for red packets" };
	int ret = 0;

	for (unsigned int i = 0; ret == 0 && i < FLOW_POLICY_COLORS; i++)
		ret = words_is(r, words[i], help[i])
			? flow_read_actions(r, "end", &policy->color[i], e)
			: words_fail(r, EINVAL, NULL, e);
	return ret;
}
