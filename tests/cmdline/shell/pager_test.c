/* Long answers on a terminal, byte by byte: how many rows a line takes, and whose the keys are. What
 * keys do is in filters.transcript. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/shell/pager.h"

#include "base/base.h"
#include "fixtures/unit.h"

#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { ROWS = 24, COLUMNS = 80, PAGE = ROWS - 1, WAIT_MS = 60000, LEFT_BYTES = 64 };

#define END "<end>"

/* The child: show the text, then what nobody has read of the keys. */
static void
child_run(const char *text, bool ahead)
{
	char left[LEFT_BYTES] = "";
	struct pollfd in = { STDIN_FILENO, POLLIN, 0 };
	struct termios plain;

	setenv("TERM", "xterm", 1);
	tcgetattr(STDIN_FILENO, &plain);
	plain.c_oflag &= ~(tcflag_t)OPOST; /* "\n" stays itself */
	plain.c_lflag &= ~(tcflag_t)ECHO;
	tcsetattr(STDIN_FILENO, TCSANOW, &plain);
	printf("ready");
	fflush(stdout);
	if (ahead)
		poll(&in, 1, WAIT_MS);
	pager_show(text, strlen(text), stdout, NULL);
	if (poll(&in, 1, 0) == 1 && read(STDIN_FILENO, left, sizeof(left) - 1) < 0)
		_exit(1);
	printf(END "%s", left);
	fflush(stdout);
	_exit(0);
}

/*
 * What a terminal gets. When the pager asks, q is typed. ahead: typed before the answer is there;
 * NULL: nothing. Valid until the next call.
 */
static const char *
shown(const char *text, const char *ahead)
{
	static char seen[65536];
	struct winsize size = { ROWS, COLUMNS, 0, 0 };
	size_t n = 0, typed = strlen("ready");
	struct pollfd out;
	pid_t child;
	int status;

	child = forkpty(&out.fd, NULL, NULL, &size);
	assert_true(child >= 0);
	if (child == 0)
		child_run(text, ahead != NULL);
	out.events = POLLIN;
	for (;;) {
		const char *key = NULL;
		ssize_t more;

		if (poll(&out, 1, WAIT_MS) != 1)
			fail_msg("the pager hangs behind: %s", seen);
		more = read(out.fd, seen + n, sizeof(seen) - 1 - n);
		if (more <= 0)
			break; /* the child has ended */
		n += (size_t)more;
		seen[n] = '\0';
		if (ahead != NULL && n >= typed) {
			key = ahead;
			ahead = NULL;
		} else if (n > typed && strcmp(seen + n - 3, " --") == 0) {
			key = "q";
			typed = n;
		}
		if (key != NULL)
			assert_int_equal(write(out.fd, key, strlen(key)), strlen(key));
	}
	close(out.fd);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_memory_equal(seen, "ready", strlen("ready"));
	return seen + strlen("ready");
}

/* Expect n lines of text, and then the pager or, with whole, the end. */
static void
first_page(const char *text, unsigned int n, bool whole)
{
	const char *end = text, *got = shown(text, NULL);
	size_t bytes;

	while (n-- > 0)
		end = strchr(end, '\n') + 1;
	bytes = (size_t)(end - text);
	assert_memory_equal(got, text, bytes);
	assert_int_equal(strncmp(got + bytes, whole ? END : "-- ", whole ? strlen(END) : 3), 0);
}

/* n lines, of which the one at odd is another. */
static const char *
lines(const char *line, unsigned int n, unsigned int odd, const char *other)
{
	static char text[32768];
	size_t at = 0;

	for (unsigned int i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s\n",
			i == odd ? other : line);
	return text;
}

#define TEN(text) text text text text text text text text text text
#define WIDE TEN("12345678") /* as wide as the terminal */

/* A tab goes to the next multiple of 8; a line as wide as the terminal is one row; bytes are no columns. */
TEST(rows)
{
	static const struct {
		const char *line;
		unsigned int rows;
	} cases[] = {
		{ "", 1 },
		{ "x", 1 },
		{ WIDE, 1 },
		{ WIDE "9", 2 },
		{ WIDE WIDE, 2 },
		{ WIDE WIDE "9", 3 },
		{ TEN("1234567\t"), 1 },
		{ TEN("1234567\t") "9", 2 },
		{ TEN("1\t"), 1 },
		{ TEN("1\t") "\t", 2 },
		{ TEN("12345678\t"), 2 },
		{ WIDE "\r" WIDE, 1 },
		{ TEN("\xc3\xa9\xe2\x82\xac" /* two characters */ "345678"), 1 },
		{ TEN("\xc3\xa9\xe2\x82\xac"
		      "345678") "9",
			2 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		const unsigned int room = PAGE - cases[i].rows; /* lines of one row beside it */

		first_page(lines("x", room + 1, 2, cases[i].line), room + 1, true);
		first_page(lines("x", room + 2, 2, cases[i].line), room + 1, false);
	}
}

/* Keys that were typed while the answer was made are the next command: nothing waits for a key. */
TEST(typed_ahead)
{
	const char *all = lines("number", 100, 0, "first"), *got = shown(all, "q next\n");

	assert_memory_equal(got, all, strlen(all));
	assert_string_equal(got + strlen(all), END "q next\n");
}
