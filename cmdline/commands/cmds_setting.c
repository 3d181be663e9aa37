/* Rows made from settings: one `set NAME VALUE` each, and `show settings`. */
#include "cmdline/commands/cmds_setting.h"

#include "app.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "run/run_start.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYNTAX_BYTES 160

/* The table and the text of its rows in one piece. */
struct made {
	struct cmd_table table;
	struct cmd_row *rows;
	char (*text)[2][SYNTAX_BYTES]; /* per row: syntax, example */
};

static int
set_setting(struct app *app, const struct args *a, struct err *e)
{
	const struct setting *row = a->data;

	if (row->when == SETTING_CONFIGURE && run_busy(&app->run))
		return err_set(e, EBUSY, "Please stop forwarding first");
	return setting_parse(app->settings, row->name, arg_str(a, "value", ""), e);
}

static void
setting_show(struct out *o, const struct settings *settings, const struct setting *row)
{
	static const char *const whens[] = { [SETTING_NOW] = "now",
		[SETTING_START] = "next start",
		[SETTING_CONFIGURE] = "next port start" };
	char buf[64];

	out_nest(o, NULL, OUT_OBJECT);
	out_str(o, "name", "%-32s", row->name);
	out_str(o, "value", " %-20s", setting_word(settings, row->name, buf, sizeof(buf)));
	if (row->kind == SETTING_UINT) {
		out_u64(o, "min", " %" PRIu64, row->min);
		out_u64(o, "max", "..%" PRIu64, row->max);
		if (row->unit != NULL)
			out_str(o, "unit", " %s", row->unit);
	} else if (row->kind == SETTING_CHOICE) {
		out_str(o, "choices", " %s", row->choices);
	}
	out_str(o, "takes_effect", " (%s)", whens[row->when]);
	out_str(o, "help", " %s\n", row->help);
	out_unnest(o);
}

static int
show_settings(struct app *app, const struct args *a, struct err *e)
{
	const struct setting *row;
	size_t i;

	out_nest(app->out, "settings", OUT_ARRAY);
	for (i = 0; (row = setting_at(app->settings, i)) != NULL; i++)
		setting_show(app->out, app->settings, row);
	out_unnest(app->out);
	return 0;
}

static void
value_syntax(const struct setting *s, char *buf, size_t bytes)
{
	switch (s->kind) {
	case SETTING_UINT:
		snprintf(buf, bytes, "set %s <value:uint %" PRIu64 "..%" PRIu64 ">", s->name,
			s->min, s->max);
		break;
	case SETTING_BOOL: snprintf(buf, bytes, "set %s <value:word on|off>", s->name); break;
	case SETTING_CHOICE:
		snprintf(buf, bytes, "set %s <value:word %s>", s->name, s->choices);
		break;
	case SETTING_TEXT: snprintf(buf, bytes, "set %s <value:str>", s->name); break;
	}
}

struct cmd_table *
cmds_setting_new(const struct settings *settings)
{
	struct made *m = calloc(1, sizeof(*m));
	const struct setting *s;
	char word[64];
	size_t i, n = 0;

	for (i = 0; setting_at(settings, i) != NULL; i++)
		;
	if (m == NULL)
		return NULL;
	m->rows = calloc(i + 1, sizeof(*m->rows));
	m->text = calloc(i + 1, sizeof(*m->text));
	if (m->rows == NULL || m->text == NULL) {
		cmds_setting_free(&m->table);
		return NULL;
	}
	m->rows[n++] = (struct cmd_row){ "show settings", show_settings,
		"every setting: value, bounds, when it acts", "show settings", NULL };
	for (i = 0; (s = setting_at(settings, i)) != NULL; i++) {
		if (s->hidden)
			continue;
		value_syntax(s, m->text[n][0], SYNTAX_BYTES);
		snprintf(m->text[n][1], SYNTAX_BYTES, "set %s %s", s->name,
			s->example != NULL ? s->example
					   : setting_word(settings, s->name, word, sizeof(word)));
		m->rows[n] =
			(struct cmd_row){ m->text[n][0], set_setting, s->help, m->text[n][1], s };
		n++;
	}
	m->table = (struct cmd_table){ "settings", "every knob by its name", m->rows, n };
	return &m->table;
}

void
cmds_setting_free(struct cmd_table *table)
{
	struct made *m = (struct made *)table;

	if (m == NULL)
		return;
	free(m->rows);
	free(m->text);
	free(m);
}
