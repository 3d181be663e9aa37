/* Read the rest of a line in the language of flow rules. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/cmd_flow.h"

#include "app.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "features/flow/language/flow_read.h"
#include "features/flow/port_flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct flow_rule *
cmd_flow_read(const struct app *app, const struct args *a, uint16_t port,
	const struct flow_phrase *phrase, struct err *e)
{
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
	if (flow_read(&r, phrase, rule, e) == 0 && r.n > 0)
		words_fail(&r, EINVAL,
			phrase->list[0].what != FLOW_NONE ? "unexpected text after the rule" : NULL,
			e);
	words_close(&r);
	if (e->code == 0)
		return rule;
	free(rule);
	return NULL;
}

int
cmd_flow_check(const struct app *app, const struct args *a, const struct flow_phrase *phrase,
	struct err *e)
{
	free(cmd_flow_read(app, a, FLOW_NO_PORT, phrase, e));
	return -e->code;
}

/* Order larger numbers first. */
static int
compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x < y) - (x > y);
}

struct flow_rule *
cmd_flow_read_numbers(const struct app *app, const struct args *a, uint16_t port,
	const struct flow_phrase *phrase, struct err *e)
{
	struct flow_rule *rule = cmd_flow_read(app, a, port, phrase, e);

	if (rule == NULL)
		return NULL;
	if (rule->said.n_numbers > 0) {
		qsort(rule->said.number, rule->said.n_numbers, sizeof(*rule->said.number), compare);
		return rule;
	}
	err_set(e, EINVAL, "expected at least one \"%s N\"", phrase->words[phrase->n - 1].name);
	free(rule);
	return NULL;
}
