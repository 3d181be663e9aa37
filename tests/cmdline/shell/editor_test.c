/* The shell on a terminal: completion, ? help, history, signals, and no escapes where nobody
 * edits. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/shell/shell.h"
#include "fixtures/unit.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_MS 10000 /* for what must come */

struct app {
	struct out *out;
	bool quit;
};

/* A shell in a child on a terminal of its own. */
struct terminal {
	pid_t child;
	int fd;           /* the terminal's other end */
	int interrupt;    /* a byte here is a signal */
	char seen[32768]; /* everything that was shown */
	size_t n, from;   /* bytes seen; where the next wait begins */
};

static int
say(struct app *app, const struct args *args, struct err *e)
{
	out_say(app->out, "said %s.\n", arg_str(args, "words", ""));
	return 0;
}

static int
quit(struct app *app, const struct args *args, struct err *e)
{
	app->quit = true;
	return 0;
}

/* Run until something is typed ahead. */
static int
hold(struct app *app, const struct args *args, struct err *e)
{
	struct pollfd fd = { STDIN_FILENO, POLLIN, 0 };

	out_prompt(app->out, "holding\n");
	poll(&fd, 1, WAIT_MS);
	return 0;
}

/* More lines than the terminal has. */
static int
numbers(struct app *app, const struct args *args, struct err *e)
{
	for (int i = 0; i < 100; i++)
		out_text(app->out, "number %d\n", i);
	out_text(app->out, "-- end\n");
	return 0;
}

static const struct cmd_row rows[] = {
	{ "show numbers", numbers, "print many lines", NULL, NULL },
	{ "hold", hold, "wait for keys", NULL, NULL },
	{ "say <words:text>", say, "say something", NULL, NULL },
	{ "set burst <n:uint 1..512>", quit, "packets of a burst", NULL, NULL },
	{ "set fwd <engine:word io|mac|macswap>", quit, "choose an engine", NULL, NULL },
	{ "load <file:file>", quit, "run a script", NULL, NULL },
	{ "quit", quit, "leave", NULL, NULL },
};

static bool
done(const struct app *app)
{
	return app->quit;
}

static bool
pages(const struct app *app)
{
	return true;
}

/* The child: a whole shell; it exits with 7 when shell_run() returned 0. */
static void
run_child(const char *term, const char *history_file, int interrupt_fd)
{
	static const struct cmd_table table = { "test", "test", rows, ARRAY_SIZE(rows) };
	static const struct cmd_table *const tables[] = { &table };
	struct shell_config config = { "zcfwd> ", history_file, false, false, interrupt_fd, done };
	struct app app = { out_open(stdout, stderr), false };
	struct grammar *g;
	struct shell *s;
	struct err e;
	int ret;

	config.pages = pages;
	setenv("TERM", term, 1);
	setenv("HOME", "/nonexistent", 1);
	err_clear(&e);
	g = grammar_new(tables, 1, NULL, 0, &app, &e);
	s = shell_open(&app, g, app.out, &config, &e);
	ret = shell_run(s);
	shell_close(s);
	grammar_free(g);
	out_close(app.out);
	_exit(ret == 0 ? 7 : 8);
}

/* Read what is shown until text comes; fails when it does not. */
static void
wait_for(struct terminal *t, const char *text)
{
	struct pollfd fd = { t->fd, POLLIN, 0 };
	const char *at;
	ssize_t n;

	while ((at = strstr(t->seen + t->from, text)) == NULL) {
		n = poll(&fd, 1, WAIT_MS) == 1
			? read(t->fd, t->seen + t->n, sizeof(t->seen) - 1 - t->n)
			: -1;
		if (n <= 0)
			fail_msg("no \"%s\" in: %s", text, t->seen + t->from);
		t->n += (size_t)n;
		t->seen[t->n] = '\0';
	}
	t->from = (size_t)(at - t->seen) + strlen(text);
}

static void
type(struct terminal *t, const char *keys)
{
	assert_int_equal(write(t->fd, keys, strlen(keys)), strlen(keys));
}

static struct terminal *
begin(const char *term, const char *history_file)
{
	struct terminal *t = calloc(1, sizeof(*t));
	struct winsize size = { 24, 80, 0, 0 };
	int signals[2];

	assert_int_equal(pipe(signals), 0);
	t->child = forkpty(&t->fd, NULL, NULL, &size);
	assert_true(t->child >= 0);
	if (t->child == 0) {
		close(signals[1]);
		run_child(term, history_file, signals[0]);
	}
	close(signals[0]);
	t->interrupt = signals[1];
	wait_for(t, "zcfwd> ");
	return t;
}

/* The shell has ended by itself. */
static void
end(struct terminal *t)
{
	int status, ms;

	for (ms = 0; waitpid(t->child, &status, WNOHANG) == 0; ms++) {
		if (ms == WAIT_MS)
			kill(t->child, SIGKILL);
		usleep(1000);
	}
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	close(t->fd);
	close(t->interrupt);
	free(t);
}

TEST(lines_without_editing_bring_no_escapes)
{
	static const char *const terms[] = { "xterm", "vt100", "linux", "dumb" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(terms); i++) {
		struct terminal *t = begin(terms[i], NULL);

		type(t, "say hello\n");
		wait_for(t, "said hello.\r\nzcfwd> ");
		type(t, "\r");
		wait_for(t, "\r\nzcfwd> ");
		type(t, "foo\r");
		wait_for(t, "Command not found\r\n");
		wait_for(t, "zcfwd> ");
		assert_null(strchr(t->seen, '\x1b'));
		type(t, "quit\n");
		end(t);
	}
}

/* A driver that does not wait for the prompt sees each line once. */
TEST(typing_ahead_shows_once)
{
	struct terminal *t = begin("xterm", NULL);

	type(t, "say one\nsay two\nsay three\n");
	wait_for(t, "said three.\r\nzcfwd> ");
	assert_string_equal(strstr(t->seen, "say one"),
		"say one\r\nsaid one.\r\nzcfwd> say two\r\nsaid two.\r\nzcfwd> say three\r\nsaid three.\r\nzcfwd> ");
	type(t, "hold\n");
	wait_for(t, "holding\r\n");
	type(t, "say four\n");
	wait_for(t, "said four.\r\nzcfwd> ");
	assert_string_equal(strstr(t->seen, "holding"),
		"holding\r\nzcfwd> say four\r\nsaid four.\r\nzcfwd> ");
	type(t, "quit\n");
	end(t);
}

TEST(tab_completes)
{
	struct terminal *t = begin("xterm", NULL);

	type(t, "sa\thi\n");
	wait_for(t, "said hi.\r\nzcfwd> ");
	type(t, "se\tf\tm\t"); /* mac is common to two */
	wait_for(t, "ac");
	type(t, "\t");
	wait_for(t, "macswap");
	type(t, "s\t\n");
	end(t);
}

TEST(tab_lists_with_help)
{
	struct terminal *t = begin("dumb", NULL);

	type(t, "\t");
	wait_for(t, "load ");
	wait_for(t, "run a script\r\n");
	wait_for(t, "quit ");
	wait_for(t, "leave\r\n");
	wait_for(t, "zcfwd> ");
	type(t, "quit\n");
	end(t);
}

TEST(question_mark_helps)
{
	struct terminal *t = begin("dumb", NULL);

	type(t, "set burst ?");
	wait_for(t, "<n> ");
	wait_for(t, "a number 1..512\r\n");
	wait_for(t, "zcfwd> set burst ");
	type(t,
		"\x15"
		"quit?");
	wait_for(t, "<return>");
	wait_for(t, "run the command\r\n");
	type(t, "\x15nosuch ?");
	wait_for(t, "column 1: unknown command \"nosuch\"");
	type(t, "\x15quit\n");
	end(t);
}

TEST(question_mark_is_itself)
{
	struct terminal *t = begin("xterm", NULL);

	type(t, "say \"why?\"\n");
	wait_for(t, "said \"why?\".\r\nzcfwd> ");
	type(t, "say why\\?\n");
	wait_for(t, "said why?.\r\nzcfwd> ");
	type(t, "say why\x16?\n");
	wait_for(t, "said why?.\r\nzcfwd> ");
	type(t, "quit\n");
	end(t);
}

TEST(history_survives)
{
	char file[] = "/tmp/editor_test.XXXXXX";
	struct terminal *t;
	int status;

	close(mkstemp(file));
	t = begin("xterm", file);
	type(t, "say one\n");
	wait_for(t, "said one.\r\nzcfwd> ");
	type(t, "say two\n");
	wait_for(t, "said two.");
	wait_for(t, "zcfwd> ");
	type(t, "\x10\x10\n"); /* the line before the line before */
	wait_for(t, "said one.\r\nzcfwd> ");
	type(t, "say two\n");
	wait_for(t, "said two.\r\nzcfwd> ");
	kill(t->child, SIGKILL);
	waitpid(t->child, &status, 0);
	close(t->fd);
	close(t->interrupt);
	free(t);

	t = begin("xterm", file);
	type(t, "\x10\n"); /* the line before */
	wait_for(t, "said two.\r\nzcfwd> ");
	type(t, "\x12one\n\n"); /* search backwards */
	wait_for(t, "said one.\r\nzcfwd> ");
	type(t, "quit\n");
	end(t);
	unlink(file);
}

TEST(a_signal_ends_the_wait)
{
	struct terminal *t = begin("xterm", NULL);

	type(t, "say hal");
	wait_for(t, "say hal");
	assert_int_equal(write(t->interrupt, "x", 1), 1);
	end(t);
}

TEST(ctrl_d_ends)
{
	struct terminal *t = begin("xterm", NULL);

	type(t, "\x04");
	end(t);
}

TEST(long_lines)
{
	struct terminal *t = begin("xterm", NULL);
	char line[LINE_BYTES + 100];

	memset(line, 'x', sizeof(line));
	memcpy(line, "say ", 4);
	strcpy(line + 200, "\n");
	type(t, line);
	wait_for(t, "said xxx");
	wait_for(t, "zcfwd> ");
	type(t, "quit\n");
	end(t);
}

/* libedit's screen must not shrink under its cursor; while nothing is typed it follows. */
TEST(the_terminal_changes)
{
	static const struct winsize tiny = { 2, 10, 0, 0 }, narrow = { 24, 40, 0, 0 };
	struct terminal *t = begin("xterm", NULL);
	char line[23 * 80];

	memset(line, 'x', sizeof(line));
	memcpy(line, "say ", 4);
	strcpy(line + sizeof(line) - 2, "Y");
	type(t, line);
	wait_for(t, "Y");
	ioctl(t->fd, TIOCSWINSZ, &tiny);
	type(t, line + sizeof(line) - 500);
	type(t, "\x01\x05\x7f\x7f\x01\x0bsay eleven\n"); /* ends, back over two, all away */
	wait_for(t, "said eleven.\r\nzcfwd> ");
	ioctl(t->fd, TIOCSWINSZ, &narrow);
	type(t, "\t");
	wait_for(t, "wait for\r\n                                keys\r\n");
	type(t, "quit\n");
	end(t);
}

/* Type a line as people do, its last key alone; again where this process was too slow for that. */
static void
type_by_hand(struct terminal *t, const char *line, const char *sign)
{
	for (int tries = 0; tries < 20; tries++) {
		size_t begin;

		type(t, line);
		wait_for(t, line);
		usleep(100000);
		begin = t->from;
		type(t, "\n");
		wait_for(t, "number 22\r\n");
		wait_for(t, "-- "); /* of the pager, or of the last line */
		if (strstr(t->seen + begin, sign) != NULL)
			return;
	}
	fail_msg("no \"%s\" in: %s", sign, t->seen);
}

TEST(long_answers_are_paged)
{
	struct terminal *t = begin("xterm", NULL);

	type_by_hand(t, "show numbers", "space page, enter line");
	assert_null(strstr(t->seen, "number 23"));
	type(t, "\n");
	wait_for(t, "number 23\r\n--");
	type(t, "x");
	wait_for(t, "--");
	assert_null(strstr(t->seen, "number 24"));
	type(t, " ");
	wait_for(t, "number 46\r\n-- 46 %");
	type(t, "/ber 7\b60\n");
	wait_for(t, "...\r\n");
	wait_for(t, "number 60\r\n");
	wait_for(t, "--");
	assert_null(strstr(t->seen, "number 50"));
	type(t, "/nowhere\n");
	wait_for(t, "-- not found: ");
	type(t, "q");
	wait_for(t, "zcfwd> ");
	assert_null(strstr(t->seen, "number 99"));
	type(t, "quit\n");
	end(t);
}

/* Programs write whole lines: what they ask for comes without a key. */
TEST(programs_see_no_pager)
{
	struct terminal *t = begin("xterm", NULL);

	type(t, "show numbers\n");
	wait_for(t, "number 99\r\n-- end\r\nzcfwd> ");
	type(t, "show numbers | include 5$ | exclude [1-8].$\n");
	wait_for(t, "\r\nnumber 5\r\nnumber 95\r\nzcfwd> ");
	assert_null(strchr(t->seen, '\x1b'));
	type(t, "quit\n");
	end(t);
}

TEST(filters_complete)
{
	struct terminal *t = begin("xterm", NULL);

	type(t, "show numbers | inc\t^number.1$\n");
	wait_for(t, "^number.1$\r\nnumber 1\r\nzcfwd> ");
	type(t, "show numbers | ?");
	wait_for(t, "count ");
	wait_for(t, "show the number of lines\r\n");
	wait_for(t, "show numbers | ");
	type(t, "coun\t\n");
	wait_for(t, "Count: 101 lines\r\n");
	type(t, "show numbers ?");
	wait_for(t, "filter the answer, or write it to a file\r\n");
	type(t, "\x15show numbers | nosuch ?");
	wait_for(t, "column 16: unknown command \"nosuch\"");
	type(t, "\x15quit\n");
	end(t);
}
