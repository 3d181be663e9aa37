/* Commands about this session: its history, and a file of commands that restore its
 * configuration. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/plain_file.h"
#include "base/setting.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/shell/journal.h"
#include "cmdline/shell/shell.h"
#include "engines/engine.h"
#include "route/routes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct lines {
	struct out *out;
	uint64_t n, skip; /* lines so far; lines to skip */
};

static void
line_count(void *ctx, const char *line)
{
	uint64_t *n = ctx;

	(*n)++;
}

static void
line_show(void *ctx, const char *line)
{
	struct lines *l = ctx;
	const int bytes = (int)strcspn(line, "\r\n");
	char command[LINE_BYTES];

	if (l->n++ < l->skip)
		return;
	snprintf(command, sizeof(command), "%.*s", bytes, line);
	out_nest(l->out, NULL, OUT_OBJECT);
	out_u64(l->out, "number", "%5" PRIu64, l->n);
	out_str(l->out, "command", "  %s\n", command);
	out_unnest(l->out);
}

static int
history_show(struct app *app, const struct args *a, struct err *e)
{
	struct lines l = { .out = app->out };
	uint64_t all = 0, n;

	if (shell_history(app->shell, line_count, &all, e) != 0)
		return -e->code;
	n = arg_u64(a, "n", all);
	l.skip = n < all ? all - n : 0;
	out_nest(app->out, "lines", OUT_ARRAY);
	shell_history(app->shell, line_show, &l, e);
	out_unnest(app->out);
	return 0;
}

/* Write the command line of this process, if the kernel reports it. */
static void
command_line_write(struct out *to)
{
	FILE *f = fopen("/proc/self/cmdline", "re");
	int c;

	out_text(to, "# started as: ");
	while (f != NULL && (c = fgetc(f)) != EOF)
		out_text(to, "%c", c == '\0' || c == '\n' ? ' ' : c);
	out_text(to, "\n");
	if (f != NULL)
		fclose(f);
}

/* Write a word of a command, in quotes if it needs them. */
static void
word_write(struct out *to, const char *word)
{
	const bool quotes = *word == '\0' || strpbrk(word, " \t\"\\#") != NULL;

	out_text(to, quotes ? "\"" : "");
	for (; *word != '\0'; word++)
		out_text(to, quotes && (*word == '"' || *word == '\\') ? "\\%c" : "%c", *word);
	out_text(to, quotes ? "\"" : "");
}

/* The words of the `set` command of a setting; NULL: it has none. */
static const char *
set_words(const struct setting *s)
{
	static const char *const own[] = { "burst", "verbose" };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (strcmp(s->name, own[i]) == 0)
			return own[i];
	return setting_words(s);
}

/* Write settings and the engine, if they differ from the options. Returns the number of lines. */
static uint64_t
settings_write(const struct app *app, struct out *to)
{
	const struct run *r = &app->run;
	const struct setting *s;
	char word[32];
	uint64_t n = 0;

	for (size_t i = 0; (s = setting_at(app->settings, i)) != NULL; i++) {
		if (set_words(s) == NULL || setting_begun(app->settings, s->name))
			continue;
		out_text(to, "set %s ", set_words(s));
		word_write(to, setting_word(app->settings, s->name, word, sizeof(word)));
		out_text(to, "\n");
		n++;
	}
	if (r->engine == app->begun.engine && r->retry == app->begun.retry)
		return n;
	out_text(to, "set fwd %s%s\n", r->engine->name, r->retry ? " retry" : "");
	return n + 1;
}

/* Write mirrors and routes, last since they need their ports. Returns the number of lines. */
static uint64_t
ports_write(const struct app *app, struct out *to)
{
	const struct run_mirror *m = &app->run.mirror;
	uint64_t n = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(m->target); i++) {
		if (!m->target[i].on)
			continue;
		out_text(to, "port mirror %u %u\n", i, m->target[i].to);
		n++;
	}
	for (unsigned int i = 0; i < app->routes.n; i++) {
		out_text(to, "route add ");
		routes_show_one(&app->routes.route[i], NULL, to);
	}
	return n + app->routes.n;
}

/*
 * Settings come first, as options do, so that they apply to the ports that later commands configure;
 * then the commands whose effect cannot be read from the state, as they were typed.
 */
static uint64_t
config_write(const struct app *app, struct out *to)
{
	const struct journal *j = shell_journal(app->shell);
	uint64_t n;

	out_text(to,
		"# configuration changed since the start; load this file, or start with --cmdline-file\n");
	command_line_write(to);
	n = settings_write(app, to);
	for (size_t i = 0; i < j->n; i++)
		out_text(to, "%s\n", j->lines[i]);
	return n + j->n + ports_write(app, to);
}

static int
config_save(struct app *app, const struct args *a, struct err *e)
{
	const struct journal *j = shell_journal(app->shell);
	const char *file = arg_str(a, "file", "");
	struct out *to;
	uint64_t n;
	int error, fd;
	mode_t type;
	FILE *f;

	if (j->cut)
		return err_set(e, E2BIG, "%s: not written: more than %d commands were given", file,
			JOURNAL_LINES);
	fd = plain_file_write(file, arg_given(a, "overwrite"), &type, e);
	if (fd < 0)
		return fd;
	f = fdopen(fd, "w");
	if (f == NULL) {
		close(fd);
		return err_set(e, errno, "%s: %s", file, strerror(errno));
	}
	to = out_open(f, f);
	if (to == NULL) {
		fclose(f);
		return err_set(e, ENOMEM, "%s: no memory to write it", file);
	}
	n = config_write(app, to);
	error = out_close(to);
	if (fclose(f) != 0 && error == 0)
		error = errno;
	if (error != 0)
		return err_set(e, error, "%s: %s", file, strerror(error));
	out_str(app->out, "file", NULL, file);
	out_u64(app->out, "commands", "%" PRIu64 " commands", n);
	out_text(app->out, " in %s\n", file);
	return 0;
}

static const struct cmd_row rows[] = {
	{ "history [<n:uint 1..1000000>]", history_show,
		"show the commands typed so far, or the last n; only on a terminal", NULL },
	{ "save config <file:file> [overwrite]", config_save,
		"write the commands that restore the current configuration to a file, for load",
		"save config /dev/null", NULL, arg_check_folder },
};

const struct cmd_table cmds_session = { "control", "start, stop, scripts, help, quit", rows,
	ARRAY_SIZE(rows) };
