/* help NAME: what an engine or a setting is, has and takes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/commands/help_names.h"

#include "app.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "base/text.h"
#include "cmdline/grammar/expect.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/grammar/offers.h"
#include "engines/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const whens[] = { [SETTING_NOW] = "at once",
	[SETTING_START] = "at the next start",
	[SETTING_CONFIGURE] = "when ports are started next" };

static void
engine_show(struct out *o, const struct engine *engine)
{
	out_nest(o, "engine", OUT_OBJECT);
	out_str(o, "name", "\n%s, a forwarding engine: ", engine->name);
	out_str(o, "help", "%s\n\n", engine->help);
	out_str(o, NULL, "    set fwd %s\n", engine->name);
	out_nest(o, "settings", OUT_ARRAY);
	for (size_t i = 0; i < engine->n_settings; i++) {
		out_nest(o, NULL, OUT_OBJECT);
		out_str(o, "name", "    setting %s: ", engine->settings[i].name);
		out_str(o, "help", "%s\n", engine->settings[i].help);
		out_unnest(o);
	}
	out_unnest(o);
	out_nest(o, "counters", OUT_ARRAY);
	for (size_t i = 0; i < engine->n_counters; i++) {
		out_nest(o, NULL, OUT_OBJECT);
		out_str(o, "name", "    counter %s: ", engine->counters[i].name);
		out_str(o, "help", "%s\n", engine->counters[i].help);
		out_unnest(o);
	}
	out_unnest(o);
	out_unnest(o);
}

/* What it may be, and what it is: "1..512 packets, now 32". */
static void
values_show(struct out *o, const struct settings *settings, const struct setting *row)
{
	struct text choices = { 0 };
	char buf[32];

	if (row->kind == SETTING_UINT) {
		out_u64(o, "min", "    %" PRIu64, row->min);
		out_u64(o, "max", "..%" PRIu64, row->max);
		if (row->unit != NULL)
			out_str(o, "unit", " %s", row->unit);
	} else if (row->kind == SETTING_CHOICE) {
		setting_choices_add(&choices, row);
		out_str(o, "choices", "    %s", choices.bytes);
		free(choices.bytes);
	} else {
		out_text(o, row->kind == SETTING_BOOL ? "    on or off" : "    a text");
	}
	if (row->kind == SETTING_UINT)
		out_u64(o, "value", ", now \"%" PRIu64 "\"", setting_u64(settings, row->name));
	else
		out_str(o, "value", ", now \"%s\"",
			setting_word(settings, row->name, buf, sizeof(buf)));
	out_bool(o, "is_default", "%s", setting_is_default(settings, row->name),
		", which is the default", "");
	out_str(o, "takes_effect", "; a new value acts %s\n", whens[row->when]);
}

static void
setting_show(struct out *o, const struct settings *settings, const struct setting *row)
{
	out_nest(o, "setting", OUT_OBJECT);
	out_str(o, "name", "\n%s, a setting: ", row->name);
	out_str(o, "help", "%s\n\n", row->help);
	values_show(o, settings, row);
	if (setting_words(row) != NULL)
		out_str(o, "command", "    set %s VALUE\n", setting_words(row));
	if (setting_option(row) != NULL)
		out_str(o, "option", row->kind == SETTING_BOOL ? "    --%s\n" : "    --%s=VALUE\n",
			setting_option(row));
	out_unnest(o);
}

static bool
is_called(const struct setting *row, const char *name)
{
	const char *words = setting_words(row), *option = setting_option(row);

	return strcmp(row->name, name) == 0 || (words != NULL && strcmp(words, name) == 0) ||
		(option != NULL && strcmp(option, name) == 0);
}

bool
help_names_show(const struct app *app, const char *name)
{
	const struct setting *row;
	bool found = false;

	for (size_t i = 0; app->run.engines[i] != NULL; i++) {
		if (strcmp(app->run.engines[i]->name, name) != 0)
			continue;
		engine_show(app->out, app->run.engines[i]);
		found = true;
	}
	for (size_t i = 0; (row = setting_at(app->settings, i)) != NULL; i++) {
		if (!is_called(row, name))
			continue;
		setting_show(app->out, app->settings, row);
		return true;
	}
	return found;
}

static void
topic_offer(void *ctx, const struct cmd_table *table, const struct cmd_row *row)
{
	offer(ctx, table->topic, "", true);
}

int
help_names_err(const struct app *app, const struct args *a, const char *name, struct err *e)
{
	struct offers names = { .n = 0 };
	const struct setting *row;
	const char *near;

	for (size_t i = 0; app->run.engines[i] != NULL; i++)
		offer(&names, app->run.engines[i]->name, "", true);
	for (size_t i = 0; (row = setting_at(app->settings, i)) != NULL; i++)
		offer(&names, row->name, "", true);
	grammar_each(app->grammar, topic_offer, &names);
	near = expect_near(&names, name);
	arg_err(a, "what", e, ENOENT,
		"no topic, command, engine or setting is called \"%s\"%s%s%s; help lists the topics",
		name, near != NULL ? " (did you mean " : "", near != NULL ? near : "",
		near != NULL ? "?)" : "");
	offers_free(&names);
	return -e->code;
}
