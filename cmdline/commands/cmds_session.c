/* Commands that start, stop, wait, repeat and quit; history, and files of commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "base/plain_file.h"
#include "base/setting.h"
#include "base/terminal.h"
#include "base/text.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/shell/journal.h"
#include "cmdline/shell/shell.h"
#include "engines/engine.h"
#include "route/routes.h"
#include "run/run_engines.h"
#include "run/run_start.h"
#include "run/timed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

/*
 * Write settings and the engine, if they differ from the options; not what applies when ports are
 * configured, which is among the commands. Returns the number of lines.
 */
static uint64_t
settings_write(const struct app *app, struct out *to)
{
	const struct run *r = &app->run;
	const struct setting *s;
	const char *value;
	char word[32];
	uint64_t n = 0;

	for (size_t i = 0; (s = setting_at(app->settings, i)) != NULL; i++) {
		if (set_words(s) == NULL || s->when == SETTING_CONFIGURE ||
			setting_begun(app->settings, s->name))
			continue;
		value = setting_word(app->settings, s->name, word, sizeof(word));
		out_text(to, "set %s ", set_words(s));
		if (s->read != NULL)
			out_text(to, "%s", value); /* as it was typed, with its quotes */
		else
			word_write(to, value);
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
	n += run_engines_save(&app->run, to);
	for (size_t i = 0; i < j->n; i++)
		out_text(to, "%s\n", j->lines[i]);
	return n + j->n + ports_write(app, to);
}

static int
config_save(struct app *app, const struct args *a, struct err *e)
{
	const struct journal *j = shell_journal(app->shell);
	const char *file = arg_str(a, "file", "");
	char *text = NULL;
	struct out *to;
	uint64_t n;
	size_t bytes = 0;
	FILE *f;
	int ret;

	if (j->cut)
		return err_set(e, E2BIG, "%s: not written: more than %d commands were given", file,
			JOURNAL_LINES);
	f = open_memstream(&text, &bytes);
	to = f != NULL ? out_open(f, f) : NULL;
	if (to == NULL) {
		if (f != NULL)
			fclose(f);
		free(text);
		return err_set(e, ENOMEM, "%s: no memory to write it", file);
	}
	n = config_write(app, to);
	ret = out_close(to);
	if (fclose(f) != 0 || ret != 0)
		ret = err_set(e, ENOMEM, "%s: no memory to write it", file);
	else
		ret = plain_file_whole(file, arg_given(a, "overwrite") ? PLAIN_FILE_OVERWRITE : 0,
			text, bytes, e);
	free(text);
	if (ret != 0)
		return ret;
	out_str(app->out, "file", NULL, file);
	out_u64(app->out, "commands", "%" PRIu64 " commands", n);
	out_text(app->out, " in %s\n", file);
	return 0;
}

static const struct cmd_row rows[] = {
	{ "history [<n:uint 1..1000000>]", history_show,
		"show the commands typed so far, or the last n; only on a terminal", NULL,
		.shows = true },
	{ "save config <file:file> [overwrite]", config_save,
		"write the commands that restore the current configuration to a file, for load",
		"save config /dev/null", NULL, arg_check_folder },
};

const struct cmd_table cmds_session = { "control", "start, stop, scripts, help, quit", rows,
	ARRAY_SIZE(rows), CMD_CONTROL };

/* Commands that start, stop, wait, repeat and quit. */

/* A row with data sends one burst per stream first, unless the line has their number. */
static int
start(struct app *app, const struct args *a, struct err *e)
{
	return run_start(&app->run, (unsigned int)arg_u64(a, "bursts", a->data != NULL), true, e);
}

/* Read the length behind "for". */
static int
for_read(const struct args *a, struct timed_length *length, struct err *e)
{
	const char *unit = arg_str(a, "unit", NULL), *bad;
	struct err why = { 0 };

	if (timed_read(arg_str(a, "amount", "0"), unit, length, &bad, &why) != 0)
		return arg_err(a, bad == unit ? "unit" : "amount", e, why.code, "%s", why.text);
	return 0;
}

static int
for_check(struct app *app, const struct args *a, struct err *e)
{
	struct timed_length length;

	return for_read(a, &length, e);
}

static int
start_for(struct app *app, const struct args *a, struct err *e)
{
	const char *amount = arg_str(a, "amount", "");
	struct timed_length length;

	if (for_read(a, &length, e) != 0)
		return -e->code;
	if (!arg_given(a, "unit") && amount[strspn(amount, "0123456789.")] == '\0')
		out_note(app->out, "start for %s: no unit, taken as seconds\n", amount);
	return timed_run(&app->run, &app->interrupt, &length, e);
}

static int
start_until_done(struct app *app, const struct args *a, struct err *e)
{
	const struct timed_length length = { .done = true };

	return timed_run(&app->run, &app->interrupt, &length, e);
}

static int
quit(struct app *app, const struct args *a, struct err *e)
{
	app->quit = true;
	return 0;
}

static int
load(struct app *app, const struct args *a, struct err *e)
{
	return shell_script(app->shell, arg_str(a, "file", ""), a->data != NULL, e);
}

/* The end of "watch COMMAND [every SECONDS] [count N]". */
struct every {
	double seconds;
	unsigned long count; /* 0: unlimited, until a key or a signal */
	size_t command_bytes;
};

/* The last " word " of text; its end if there is none. */
static const char *
last_word(const char *text, const char *word)
{
	const char *at = text + strlen(text), *p;

	for (p = strstr(text, word); p != NULL; p = strstr(p + 1, word))
		at = p;
	return at;
}

/* Split off the words from "every" or "count" on; -EINVAL: a number is missing, -ERANGE: a bad period. */
static int
every_parse(const char *text, struct every *v, char period[32])
{
	const char *at = last_word(text, " every "), *end = at, *unit;

	*period = '\0';
	*v = (struct every){ .seconds = 1 };
	if (*at == '\0')
		at = end = last_word(text, " count ");
	v->command_bytes = (size_t)(at - text);
	if (strncmp(at, " every ", 7) == 0) {
		end = at + 7 + strcspn(at + 7, " ");
		snprintf(period, 32, "%.*s", (int)(end - at - 7), at + 7);
		if (!text_amount(period, &v->seconds, &unit))
			return *period != '\0' ? -ERANGE : -EINVAL;
		v->seconds = text_seconds(v->seconds, unit);
		if (v->seconds < 0.01 || v->seconds > 86400)
			return -ERANGE;
	}
	if (strncmp(end, " count ", 7) == 0) {
		if (end[7] < '1' || end[7] > '9')
			return -EINVAL;
		v->count = strtoul(end + 7, (char **)(uintptr_t)&end, 10);
	}
	return *end == '\0' ? 0 : -EINVAL;
}

static int watch(struct app *app, const struct args *a, struct err *e);

/*
 * If a command is valid without its last word, and that is a number, suggest "every" before it;
 * otherwise leave e, the error of the command, as it is.
 */
static int
number_missing_every(const struct app *app, char *line, struct err *e)
{
	char *last = strrchr(line, ' ');
	const struct cmd_row *row;
	const char *unit;
	struct args args;
	double number;
	struct err why;

	err_clear(&why);
	if (last == NULL || !text_amount(last + 1, &number, &unit))
		return -e->code;
	*last = '\0';
	if (grammar_parse(app->grammar, line, &row, &args, &why) == 0 && row != NULL)
		err_set(e, EINVAL,
			"column %d: unexpected argument \"%.32s\"; did you mean \"every %.32s\"?",
			e->column + 1, last + 1, last + 1);
	return -e->code;
}

/*
 * Refuse an invalid command before it is repeated, and watch itself (by its row, since the keyword
 * may be shortened or quoted). padded[LINE_BYTES]: the command behind as many blanks as there are
 * bytes before it in the typed line, so that its errors have the columns of that line.
 */
static int
watch_read(const struct app *app, const struct args *a, char *padded, struct every *every,
	struct err *e)
{
	const struct arg *command = arg_find(a, "command");
	const struct cmd_row *row;
	struct args args;
	char period[32];
	int ret;

	ret = every_parse(command->text, every, period);
	if (ret == -ERANGE)
		return arg_err(a, "command", e, ERANGE,
			"every \"%s\": expected 10ms to 24h, such as 2s", period);
	if (ret != 0)
		return arg_err(a, "command", e, EINVAL,
			"expected watch COMMAND [every TIME] [count N], such as every 2s");
	snprintf(padded, LINE_BYTES, "%*s%.*s", command->column, "", (int)every->command_bytes,
		command->text);
	if (grammar_parse(app->grammar, padded, &row, &args, e) < 0)
		return number_missing_every(app, padded, e);
	if (row == NULL || row->run == watch)
		return arg_err(a, "command", e, EINVAL, "watch cannot watch itself");
	return 0;
}

/* A watch whose turns others have between their commands: struct interrupt_task. */
struct watching {
	struct app *app;
	struct every every;
	unsigned long shown; /* answers so far */
	int ret;             /* of the last one */
	char line[LINE_BYTES];
};

static void
watch_head(const struct app *app, const struct every *every, const char *line)
{
	out_prompt(app->out, TERMINAL_CLEAR "every %g s: %s (enter ends it)\n\n", every->seconds,
		line);
}

static int
watching_step(void *ctx)
{
	struct watching *w = ctx;

	watch_head(w->app, &w->every, w->line);
	w->ret = shell_line_aside(w->app->shell, w->line);
	w->shown++;
	return w->ret != 0 || w->shown == w->every.count ? -1 : (int)(w->every.seconds * 1000);
}

static bool
watching_keys(void *ctx)
{
	const struct watching *w = ctx;

	(void)interrupt_discard(&w->app->interrupt);
	return false;
}

static bool
watching_end(void *ctx)
{
	struct watching *w = ctx;
	const bool ok = w->ret == 0;

	free(w);
	return ok;
}

/* Hand over the turns of a command that changes nothing. False: watch has to wait itself. */
static bool
watch_hand_over(struct app *app, const struct every *every, const char *line)
{
	struct interrupt_task task = { watching_step, watching_keys, watching_end, NULL, false };
	const struct cmd_row *row;
	struct watching *w;
	struct args args;
	struct err e;

	err_clear(&e);
	if (!out_clears(app->out) || grammar_parse(app->grammar, line, &row, &args, &e) != 0 ||
		!row->shows)
		return false;
	w = calloc(1, sizeof(*w));
	if (w == NULL)
		return false;
	w->app = app;
	w->every = *every;
	snprintf(w->line, sizeof(w->line), "%s", line);
	task.ctx = w;
	if (interrupt_hand_over(&app->interrupt, &task))
		return true;
	free(w);
	return false;
}

static int
watch_check(struct app *app, const struct args *a, struct err *e)
{
	char padded[LINE_BYTES];
	struct every every;

	return watch_read(app, a, padded, &every, e);
}

static int
watch(struct app *app, const struct args *a, struct err *e)
{
	const bool redraws = out_clears(app->out);
	char padded[LINE_BYTES];
	const char *line;
	struct every every;
	unsigned long i;
	int ret = 0, discarded;

	if (watch_read(app, a, padded, &every, e) != 0)
		return -e->code;
	line = padded + arg_find(a, "command")->column;
	if (watch_hand_over(app, &every, line))
		return 0;
	/* The command may be quit, or a script that quits. */
	for (i = 0; ret == 0 && !app->quit && !out_gone(app->out) &&
		(every.count == 0 || i < every.count);
		i++) {
		if (i > 0 &&
			interrupt_wait(&app->interrupt, app->interrupt.keys,
				(int)(every.seconds * 1000)))
			break;
		if (redraws)
			watch_head(app, &every, line);
		ret = shell_line(app->shell, line, NULL);
	}
	discarded = interrupt_discard(&app->interrupt);
	return discarded != 0 ? err_set(e, -discarded, "stdin: %s", strerror(-discarded)) : ret;
}

static const struct cmd_row cmd_rows[] = {
	{ "start", start, "start forwarding", "start" },
	{ "start tx_first [<bursts:uint 1..4294967295>]", start,
		"send some bursts on each stream (default 1), then start forwarding", NULL,
		"tx_first" },
	{ "start for <amount:amount> [<unit:word s|ms|min|h|packets>]", start_for,
		"forward for a time or a number of packets received (sent, if the engine generates them), then stop",
		"start for 10ms", NULL, for_check },
	{ "start until done", start_until_done,
		"forward until the engine has sent everything (engine replay), then stop", NULL },
	{ "stop", arg_on_run, "stop forwarding and show statistics", NULL,
		ARG_ON_RUN(run_stop_show) },
	{ "load <file:file>", load, "run the commands in a file; stop at the first that fails",
		NULL, NULL, arg_check_readable },
	{ "load_echo <file:file>", load,
		"run the commands in a file and show each line before its answer", NULL, "echo",
		arg_check_readable },
	{ "watch <command:text>", watch,
		"repeat a command: watch COMMAND [every SECONDS] [count N], every second by default; a key or ^C ends it",
		"watch show port stats all every 0.01 count 2", NULL, watch_check, .yields = true },
	{ "quit", quit, "stop forwarding, close the ports and quit", NULL },
};

const struct cmd_table cmds_control = { "control", "start, stop, scripts, help, quit", cmd_rows,
	ARRAY_SIZE(cmd_rows), CMD_CONTROL };
