/* The shell without a terminal: answers, scripts, pipes, long lines, signals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/shell/shell.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "fixtures/out_check.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct app {
	struct out_check *printed;
	struct grammar *grammar;
	struct shell *shell;
	struct shell_config config;
	int interrupt[2];
	bool quit;
	unsigned int prompts; /* before_prompt() was called */
	char folder[64];
};

static int
say(struct app *app, const struct args *args, struct err *e)
{
	out_say(app->printed->out, "%s\n", arg_str(args, "words", ""));
	return 0;
}

static int
refuse(struct app *app, const struct args *args, struct err *e)
{
	return err_set(e, ENODEV, "no device");
}

static int
refuse_silently(struct app *app, const struct args *args, struct err *e)
{
	return -EIO;
}

static int
load(struct app *app, const struct args *args, struct err *e)
{
	return shell_script(app->shell, arg_str(args, "file", ""), arg_given(args, "echo"), e);
}

static int
quit(struct app *app, const struct args *args, struct err *e)
{
	app->quit = true;
	return 0;
}

static int
interrupt(struct app *app, const struct args *args, struct err *e)
{
	return write(app->interrupt[1], "x", 1) == 1 ? 0 : -errno;
}

static const struct cmd_row rows[] = {
	{ "say <words:text>", say, "say", NULL, NULL },
	{ "fail", refuse, "fail", NULL, NULL },
	{ "silent", refuse_silently, "fail", NULL, NULL },
	{ "load <file:file> [echo]", load, "run a script", NULL, NULL },
	{ "quit", quit, "leave", NULL, NULL },
	{ "interrupt", interrupt, "as if a signal came", NULL, NULL },
};

static bool
done(const struct app *app)
{
	return app->quit;
}

static void
before_prompt(struct app *app)
{
	app->prompts++;
}

static int
setup(void **state)
{
	static const struct cmd_table table = { "test", "test", rows, ARRAY_SIZE(rows) };
	static const struct cmd_table *const tables[] = { &table };
	struct app *app = calloc(1, sizeof(*app));
	void *printed;
	struct err e;

	err_clear(&e);
	out_check_setup(&printed);
	app->printed = printed;
	app->grammar = grammar_new(tables, 1, NULL, 0, app, &e);
	assert_int_equal(pipe(app->interrupt), 0);
	app->config = (struct shell_config){ "zcfwd> ", NULL, false, false, app->interrupt[0], done,
		before_prompt };
	app->shell = shell_open(app, app->grammar, app->printed->out, &app->config, &e);
	strcpy(app->folder, "/tmp/shell_test.XXXXXX");
	*state = app;
	return app->shell == NULL || mkdtemp(app->folder) == NULL || chdir(app->folder) < 0;
}

static int
teardown(void **state)
{
	struct app *app = *state;
	void *printed = app->printed;
	char command[128];

	shell_close(app->shell);
	grammar_free(app->grammar);
	out_check_teardown(&printed);
	close(app->interrupt[0]);
	close(app->interrupt[1]);
	snprintf(command, sizeof(command), "rm -r %s", app->folder);
	assert_int_equal(system(command), 0);
	free(app);
	return 0;
}

/* Make a file in the test's folder. */
static void
make(const char *name, const char *text, size_t n)
{
	int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	assert_int_equal(write(fd, text, n), n);
	close(fd);
}

#define MAKE(name, text) make((name), (text), sizeof(text) - 1)

/* shell_run() with the file as standard input. */
static int
run_on(struct app *app, const char *name)
{
	int saved = dup(STDIN_FILENO), fd = open(name, O_RDONLY), ret;

	dup2(fd, STDIN_FILENO);
	close(fd);
	ret = shell_run(app->shell);
	dup2(saved, STDIN_FILENO);
	close(saved);
	return ret;
}

static int
script(struct app *app, const char *name, bool echo, struct err *e)
{
	err_clear(e);
	return shell_script(app->shell, name, echo, e);
}

TEST(one_line)
{
	struct app *app = *state;

	assert_int_equal(shell_line(app->shell, "say hello", NULL), 0);
	assert_int_equal(shell_line(app->shell, "", NULL), 0);
	assert_int_equal(shell_line(app->shell, "# nothing", NULL), 0);
	assert_int_equal(shell_line(app->shell, "fail", NULL), -ENODEV);
	assert_int_equal(shell_line(app->shell, "fail", "x:1"), -ENODEV);
	assert_int_equal(shell_line(app->shell, "silent", NULL), -EIO);
	assert_int_equal(shell_line(app->shell, "fail now", NULL), -EINVAL);
	out_check_printed(app->printed, "hello\nBad arguments\n",
		"no device\nx:1: no device\ncolumn 6: unexpected argument \"now\": expected the end of the line\n");
}

TEST(script_runs_to_its_end)
{
	struct app *app = *state;
	struct err e;

	MAKE("a", "# comment\n\nsay one\r\n  say two # too\nsay three");
	assert_int_equal(script(app, "a", false, &e), 0);
	assert_int_equal(e.code, 0);
	out_check_printed(app->printed, "one\ntwo\nthree\nRead CLI commands from a\n", "");
}

TEST(script_echoes)
{
	struct app *app = *state;
	struct err e;

	MAKE("a", "say one\n# c\n");
	assert_int_equal(script(app, "a", true, &e), 0);
	out_check_printed(app->printed,
		"zcfwd> say one\r\none\nzcfwd> # c\r\nRead CLI commands from a\n", "");
}

TEST(script_stops_at_the_first_failure)
{
	struct app *app = *state;
	struct err e;

	MAKE("a", "say one\n\nfail\nsay two\n");
	assert_int_equal(script(app, "a", false, &e), -ENODEV);
	assert_int_equal(e.code, 0);
	out_check_printed(app->printed, "one\n", "a:3: no device\n");
}

TEST(script_keeps_going)
{
	struct app *app = *state;
	struct err e;

	app->config.keep_going = true;
	MAKE("a", "fail\nnosuch\nsay two\n");
	assert_int_equal(script(app, "a", false, &e), -ENODEV);
	out_check_printed(app->printed, "Command not found\ntwo\nRead CLI commands from a\n",
		"a:1: no device\n"
		"a:2: column 1: unknown command \"nosuch\": expected load, quit, say, fail, silent or interrupt\n");
}

TEST(script_that_cannot_be_read)
{
	struct app *app = *state;
	struct err e;

	assert_int_equal(script(app, "nosuch", false, &e), -ENOENT);
	assert_string_equal(e.text, "cannot read nosuch: No such file or directory");
	assert_int_equal(script(app, ".", false, &e), -EISDIR);
	assert_string_equal(e.text, ".: cannot read line 1: Is a directory");
	assert_int_equal(shell_line(app->shell, "load nosuch", NULL), -ENOENT);
	out_check_printed(app->printed, "", "cannot read nosuch: No such file or directory\n");
}

TEST(scripts_nest)
{
	struct app *app = *state;
	struct err e;

	MAKE("a", "say a\nload b\nsay not reached\n");
	MAKE("b", "say b\nfail\n");
	assert_int_equal(script(app, "a", false, &e), -ENODEV);
	out_check_printed(app->printed, "a\nb\n", "b:2: no device\n");
}

TEST(scripts_nest_eight_deep)
{
	struct app *app = *state;
	struct err e;

	MAKE("a", "say x\nload a\n");
	assert_int_equal(script(app, "a", false, &e), -ELOOP);
	out_check_printed(app->printed, "x\nx\nx\nx\nx\nx\nx\nx\n",
		"a:2: a: scripts nest more than 8 deep\n");
	/* and the depth is given back */
	MAKE("a", "say y\n");
	assert_int_equal(script(app, "a", false, &e), 0);
}

TEST(scripts_in_json)
{
	struct app *app = *state;

	MAKE("a", "say a\nfail\n");
	out_format_set(app->printed->out, OUT_JSON);
	shell_line(app->shell, "load a", NULL);
	out_check_printed(app->printed,
		"{\"command\": \"say a\", \"ok\": true, \"messages\": [\"a\"]}\n"
		"{\"command\": \"fail\", \"ok\": false, \"error\": {\"message\": \"no device\", \"code\": \"ENODEV\", "
		"\"where\": \"a:2\"}}\n"
		"{\"command\": \"load a\", \"ok\": false, \"error\": {\"message\": \"No such device\", "
		"\"code\": \"ENODEV\"}}\n",
		"");
}

TEST(script_ends_at_quit_and_signal)
{
	struct app *app = *state;
	struct err e;
	char byte;

	MAKE("a", "say a\ninterrupt\nsay b\n");
	assert_int_equal(script(app, "a", false, &e), -EINTR);
	assert_string_equal(e.text, "a:2: interrupted");
	assert_int_equal(read(app->interrupt[0], &byte, 1), 1);
	MAKE("a", "quit\nsay b\n");
	app->quit = true;
	assert_int_equal(script(app, "a", false, &e), 0);
	out_check_printed(app->printed, "a\nRead CLI commands from a\n", "");
}

TEST(odd_lines)
{
	struct app *app = *state;
	char text[3 * LINE_BYTES], *to = text;
	struct err e;

	app->config.keep_going = true;
	to += sprintf(to, "say one\n");
	memset(to, 'x', LINE_BYTES); /* one more than fits */
	to += LINE_BYTES;
	to += sprintf(to, "\nsay two\n");
	memcpy(to, "say \0hidden\n", 12);
	to += 12;
	to += sprintf(to, "say thr\x01\x02\xff\n");
	make("a", text, (size_t)(to - text));
	assert_int_equal(script(app, "a", false, &e), -E2BIG);
	out_check_printed(app->printed,
		"one\nBad arguments\ntwo\nBad arguments\nthr\x01\x02\xff\nRead CLI commands from a\n",
		"a:2: the line is longer than 4095 bytes\na:4: column 5: the line has a NUL byte\n");
}

TEST(pipe_shows_prompt_and_line)
{
	struct app *app = *state;

	MAKE("in", "say one\n\nfail\n# c\r\nfoo\x1b[A\nsay two");
	assert_int_equal(run_on(app, "in"), 0);
	out_check_printed(app->printed,
		"zcfwd> say one\r\none\nzcfwd> \r\nzcfwd> fail\r\nzcfwd> # c\r\nzcfwd> foo?[A\r\nCommand not found\n"
		"zcfwd> say two\r\ntwo\nzcfwd> ",
		"no device\ncolumn 1: unknown command \"foo?[A\": expected load, quit, say, fail, silent or interrupt\n");
}

TEST(pipe_ends)
{
	struct app *app = *state;

	MAKE("in", "");
	assert_int_equal(run_on(app, "in"), 0);
	MAKE("in", "quit\nsay no\n");
	assert_int_equal(run_on(app, "in"), 0);
	app->quit = false;
	assert_int_equal(run_on(app, "."), -EISDIR);
	out_check_printed(app->printed, "zcfwd> zcfwd> quit\r\nzcfwd> ", "");
	assert_int_equal(app->prompts, 3);
}

TEST(pipe_ends_at_a_signal)
{
	struct app *app = *state;

	MAKE("in", "interrupt\nsay read already\n");
	assert_int_equal(run_on(app, "in"), 0);
	out_check_printed(app->printed, "zcfwd> interrupt\r\n", "");
}

TEST(pipe_in_json_has_objects_only)
{
	struct app *app = *state;

	out_format_set(app->printed->out, OUT_JSON);
	MAKE("in", "say one\n\n# c\nfoo\n");
	assert_int_equal(run_on(app, "in"), 0);
	fflush(app->printed->results_file);
	assert_true(out_check_json(app->printed->results));
	assert_int_equal(app->printed->results[0], '{');
}

TESTS(.before = setup, .after = teardown);
