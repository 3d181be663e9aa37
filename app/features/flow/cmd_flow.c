/* The rest of a line in the language of flow rules: read it, and offer its words at TAB. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/grammar/offers.h"
#include "features/flow/flow_priv.h"
#include "features/flow/language/flow_read.h"
#include "features/flow/port_flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct flow_rule *
cmd_flow_read(const struct app *app, const struct args *a, uint16_t port, struct err *e)
{
	const struct cmd_flow *row = a->data;
	const struct arg *text = arg_find(a, "words");
	const struct flow_defaults defaults = port_flow_defaults(&app->ports, port);
	struct flow_rule *rule = calloc(1, sizeof(*rule));
	struct words r;

	if (rule == NULL) {
		err_set(e, ENOMEM, "no memory for a flow rule");
		return NULL;
	}
	words_open(&r, text != NULL ? text->text : "",
		text != NULL ? (size_t)text->column : strlen(a->line), &defaults);
	if (flow_read(&r, row->phrase, rule, e) == 0 && r.n > 0)
		words_fail(&r, EINVAL,
			row->phrase->list[0].what != FLOW_NONE ? "unexpected text after the rule"
							       : NULL,
			e);
	words_close(&r);
	if (e->code == 0)
		return rule;
	free(rule);
	return NULL;
}

int
cmd_flow_check(struct app *app, const struct args *a, struct err *e)
{
	struct flow_rule *rule = cmd_flow_read(app, a, FLOW_NO_PORT, e);

	if (rule == NULL)
		return -e->code;
	free(rule);
	return 0;
}

/* Order larger numbers first. */
static int
compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x < y) - (x > y);
}

int
cmd_flow_run(struct app *app, const struct args *a, struct err *e)
{
	const struct cmd_flow *row = a->data;
	struct flow_rule *rule = cmd_flow_read(app, a, arg_port(a), e);
	int ret;

	if (rule == NULL)
		return -e->code;
	if (row->numbers && rule->said.n_numbers == 0) {
		ret = err_set(e, EINVAL, "expected at least one \"%s N\"",
			row->phrase->words[row->phrase->n - 1].name);
	} else {
		if (row->numbers)
			qsort(rule->said.number, rule->said.n_numbers, sizeof(*rule->said.number),
				compare);
		ret = row->run(app, a, rule, e);
	}
	free(rule);
	return ret;
}

int
cmd_flow_destroy(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	const struct cmd_flow *row = a->data;

	return port_flow_object_destroy(&app->ports, arg_port(a), row->kind, rule->said.number,
		rule->said.n_numbers, e);
}

/* Offer the words that may follow in a phrase of flow rules; params names the phrase. */
static void
flow_offer(const struct app *app, const char *params, const char *before, struct offers *o)
{
	const struct flow_defaults defaults = port_flow_defaults(&app->ports, FLOW_NO_PORT);
	struct flow_rule *rule = calloc(1, sizeof(*rule));
	struct words r;
	struct err e;

	if (rule == NULL)
		return;
	err_clear(&e);
	words_open(&r, before, 0, &defaults);
	o->complete = flow_read(&r, flow_phrase_find(params), rule, &e) == 0;
	arg_rest_offer(&r, o);
	words_close(&r);
	free(rule);
}

/* Offer the words that may follow in a meter policy. */
static void
policy_offer(const struct app *app, const char *params, const char *before, struct offers *o)
{
	const struct flow_defaults defaults = port_flow_defaults(&app->ports, FLOW_NO_PORT);
	struct flow_policy *policy = calloc(1, sizeof(*policy));
	struct words r;
	struct err e;

	if (policy == NULL)
		return;
	err_clear(&e);
	words_open(&r, before, 0, &defaults);
	o->complete = flow_policy_read(&r, policy, &e) == 0;
	if (!o->complete)
		arg_rest_offer(&r, o);
	words_close(&r);
	free(policy);
}

static const struct arg_type types[] = {
	{ "flow", "flow rule words", arg_rest_parse, NULL, flow_offer },
	{ "policy",
		"actions per color: g_actions ACTION / end y_actions ACTION / end r_actions ACTION / end",
		arg_rest_parse, NULL, policy_offer },
};
const struct arg_table types_flow = { types, ARRAY_SIZE(types) };
