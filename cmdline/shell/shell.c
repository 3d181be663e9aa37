/* The shell: lines from a terminal, a pipe or a file, through the grammar, to a handler, to the
 * output layer. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/shell/shell.h"

#include "base/base.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "base/setting.h"
#include "base/terminal.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/grammar/grammar_offer.h"
#include "cmdline/shell/editor.h"
#include "cmdline/shell/filter.h"
#include "cmdline/shell/journal.h"
#include "cmdline/shell/reader.h"
#include "cmdline/shell/screen.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define SCRIPTS_MAX 8 /* nested */

static const struct setting setting_rows[] = {
	{ .name = "pager",
		.kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES("off", "on"),
		.when = SETTING_NOW,
		.value = 1,
		.help = "show long answers to typed commands one screen at a time" },
};
const struct setting_table shell_settings = SETTING_TABLE("Shell", setting_rows);

struct shell {
	struct app *app;
	struct grammar *grammar;
	struct grammar *filters; /* what may stand behind a command */
	struct out *out;
	const struct shell_config *config;
	unsigned int scripts;  /* running, nested */
	struct filters *held;  /* of the commands that run, the inner first; NULL: none */
	const char *running;   /* the outermost of them */
	unsigned int depth;    /* of those that run, without the ones beside which they do */
	unsigned long failed;  /* lines so far */
	const char *busy;      /* that of the command beside which others run; NULL: none */
	bool typed;            /* the line that is run was typed by hand: its answer may be paged */
	struct editor *editor; /* while shell_run() reads from a terminal, else NULL */
	struct interrupt_task task; /* what the last line goes on with; has_task: there is one */
	bool has_task;
	struct journal journal;
};

struct shell *
shell_open(struct app *app, struct grammar *g, struct out *out, const struct shell_config *config,
	struct err *e)
{
	struct shell *s = calloc(1, sizeof(*s));
	struct grammar *filters = filter_grammar(e);

	if (s == NULL || filters == NULL) {
		err_set(e, ENOMEM, "no memory for the shell");
		grammar_free(filters);
		free(s);
		return NULL;
	}
	*s = (struct shell){ .app = app,
		.grammar = g,
		.filters = filters,
		.out = out,
		.config = config };
	return s;
}

void
shell_close(struct shell *s)
{
	if (s == NULL)
		return;
	journal_close(&s->journal);
	grammar_free(s->filters);
	free(s);
}

/* The line without white space around it, in to[LINE_BYTES]. */
static const char *
trimmed(const char *line, char *to)
{
	size_t n;

	while (isspace((unsigned char)*line))
		line++;
	n = strnlen(line, LINE_BYTES - 1);
	while (n > 0 && isspace((unsigned char)line[n - 1]))
		n--;
	memcpy(to, line, n);
	to[n] = '\0';
	return to;
}

bool
shell_pages(const struct shell *s)
{
	return s->config->pages != NULL && s->config->pages(s->app);
}

const char *
shell_prompt(const struct shell *s)
{
	return s->config->prompt;
}

static bool
paged(const struct shell *s, const struct cmd_row *row)
{
	return s->typed && s->scripts == 0 && row->shows && shell_pages(s);
}

/* In JSON each command has an object on stdout, also one whose answer is in a file or is lost. */
static void
file_say(struct shell *s, const struct filters *f, const char *line, const struct err *e,
	const char *where)
{
	out_begin(s->out, line);
	if (f->to_file)
		out_str(s->out, "file", NULL, f->path);
	out_end(s->out, e->code != 0 ? e : NULL, where);
}

/* The answer is complete, or the command has failed: ret. Returns ret, or why the answer is lost. */
static int
answer_end(struct shell *s, struct filters *f, int ret, struct err *e)
{
	struct err late;

	if (f->out == NULL)
		return ret;
	s->held = f->outer;
	f->failed = ret < 0;
	err_clear(&late);
	if (filters_end(f, &late) == 0)
		return ret;
	*e = late;
	return -late.code;
}

/* True for a command that may run while another one waits. */
static bool
runs_beside(const struct shell *s, const struct cmd_row *row)
{
	return row->shows || row->beside || (row->yields && out_clears(s->out));
}

/* Run a command and answer it through the filters behind it. Returns as shell_line(). */
static int
run_row(struct shell *s, const struct cmd_row *row, const struct args *args, struct filters *f,
	const char *typed, const char *where)
{
	const bool json = out_format(s->out) == OUT_JSON;
	const unsigned long failed = s->failed;
	struct err e;
	int ret;

	err_clear(&e);
	if (s->busy != NULL && !runs_beside(s, row))
		ret = err_set(&e, EBUSY, "busy: \"%.200s\" runs; wait until it ends, or cancel it",
			s->busy);
	else
		ret = filters_begin(f, s->out, paged(s, row), &e);
	if (f->out != NULL) {
		f->outer = s->held;
		s->held = f;
	}
	if (ret == 0)
		ret = row->run(s->app, args, &e);
	if (ret < 0 && e.code == 0) {
		/* In text the line has said why. */
		if (json && s->failed != failed)
			err_set(&e, -ret, "a line of it failed: the answer to that line says why");
		e.code = -ret;
	}
	/* In JSON the answer is complete behind out_end(). A failure is no part of it. */
	if (!json || ret < 0)
		ret = answer_end(s, f, ret, &e);
	out_end(s->out, ret < 0 ? &e : NULL, where);
	if (f->out != NULL) {
		ret = answer_end(s, f, ret, &e);
		if (f->to_file || ret < 0)
			file_say(s, f, typed, &e, where);
	}
	return ret < 0 ? ret : 0;
}

/* What a command has printed goes through the filters of those that run it. Returns as shell_line(). */
static int
settle(struct shell *s, int ret)
{
	const int error = filters_settle(s->held, ret < 0);

	s->failed += ret < 0;
	return ret < 0 ? ret : -error;
}

/* run_row(), and know which command runs. Whoever cancelled it meant this one alone. */
static int
run_outermost(struct shell *s, const struct cmd_row *row, const struct args *args,
	struct filters *f, const char *typed, const char *where)
{
	const char *const outer = s->running;
	int ret;

	if (outer == NULL)
		s->running = typed;
	s->depth++;
	ret = run_row(s, row, args, f, typed, where);
	s->depth--;
	s->running = outer;
	if (outer == NULL && s->config->interrupt != NULL)
		s->config->interrupt->cancelled = false;
	return ret;
}

int
shell_line(struct shell *s, const char *line, const char *where)
{
	char typed[LINE_BYTES], command[LINE_BYTES];
	struct filters filters;
	const struct cmd_row *row = NULL;
	struct args args;
	struct err e;
	int ret;

	err_clear(&e);
	trimmed(line, typed);
	ret = filters_read(&filters, s->filters, line, &e);
	/* What is wrong with the command comes first. */
	if (filters.command_bytes > 0 && line[filters.command_bytes] != '\0') {
		struct err first;
		int code;

		err_clear(&first);
		snprintf(command, sizeof(command), "%.*s", (int)filters.command_bytes, line);
		code = grammar_parse(s->grammar, command, &row, &args, &first);
		if (code < 0) {
			ret = code;
			e = first;
		}
	} else if (ret == 0) {
		trimmed(line, command);
		ret = grammar_parse(s->grammar, line, &row, &args, &e);
	}
	if (ret == 0 && row == NULL)
		return 0;
	out_begin(s->out, typed);
	if (ret < 0)
		out_end(s->out, &e, where);
	else
		ret = run_outermost(s, row, &args, &filters, typed, where);
	filters_show(&filters, s->config->interrupt);
	if (ret >= 0 && !row->by_state && !row->shows)
		journal_add(&s->journal, row->syntax, trimmed(command, typed));
	filters_free(&filters);
	return settle(s, ret);
}

const char *
shell_running(const struct shell *s)
{
	return s->running;
}

bool
shell_direct(const struct shell *s)
{
	return s->depth == 1;
}

const char *
shell_folder(struct shell *s, const char *folder)
{
	(void)grammar_folder(s->filters, folder);
	return grammar_folder(s->grammar, folder);
}

int
shell_line_aside(struct shell *s, const char *line)
{
	struct filters *const held = s->held;
	const unsigned int scripts = s->scripts, depth = s->depth;
	int ret;

	assert(s->busy == NULL);
	s->busy = s->running;
	s->held = NULL;
	s->scripts = s->depth = 0;
	ret = shell_line(s, line, NULL);
	s->scripts = scripts;
	s->depth = depth;
	s->held = held;
	s->busy = NULL;
	return ret;
}

/* Answer a line that reader_line() could not return whole: code is what it returned. */
static int
refuse_line(struct shell *s, const char *line, int code, const char *where)
{
	struct err e;

	err_clear(&e);
	e.verdict = "Bad arguments";
	e.column = (int)strlen(line);
	if (code == -E2BIG)
		err_set(&e, E2BIG, "the line is longer than %d bytes", LINE_BYTES - 1);
	else
		err_set(&e, EILSEQ, "column %d: the line has a NUL byte", e.column + 1);
	out_begin(s->out, line);
	out_end(s->out, &e, where);
	return settle(s, code);
}

/* Run a line as reader_line() or editor_line() returned it. */
static int
run_line(struct shell *s, const char *line, int read, const char *where)
{
	return read < 0 ? refuse_line(s, line, read, where) : shell_line(s, line, where);
}

/* True when reader_line() returned a line, even a bad one. */
static bool
is_line(int read)
{
	return read == 1 || read == -E2BIG || read == -EILSEQ;
}

/*
 * Show the line behind the prompt as a terminal would (testpmd ends it with CR and LF), without
 * control characters. In JSON there is neither: one object per command is all that is printed.
 */
static void
echo_line(struct shell *s, const char *line)
{
	char clean[LINE_BYTES];
	size_t i;

	for (i = 0; line[i] != '\0'; i++)
		clean[i] = iscntrl((unsigned char)line[i]) && line[i] != '\t' ? '?' : line[i];
	clean[i] = '\0';
	if (out_format(s->out) == OUT_TEXT)
		out_prompt(s->out, "%s\r\n", clean);
}

static void
prompt(struct shell *s)
{
	if (out_format(s->out) == OUT_TEXT)
		out_prompt(s->out, "%s", s->config->prompt);
}

static bool
interrupted(const struct shell *s)
{
	return interrupt_pending(s->config->interrupt);
}

/* True when a request told the program to end. */
static bool
ends(const struct shell *s)
{
	return s->config->interrupt != NULL && s->config->interrupt->ends;
}

static bool
done(const struct shell *s)
{
	return s->config->done != NULL && s->config->done(s->app);
}

/* Run the lines of an open script. */
static int
run_script(struct shell *s, struct reader *r, const char *file, bool echo, struct err *e)
{
	char line[LINE_BYTES], where[LINE_BYTES + 32];
	unsigned int number;
	int ret = 0, read;

	for (number = 1;; number++) {
		int line_ret;

		if (interrupted(s) && !ends(s))
			return err_set(e, EINTR, "%s:%u: interrupted", file,
				number > 1 ? number - 1 : 1);
		if (done(s))
			break;
		read = reader_line(r, line);
		if (read == 0 || ends(s))
			break;
		if (read == -EINTR)
			return err_set(e, EINTR, "%s:%u: interrupted", file, number);
		if (!is_line(read))
			return err_set(e, -read, "%s: cannot read line %u: %s", file, number,
				strerror(-read));
		if (echo) {
			prompt(s);
			echo_line(s, line);
		}
		snprintf(where, sizeof(where), "%s:%u", file, number);
		line_ret = run_line(s, line, read, where);
		ret = ret == 0 ? line_ret : ret;
		if (line_ret < 0 && !s->config->keep_going)
			return ret;
	}
	out_say(s->out, "Read CLI commands from %s\n", file);
	return ret;
}

int
shell_script(struct shell *s, const char *file, bool echo, struct err *e)
{
	struct reader r = { .interrupt = s->config->interrupt };
	int ret;

	if (s->scripts == SCRIPTS_MAX)
		return err_set(e, ELOOP, "%s: scripts nest more than %d deep", file, SCRIPTS_MAX);
	/* Do not wait for the writer of a pipe here: a signal can only end the wait while reading. */
	r.fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (r.fd < 0)
		return err_set(e, errno, "cannot read %s: %s", file, strerror(errno));
	s->scripts++;
	ret = run_script(s, &r, file, echo, e);
	s->scripts--;
	close(r.fd);
	return ret;
}

/* Read one line of a shell that is not on a terminal, with prompt and echo. */
static int
piped_line(struct shell *s, struct reader *r, char *line)
{
	int read;

	prompt(s);
	read = reader_line(r, line);
	if (is_line(read))
		echo_line(s, line);
	return read;
}

bool
shell_offer(const struct shell *s, const char *line, struct offers *o, struct err *why)
{
	size_t begin = 0;
	const bool filter = filter_last(line, &begin) != SIZE_MAX;
	const struct grammar *g = filter ? s->filters : s->grammar;
	const struct cmd_row *row;
	struct args args;
	char at[LINE_BYTES];

	/* With the columns of the line. */
	snprintf(at, sizeof(at), "%*s%s", (int)begin, "", line + begin);
	grammar_offer(g, at, o);
	if (o->n == 0 && !o->complete)
		(void)grammar_parse(g, at, &row, &args, why);
	return filter;
}

static bool
editor_offer(void *ctx, const char *line, struct offers *o, struct err *why)
{
	return shell_offer(ctx, line, o, why);
}

static bool
editor_pages(void *ctx)
{
	return shell_pages(ctx);
}

const struct journal *
shell_journal(const struct shell *s)
{
	return &s->journal;
}

int
shell_history(const struct shell *s, void (*each)(void *ctx, const char *line), void *ctx,
	struct err *e)
{
	if (s->editor == NULL)
		return err_set(e, ENOTTY, "no history: commands do not come from a terminal");
	editor_history(s->editor, each, ctx);
	return 0;
}

/* Consume the ^C that ended a command or was typed between two; false when there was none. */
static bool
key_taken(const struct shell *s)
{
	return interrupted(s) && s->config->interrupt_key != NULL &&
		s->config->interrupt_key(s->config->interrupt);
}

bool
shell_takes(struct shell *s, const struct interrupt_task *task)
{
	if (s->editor == NULL || s->busy != NULL || !shell_direct(s))
		return false;
	s->task = *task;
	s->has_task = true;
	return true;
}

/* Wait for the next step of the task, or for keys. Returns false if the task ends. */
static bool
task_step(struct shell *s, struct screen *screen, int resize, int64_t *due_ms)
{
	struct pollfd fds[] = { { STDIN_FILENO, POLLIN, 0 }, { resize, POLLIN, 0 } };
	const int64_t left_ms = *due_ms - interrupt_now_ms();
	struct signalfd_siginfo one;
	bool goes_on = true;
	int ms;

	if (interrupt_poll(s->config->interrupt, fds, ARRAY_SIZE(fds),
		    left_ms > 0 ? (int)left_ms : 0) < 0 ||
		interrupted(s))
		return false;
	while (fds[1].revents != 0 && read(resize, &one, sizeof(one)) > 0)
		*due_ms = interrupt_now_ms();
	screen_begin(screen);
	if (fds[0].revents != 0)
		goes_on = s->task.keys(s->task.ctx);
	if (goes_on && interrupt_now_ms() >= *due_ms) {
		ms = s->task.step(s->task.ctx);
		*due_ms = interrupt_now_ms() + ms;
		goes_on = ms >= 0;
	}
	screen_end(screen, false);
	return goes_on;
}

/* Go on with the task of the last line. No command runs meanwhile, so clients may change what they like. */
static void
task_run(struct shell *s)
{
	const int resize = interrupt_resize();
	int64_t due_ms = interrupt_now_ms();
	struct terminal_screen keys;
	struct screen screen;

	screen_open(&screen, s->out, s->config->interrupt);
	if (terminal_screen_begin(&keys, STDIN_FILENO)) {
		while (task_step(s, &screen, resize, &due_ms))
			;
		terminal_screen_end(&keys);
	}
	if (resize >= 0)
		close(resize);
	s->has_task = false;
	screen_begin(&screen);
	(void)s->task.end(s->task.ctx);
	screen_end(&screen, true);
	screen_close(&screen);
}

int
shell_run(struct shell *s)
{
	bool terminal = isatty(STDIN_FILENO) && isatty(fileno(out_file(s->out)));
	struct reader r = { .fd = STDIN_FILENO, .interrupt = s->config->interrupt };
	const struct editor_config editor = { .prompt = s->config->prompt,
		.history_file = s->config->history_file,
		.interrupt = s->config->interrupt,
		.interrupt_key = s->config->interrupt_key,
		.offer = editor_offer,
		.pages = editor_pages,
		.ctx = s };
	char line[LINE_BYTES];
	const bool strict = s->config->strict && !terminal;
	int read = 0, ret = 0, line_ret;
	struct err e;

	err_clear(&e);
	if (terminal)
		s->editor = editor_open(&editor, s->out, &e);
	if (e.code != 0)
		out_warn(s->out, "%s\n", e.text);
	for (;;) {
		if (terminal)
			key_taken(s);
		if (done(s))
			break;
		if (s->config->before_prompt != NULL)
			s->config->before_prompt(s->app);
		read = s->editor != NULL ? editor_line(s->editor, line) : piped_line(s, &r, line);
		if (read == -EINTR && terminal && key_taken(s))
			continue;
		if (!is_line(read))
			break;
		s->typed = s->editor != NULL && editor_typed(s->editor);
		line_ret = run_line(s, line, read, NULL);
		s->typed = false;
		if (s->has_task)
			task_run(s);
		read = 0;
		if (strict && ret == 0)
			ret = line_ret;
		if (ret != 0 && !s->config->keep_going)
			break;
	}
	editor_close(s->editor);
	s->editor = NULL;
	if (strict && ret == 0 && interrupted(s) && !ends(s)) {
		out_warn(s->out, "stopped by a signal\n");
		ret = -EINTR;
	}
	return ret != 0 ? ret : read == -EINTR ? 0 : read;
}
