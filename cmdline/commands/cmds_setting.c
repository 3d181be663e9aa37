/* Command rows of settings: `set WORDS VALUE` for each, and `show settings`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/commands/cmds_setting.h"

#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "base/text.h"
#include "cmdline/grammar/words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct row_text {
	struct text syntax, help, example;
};

/* The table, and the memory that its rows point to. */
struct made {
	struct cmd_table table;
	struct cmd_row *rows;
	struct row_text *text; /* of each row */
	size_t n;
};

static const char *const whens[] = { [SETTING_NOW] = "now",
	[SETTING_START] = "next start",
	[SETTING_CONFIGURE] = "next port start" };

/* The error points at the bad word of the value, or at the value. */
static int
check_setting(struct app *app, const struct args *a, struct err *e)
{
	const struct setting *row = a->data;
	const struct arg *value = arg_find(a, "value");
	struct words r;
	struct err why;

	err_clear(&why);
	if (row->read == NULL) {
		setting_check(app->settings, row->name, value->text, &why);
	} else {
		words_open(&r, value->text, (size_t)value->column, NULL);
		row->read(&r, &why);
		words_close(&r);
	}
	if (why.column < 0 && why.code != 0)
		return arg_err(a, "value", e, why.code, "%s", why.text);
	if (why.code != 0)
		*e = why;
	return -why.code;
}

static int
set_setting(struct app *app, const struct args *a, struct err *e)
{
	const struct setting *row = a->data;
	struct err why;

	if (row->when == SETTING_CONFIGURE && run_busy(&app->run))
		return err_set(e, EBUSY, "Please stop forwarding first");
	if (check_setting(app, a, e) != 0)
		return -e->code;
	if (setting_parse(app->settings, row->name, arg_str(a, "value", ""), e) != 0)
		return -e->code;
	err_clear(&why);
	if (row->look != NULL && row->look(arg_str(a, "value", ""), &why) != 0)
		out_note(app->out, "%s\n", why.text);
	return 0;
}

/* A line of each setting; on a terminal what follows the value is below it. */
static void
setting_show(struct out *o, const struct settings *settings, const struct setting *row)
{
	struct text line = { 0 }, wrapped = { 0 }, choices = { 0 };
	char buf[32];

	out_nest(o, NULL, OUT_OBJECT);
	out_str(o, "name", "%-32s", row->name);
	if (row->kind == SETTING_UINT) {
		out_u64(o, "value", " %-20" PRIu64, setting_u64(settings, row->name));
		out_u64(o, "min", NULL, row->min);
		out_u64(o, "max", NULL, row->max);
		text_add(&line, "%" PRIu64 "..%" PRIu64 " ", row->min, row->max);
		if (row->unit != NULL) {
			out_str(o, "unit", NULL, row->unit);
			text_add(&line, "%s ", row->unit);
		}
	} else
		out_str(o, "value", " %-20s", setting_word(settings, row->name, buf, sizeof(buf)));
	if (row->kind == SETTING_CHOICE) {
		setting_choices_add(&choices, row);
		out_str(o, "choices", NULL, choices.bytes);
		text_add(&line, "%s ", choices.bytes);
		free(choices.bytes);
	}
	out_str(o, "takes_effect", NULL, whens[row->when]);
	out_str(o, "help", NULL, row->help);
	text_add(&line, "(%s) ", whens[row->when]);
	text_add(&line, "%s", row->help);
	text_wrap(&wrapped, line.bytes != NULL ? line.bytes : "", 4, out_columns(o));
	out_text(o, "%s%s\n", out_on_terminal(o) ? "\n    " : " ",
		wrapped.bytes != NULL ? wrapped.bytes : "");
	free(line.bytes);
	free(wrapped.bytes);
	out_unnest(o);
}

static int
show_settings(struct app *app, const struct args *a, struct err *e)
{
	const struct setting *row;
	size_t i, shown = 0;

	out_nest(app->out, "settings", OUT_ARRAY);
	for (i = 0; (row = setting_at(app->settings, i)) != NULL; i++)
		if (!arg_given(a, "changed") || !setting_is_default(app->settings, row->name)) {
			setting_show(app->out, app->settings, row);
			shown++;
		}
	out_unnest(app->out);
	if (shown == 0)
		out_text(app->out, "every setting has its default\n");
	return 0;
}

/* Add the type of the argument, "uint 1..512". */
static void
type_add(struct text *t, const struct setting *s)
{
	switch (s->kind) {
	case SETTING_UINT:
		text_add(t, "uint %" PRIu64 "..%" PRIu64, s->min, s->max);
		if (s->unit != NULL)
			text_add(t, " %s", s->unit);
		break;
	case SETTING_BOOL: text_add(t, "word on|off"); break;
	case SETTING_CHOICE:
		/* A shortened name could become the full name of another choice in a later release. */
		text_add(t, "choice ");
		setting_choices_add(t, s);
		break;
	case SETTING_TEXT: text_add(t, s->read != NULL ? "setting %s" : "str", s->name); break;
	}
}

/* Write the texts of the row of a setting. False when memory is short. */
static bool
texts_make(const struct settings *settings, const struct setting *s, const char *words,
	struct row_text *to)
{
	char word[32];

	text_add(&to->syntax, "set %s <value:", words);
	type_add(&to->syntax, s);
	text_add(&to->syntax, ">");
	text_add(&to->help, "%s; takes effect %s", s->help, whens[s->when]);
	text_add(&to->example, "set %s %s", words,
		s->example != NULL ? s->example
				   : setting_word(settings, s->name, word, sizeof(word)));
	return !to->syntax.cut && !to->help.cut && !to->example.cut;
}

static bool
rows_make(struct made *m, const struct settings *settings)
{
	const struct setting *s;
	size_t i, n = 0;

	m->rows[n++] = (struct cmd_row){ "show settings [changed]", show_settings,
		"show all settings, or those that differ from their default: value, bounds, when a new value takes effect",
		"show settings changed", .shows = true };
	for (i = 0; (s = setting_at(settings, i)) != NULL; i++) {
		const char *words = setting_words(s);
		struct row_text *text = &m->text[n];

		if (words == NULL)
			continue;
		if (!texts_make(settings, s, words, text))
			return false;
		m->rows[n++] = (struct cmd_row){ text->syntax.bytes, set_setting, text->help.bytes,
			text->example.bytes, s, check_setting,
			/* Some need stopped ports: their place among commands matters. */
			.by_state = s->when != SETTING_CONFIGURE };
	}
	m->table = (struct cmd_table){ "settings", "settings", m->rows, n, CMD_SETTINGS };
	return true;
}

struct cmd_table *
cmds_setting_new(const struct settings *settings)
{
	struct made *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	while (setting_at(settings, m->n) != NULL)
		m->n++;
	m->n++; /* show settings */
	m->rows = calloc(m->n, sizeof(*m->rows));
	m->text = calloc(m->n, sizeof(*m->text));
	if (m->rows != NULL && m->text != NULL && rows_make(m, settings))
		return &m->table;
	cmds_setting_free(&m->table);
	return NULL;
}

void
cmds_setting_free(struct cmd_table *table)
{
	struct made *m = (struct made *)table;
	size_t i;

	if (m == NULL)
		return;
	for (i = 0; m->text != NULL && i < m->n; i++) {
		free(m->text[i].syntax.bytes);
		free(m->text[i].help.bytes);
		free(m->text[i].example.bytes);
	}
	free(m->rows);
	free(m->text);
	free(m);
}
