/* Reference pages from the rows of commands, settings, engines, options and statistics: nothing
 * here is written twice. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "start/manual.h"

#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/out_json.h"
#include "base/setting.h"
#include "base/text.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/grammar/grammar_usage.h"
#include "engines/engine.h"
#include "run/run_schema.h"
#include "start/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct page {
	const struct app *app;
	struct out *out;
	const char *topic; /* section under way */
};

/* Pipes end a cell of a Markdown table. */
static void
cell(struct out *o, const char *text)
{
	const char *p;

	for (p = text; *p != '\0'; p++)
		out_text(o, *p == '|' ? "\\%c" : "%c", *p);
}

/* The syntax as people read it, written by cell() or its like. */
static void
usage_cell(struct out *o, const char *syntax, void (*write)(struct out *o, const char *text))
{
	struct text usage = { 0 };

	grammar_usage(syntax, &usage);
	write(o, usage.bytes != NULL ? usage.bytes : syntax);
	free(usage.bytes);
}

static void
command_row(void *ctx, const struct cmd_table *t, const struct cmd_row *row)
{
	struct page *p = ctx;

	if (p->topic == NULL || strcmp(p->topic, t->topic) != 0) {
		p->topic = t->topic;
		out_text(p->out,
			"\n## %s: %s\n\n| command | what it does | example |\n|---|---|---|\n",
			t->topic, t->title);
	}
	out_text(p->out, "| `");
	usage_cell(p->out, row->syntax, cell);
	out_text(p->out, "` | ");
	cell(p->out, row->help);
	out_text(p->out, " | ");
	if (row->example != NULL) {
		out_text(p->out, "`");
		cell(p->out, row->example);
		out_text(p->out, "`");
	}
	out_text(p->out, " |\n");
}

static void
commands(struct page *p)
{
	out_text(p->out,
		"# Commands\n\nWritten by `zcfwd --generate-docs`; do not edit. Keywords may be shortened while "
		"unambiguous; `(a|b)` is a choice, `[...]` may be left out, `<name>` is an argument, `<name 1..9>` a number.\n");
	grammar_each(p->app->grammar, command_row, p);
}

static void
setting_bounds(struct out *o, const struct setting *s)
{
	size_t i;

	if (s->kind == SETTING_UINT)
		out_text(o, "%" PRIu64 "..%" PRIu64 "%s%s", s->min, s->max,
			s->unit != NULL ? " " : "", s->unit != NULL ? s->unit : "");
	else if (s->kind == SETTING_BOOL)
		out_text(o, "on, off");
	else if (s->kind == SETTING_CHOICE)
		for (i = 0; s->choices[i] != NULL; i++)
			out_text(o, "%s%s", i > 0 ? "\\|" : "", s->choices[i]);
	else
		out_text(o, "text");
}

static void
settings(struct page *p)
{
	static const char *const whens[] = { [SETTING_NOW] = "at once",
		[SETTING_START] = "next start",
		[SETTING_CONFIGURE] = "next port start" };
	const struct setting *s;
	char word[32];
	size_t i;

	out_text(p->out,
		"# Settings\n\nWritten by `zcfwd --generate-docs`; do not edit. A setting with an option is given as "
		"`--option=VALUE`, one that is on or off as `--option`; a command takes the value behind its words.\n\n"
		"| name | option | command | values | default | takes effect | what it is |\n|---|---|---|---|---|---|---|\n");
	for (i = 0; (s = setting_at(p->app->settings, i)) != NULL; i++) {
		const char *option = setting_option(s), *words = setting_words(s);

		out_text(p->out, "| %s | %s%s | %s%s | ", s->name, option != NULL ? "--" : "",
			option != NULL ? option : "", words != NULL ? "set " : "",
			words != NULL ? words : "");
		setting_bounds(p->out, s);
		out_text(p->out, " | %s | %s | ",
			setting_word(p->app->settings, s->name, word, sizeof(word)),
			whens[s->when]);
		cell(p->out, s->help);
		out_text(p->out, " |\n");
	}
}

static void
engines(struct page *p)
{
	const struct engine *const *list = p->app->run.engines;
	unsigned int i;
	size_t k;

	out_text(p->out,
		"# Engines\n\nWritten by `zcfwd --generate-docs`; do not edit. Choose one with `set fwd ENGINE` or "
		"`--forward-mode=ENGINE`.\n");
	for (i = 0; list[i] != NULL; i++) {
		out_text(p->out, "\n## %s\n\n%s.\n", list[i]->name, list[i]->help);
		for (k = 0; k < list[i]->n_settings; k++)
			out_text(p->out, "%s- setting `%s`: %s\n", k == 0 ? "\n" : "",
				list[i]->settings[k].name, list[i]->settings[k].help);
		for (k = 0; k < list[i]->n_counters; k++)
			out_text(p->out, "%s- counter `%s`%s: %s\n", k == 0 ? "\n" : "",
				list[i]->counters[k].name,
				list[i]->counters[k].drop ? " (loss)" : "",
				list[i]->counters[k].help);
	}
}

static void
statistics_row(struct out *o, const struct stat_row *row)
{
	out_text(o, "| `%s` | %s%s | %s | ", row->name, stat_kind_word(row),
		row->drop ? ", loss" : "", stat_unit(row));
	cell(o, row->help);
	out_text(o, " |\n");
}

static void
statistics(struct page *p)
{
	struct run_schema schema;

	out_text(p->out,
		"# Statistics\n\nWritten by `zcfwd --generate-docs`; do not edit. These names are in `show fwd counters`, in all JSON, in "
		"recordings ([recording.md](recording.md)), in telemetry and in metrics ([live.md](live.md)). Counters only grow, a gauge is "
		"a level, a histogram has a counter for each value. \"loss\" marks counters of lost packets: a run's loss is their sum.\n");
	for (unsigned int i = 0; run_schema_at(&p->app->run, i, &schema); i++) {
		/* Two tables may be of one name: what a stream counts, and its histograms. */
		if (p->topic == NULL || strcmp(p->topic, schema.stats.name) != 0 ||
			schema.engine != NULL) {
			out_text(p->out, "\n## %s%s%s\n\nOf %s %s.\n\n", schema.stats.name,
				schema.engine != NULL ? " of " : "",
				schema.engine != NULL ? schema.engine : "",
				strcmp(schema.of, "run") == 0 ? "the" : "each", schema.of);
			out_text(p->out,
				"| name | kind | unit | what it is |\n|---|---|---|---|\n");
		}
		p->topic = schema.stats.name;
		for (size_t k = 0; k < schema.stats.n; k++)
			statistics_row(p->out, &schema.stats.row[k]);
	}
}

static void
options(struct page *p)
{
	out_text(p->out, "# Options\n\nWritten by `zcfwd --generate-docs`; do not edit.\n\n```\n");
	options_usage(p->app, p->out);
	out_text(p->out, "```\n");
}

/* A leading dot or quote would be a troff request; a backslash an escape. */
static void
troff(struct out *o, const char *text)
{
	const char *p;

	for (p = text; *p != '\0'; p++)
		out_text(o, *p == '\\' || *p == '-' ? "\\%c" : "%c", *p);
}

static void
man_row(void *ctx, const struct cmd_table *t, const struct cmd_row *row)
{
	struct page *p = ctx;

	if (p->topic == NULL || strcmp(p->topic, t->topic) != 0) {
		p->topic = t->topic;
		out_text(p->out, ".SS ");
		troff(p->out, t->title);
		out_text(p->out, "\n");
	}
	out_text(p->out, ".TP\n.B ");
	usage_cell(p->out, row->syntax, troff);
	out_text(p->out, "\n");
	troff(p->out, row->help);
	out_text(p->out, "\n");
}

static void
man(struct page *p)
{
	out_text(p->out,
		".TH ZCFWD 1\n.SH NAME\nzcfwd \\- interactive packet forwarding on DPDK\n.SH SYNOPSIS\n.B zcfwd\n"
		"[EAL options] \\-\\- [options]\n.SH DESCRIPTION\nForwards packets between DPDK ports with a chosen "
		"engine, from a shell or a\ncommand file, in the words of dpdk\\-testpmd.\n.SH OPTIONS\n.nf\n");
	options_usage(p->app, p->out);
	out_text(p->out, ".fi\n.SH COMMANDS\n");
	grammar_each(p->app->grammar, man_row, p);
	out_text(p->out,
		".SH ENVIRONMENT\n.TP\n.B ZCFWD_CHECK\nIf it is 1, the program checks its own accounts: at each stop "
		"the packets of every stream (rx + made = tx + dropped + absorbed), at the end\nevery buffer of "
		"every pool, after ports are closed and unless a secondary process lives. A line on stderr names "
		"each stream and pool\nthat lost or invented something, and the exit status is 3. Forwarding "
		"costs nothing more.\n"
		".SH EXIT STATUS\n0 when all went well, 1 when an option or a command of a file failed, a signal ended a file of "
		"commands, or results could not be\nwritten, 3 when ZCFWD_CHECK=1 found something. Commands from a pipe count with \\-\\-strict.\n");
}

static void
schema(struct page *p)
{
	struct json j;

	out_text(p->out, "{");
	out_json_init(&j, out_file(p->out), false);
	run_schema_json(&p->app->run, &j);
	out_json_finish(&j);
	out_text(p->out, "}\n");
}

static int
write_page(const struct app *app, const char *folder, const char *name, void (*body)(struct page *),
	struct err *e)
{
	struct page p = { .app = app };
	char path[4096];
	int error;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "we");
	if (f == NULL)
		return err_set(e, errno, "%s: %s", path, strerror(errno));
	p.out = out_open(f, f);
	if (p.out != NULL)
		body(&p);
	error = out_close(p.out);
	if (fclose(f) != 0 && error == 0)
		error = errno;
	return error != 0 ? err_set(e, error, "%s: %s", path, strerror(error)) : 0;
}

int
manual_write(const struct app *app, const char *folder, struct err *e)
{
	static const struct {
		const char *name;
		void (*body)(struct page *);
	} pages[] = {
		{ "commands.md", commands },
		{ "settings.md", settings },
		{ "engines.md", engines },
		{ "options.md", options },
		{ "statistics.md", statistics },
		{ "zcfwd.1", man },
		{ "answer.schema.json", schema },
	};
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < ARRAY_SIZE(pages); i++)
		ret = write_page(app, folder, pages[i].name, pages[i].body, e);
	return ret;
}
