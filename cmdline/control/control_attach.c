/* zcfwd attach: the shell of a program that runs already. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The problem: the program has one terminal at most, its own, and must never wait for that of
 * another one.
 *
 * The idea: what waits for a person is here: the editor, the pager, the keys. What knows the program
 * is there: it is asked which words may follow a line (offers_wire.h), runs the lines, and draws for a
 * terminal of the size that it was told. Keys are sent only after it has said that the command reads
 * them, so what is typed ahead of the next prompt remains for the editor.
 *
 * An answer is paged if it came at once: one that goes on for longer than AT_ONCE_MS is shown while it
 * comes.
 *
 * Why not pass the terminal's file descriptor to the program: a terminal that is stopped by ^S would
 * stop it.
 */
#include "cmdline/control/control_attach.h"

#include "base/err.h"
#include "base/interrupt.h"
#include "base/json_read.h"
#include "base/out.h"
#include "cmdline/control/offers_wire.h"
#include "cmdline/control/talk.h"
#include "cmdline/grammar/offers.h"
#include "cmdline/shell/editor.h"
#include "cmdline/shell/histfile.h"
#include "cmdline/shell/pager.h"
#include "cmdline/shell/reader.h"

#include <rte_log.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT_ONCE_MS 200
#define PROMPT_BYTES 128

struct attach {
	struct interrupt interrupt;
	struct talk talk;
	struct out *out;
	struct editor *editor; /* NULL: lines come from a pipe or a file */
	char prompt[PROMPT_BYTES];
	bool pager;
	bool reads;  /* the command that runs waits for keys */
	bool leaves; /* the input, or a signal, ends this */
	bool failed; /* a command has */
	/* Of an answer that came at once: may be paged. NULL file: print what comes. */
	FILE *held;
	char *text;
	size_t n;
	/* What the program logged while a command has the whole screen; NULL file: nothing. */
	FILE *logged;
	char *log;
	size_t log_n;
};

/* Show what is held. done: it is the whole answer. */
static void
held_show(struct attach *a, bool done)
{
	FILE *held = a->held;

	a->held = NULL;
	if (held == NULL || fclose(held) != 0)
		return;
	if (done && a->pager && a->editor != NULL && editor_typed(a->editor))
		pager_show(a->text, a->n, out_file(a->out), &a->interrupt);
	else
		fwrite(a->text, 1, a->n, out_file(a->out));
	fflush(out_file(a->out));
	free(a->text);
}

static int
text_show(struct attach *a, struct json_read *value, bool failure, struct err *e)
{
	char *text = talk_string(value, e);

	if (text == NULL)
		return -e->code;
	if (failure)
		held_show(a, false);
	fputs(text, failure ? stderr : a->held != NULL ? a->held : out_file(a->out));
	if (!failure && a->held == NULL)
		fflush(out_file(a->out));
	free(text);
	return 0;
}

/* Show a piece of the program's log: above the line that is edited (editor_log.h), or behind a screen. */
static int
log_show(struct attach *a, struct json_read *value, struct err *e)
{
	char *text = talk_string(value, e);
	FILE *to = rte_log_get_stream();

	if (text == NULL)
		return -e->code;
	if (a->reads && a->logged == NULL)
		a->logged = open_memstream(&a->log, &a->log_n);
	if (a->reads && a->logged != NULL)
		to = a->logged;
	fputs(text, to);
	fflush(to);
	free(text);
	return 0;
}

/* Show what was logged meanwhile: the screen is that of the shell again. */
static void
logged_show(struct attach *a)
{
	if (a->logged == NULL)
		return;
	if (fclose(a->logged) == 0)
		fwrite(a->log, 1, a->log_n, stderr);
	a->logged = NULL;
	free(a->log);
}

/* The size of the terminal as it is sent; NULL: results go elsewhere. */
static const char *
terminal_text(const struct attach *a, char text[24])
{
	unsigned int columns, rows;

	if (!out_clears(a->out) || !out_terminal(a->out, &columns, &rows))
		return NULL;
	snprintf(text, 24, "%ux%u", columns, rows);
	return text;
}

static int
keys_send(struct attach *a, struct err *e)
{
	char keys[256], size[24];
	const ssize_t n = read(STDIN_FILENO, keys, sizeof(keys) - 1);
	const struct talk_request r = { .what = "keys",
		.line = keys,
		.terminal = terminal_text(a, size) };

	if (n <= 0) {
		a->leaves = true;
		return 0;
	}
	keys[n] = '\0';
	return talk_send(&a->talk, &r, e);
}

/* A signal has come while a command runs: ^C cancels it, others end this program. */
static int
signal_obey(struct attach *a, struct err *e)
{
	const struct talk_request cancel = { .what = "cancel" };

	a->leaves = !interrupt_key(&a->interrupt);
	return a->leaves ? 0 : talk_send(&a->talk, &cancel, e);
}

/* Handle one line of the answer. Returns 1 when it was the last. */
static int
answered(struct attach *a, int line, struct json_read *value, struct err *e)
{
	switch (line) {
	case -EAGAIN: held_show(a, false); return 0;
	case -EINTR: return signal_obey(a, e);
	case -EIO: return keys_send(a, e);
	case TALK_TEXT: return text_show(a, value, false, e);
	case TALK_FAILURE: return text_show(a, value, true, e);
	case TALK_LOG: return log_show(a, value, e);
	case TALK_KEYS:
		a->reads = true;
		held_show(a, false);
		return 0;
	case TALK_DONE:
		a->failed |= !a->talk.ok;
		held_show(a, true);
		return 1;
	default: return line < 0 ? line : 0;
	}
}

/* Run a line in the program, and show its answer. */
static int
line_run(struct attach *a, const char *line, struct err *e)
{
	char size[24];
	const struct talk_request request = { .what = "run",
		.format = "text",
		.line = line,
		.terminal = a->editor != NULL ? terminal_text(a, size) : NULL };
	struct json_read value;
	int ret = talk_send(&a->talk, &request, e);

	a->reads = false;
	a->held = open_memstream(&a->text, &a->n);
	while (ret == 0 && !a->leaves) {
		const int one = talk_line(&a->talk, a->reads ? STDIN_FILENO : -1,
			a->held != NULL ? AT_ONCE_MS : -1, &value, e);

		ret = answered(a, one, &value, e);
	}
	held_show(a, false);
	a->reads = false;
	logged_show(a);
	return ret < 0 ? ret : 0;
}

/* Wait for a line of an answer that comes at once. */
static int
line_await(struct attach *a, int wanted, struct json_read *value, struct err *e)
{
	int line;

	do {
		line = talk_line(&a->talk, -1, -1, value, e);
		if (line == TALK_LOG && log_show(a, value, e) != 0)
			return -e->code;
	} while (line >= 0 && line != wanted);
	return line < 0 ? line : 0;
}

static int
prompt_member_read(struct json_read *j, const char *key, void *ctx, struct err *e)
{
	struct attach *a = ctx;

	if (strcmp(key, "text") == 0)
		return json_read_string(j, a->prompt, sizeof(a->prompt), e);
	return json_read_bool(j, &a->pager, e);
}

/* Ask how the program's shell would ask. */
static int
prompt_ask(struct attach *a, struct err *e)
{
	const struct talk_request request = { .what = "prompt" };
	struct json_read value;
	int ret = talk_send(&a->talk, &request, e);

	if (ret == 0)
		ret = line_await(a, TALK_PROMPT, &value, e);
	if (ret != 0)
		return ret;
	if (json_read_object(&value, prompt_member_read, a, e) != 0)
		return err_context(e, "the program's prompt");
	return line_await(a, TALK_DONE, &value, e);
}

/* Ask for the program's log, from now on. */
static int
log_ask(struct attach *a, struct err *e)
{
	const struct talk_request request = { .what = "log" };
	struct json_read value;
	const int ret = talk_send(&a->talk, &request, e);

	return ret == 0 ? line_await(a, TALK_DONE, &value, e) : ret;
}

static bool
offer_ask(void *ctx, const char *line, struct offers *o, struct err *why)
{
	struct attach *a = ctx;
	const struct talk_request request = { .what = "offer", .line = line };
	struct json_read value;
	bool filter = false;
	struct err e;

	err_clear(&e);
	*o = (struct offers){ .topic = NULL };
	/* The answer is read here, and not by aside_see(). */
	a->interrupt.requests = -1;
	if (talk_send(&a->talk, &request, &e) == 0 && line_await(a, TALK_OFFER, &value, &e) == 0 &&
		offers_wire_read(&value, o, &filter, why, &e) == 0)
		(void)line_await(a, TALK_DONE, &value, &e);
	if (e.code != 0)
		*why = e;
	a->interrupt.requests = a->talk.fd;
	return filter;
}

static bool
pages(void *ctx)
{
	return ((const struct attach *)ctx)->pager;
}

/* The connection tells something while nothing was asked: lines of the log, or its end. */
static void
aside_see(void *ctx)
{
	struct attach *a = ctx;
	struct json_read value;
	struct err e;
	int line;

	err_clear(&e);
	a->interrupt.requests = -1;
	while ((line = talk_line(&a->talk, -1, 0, &value, &e)) >= 0)
		if (line == TALK_LOG && log_show(a, &value, &e) != 0)
			break;
	a->interrupt.requests = a->talk.fd;
	a->interrupt.ends = e.code != 0;
}

/* Read a line. Returns as reader_line(). */
static int
line_read(struct attach *a, struct reader *r, char *line)
{
	int ret;

	a->interrupt.requests = a->talk.fd;
	ret = a->editor != NULL ? editor_line(a->editor, line) : reader_line(r, line);
	a->interrupt.requests = -1;
	return ret;
}

static void
history_show(void *ctx, const char *line)
{
	fprintf(ctx, "%s\n", line);
}

/* Do what a line asks for, here or in the program. */
static int
line_do(struct attach *a, const char *line, struct err *e)
{
	char word[16] = "", rest[2] = "";

	if (sscanf(line, "%15s %1s", word, rest) == 1) {
		a->leaves = strcmp(word, "quit") == 0 || strcmp(word, "detach") == 0;
		if (a->leaves)
			return 0;
		if (strcmp(word, "history") == 0 && a->editor != NULL) {
			editor_history(a->editor, history_show, out_file(a->out));
			return 0;
		}
	}
	return line_run(a, line, e);
}

/* Answer a line that could not be read whole: code is what reader_line() returned. The next one is read. */
static void
line_refuse(struct attach *a, const char *line, int code)
{
	a->failed = true;
	if (code == -E2BIG)
		fprintf(stderr, "the line is longer than %d bytes\n", LINE_BYTES - 1);
	else
		fprintf(stderr, "column %zu: the line has a NUL byte\n", strlen(line) + 1);
}

/* Read and do lines until this ends. */
static int
lines_do(struct attach *a, struct err *e)
{
	struct reader r = { .fd = STDIN_FILENO, .interrupt = &a->interrupt };
	char line[LINE_BYTES];
	int ret = 0, read;

	while (ret == 0 && !a->leaves) {
		ret = prompt_ask(a, e);
		if (ret != 0)
			break;
		read = line_read(a, &r, line);
		if (a->interrupt.ends)
			return err_set(e, EPIPE, "the program has ended");
		if (read == -E2BIG || read == -EILSEQ)
			line_refuse(a, line, read);
		else if (read != 1)
			break;
		else
			ret = line_do(a, line, e);
	}
	return ret == 0 && a->failed && a->editor == NULL ? -EIO : ret;
}

/* Open the editor, if lines come from a terminal, and work. */
static int
work(struct attach *a, struct err *e)
{
	char history[PATH_MAX];
	struct editor_config config = { .prompt = a->prompt,
		.interrupt = &a->interrupt,
		.interrupt_key = interrupt_key,
		.offer = offer_ask,
		.pages = pages,
		.ctx = a };
	struct err odd;
	int ret = prompt_ask(a, e);

	if (ret != 0)
		return ret;
	err_clear(&odd);
	histfile_default(history, sizeof(history));
	config.history_file = history[0] != '\0' ? history : NULL;
	if (isatty(STDIN_FILENO) != 0 && out_on_terminal(a->out))
		a->editor = editor_open(&config, a->out, &odd);
	if (odd.code != 0)
		out_warn(a->out, "%s\n", odd.text);
	if (a->editor != NULL && log_ask(a, e) != 0)
		return -e->code;
	if (a->editor != NULL)
		out_say(a->out, "Attached. quit or ^D leaves; the program goes on.\n");
	ret = lines_do(a, e);
	editor_close(a->editor);
	return ret;
}

int
control_attach(int argc, char **argv, struct out *out, struct err *e)
{
	struct attach a = { .out = out };
	int ret;

	if (argc > 1 || (argc == 1 && argv[0][0] == '-'))
		return err_set(e, EINVAL, "attach: expected [NAME], such as zcfwd attach lab");
	if (interrupt_open(&a.interrupt, e) != 0 ||
		talk_open(&a.talk, argc == 1 ? argv[0] : NULL, &a.interrupt, e) != 0)
		return -e->code;
	a.interrupt.serve = aside_see;
	a.interrupt.ctx = &a;
	ret = work(&a, e);
	talk_close(&a.talk);
	return ret;
}
