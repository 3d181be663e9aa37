/* The output layer: exact text, one JSON object per command, where failures go. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/out.h"

#include "base/err.h"
#include "base/out_aside.h"
#include "fixtures/out_check.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* One of everything, as a handler prints it. */

static void
say_everything(struct out *o)
{
	out_text(o, "  %s\n", "####");
	out_u64(o, "packets", "RX-packets: %-10" PRIu64, 5);
	out_u64(o, "largest", " %" PRIu64 "\n", UINT64_MAX);
	out_i64(o, "least", "%" PRId64 "\n", INT64_MIN);
	out_f64(o, "mean", "%.2f\n", 2.5);
	out_str(o, "name", "%-12s|\n", "net_null0");
	out_bool(o, "up", "Link status: %s\n", true, "up", "down");
	out_u64(o, "hidden", NULL, 7);
	out_u64(o, NULL, "text only %" PRIu64 "\n", 8);
	out_say(o, "Done\n");
	out_warn(o, "careful: %d\n", 3);
}

static void
text_is_what_printf_makes(void **state)
{
	struct out_check *f = *state;

	out_begin(f->out, "anything");
	say_everything(f->out);
	out_end(f->out, NULL, NULL);
	out_check_printed(f,
		"  ####\n"
		"RX-packets: 5          18446744073709551615\n"
		"-9223372036854775808\n"
		"2.50\n"
		"net_null0   |\n"
		"Link status: up\n"
		"text only 8\n"
		"Done\n",
		"careful: 3\n");
}

static void
json_is_one_line(void **state)
{
	struct out_check *f = *state;

	out_format_set(f->out, OUT_JSON);
	out_begin(f->out, "any \"thing\"");
	say_everything(f->out);
	out_end(f->out, NULL, NULL);
	out_check_printed(f,
		"{\"command\": \"any \\\"thing\\\"\", \"ok\": true, \"packets\": 5, \"largest\": 18446744073709551615, "
		"\"least\": -9223372036854775808, \"mean\": 2.5, \"name\": \"net_null0\", \"up\": true, \"hidden\": 7, "
		"\"messages\": [\"Done\"], \"warnings\": [\"careful: 3\"]}\n",
		"");
}

static void
json_of_nothing(void **state)
{
	struct out_check *f = *state;

	out_format_set(f->out, OUT_JSON);
	out_begin(f->out, "stop");
	out_end(f->out, NULL, NULL);
	out_check_printed(f, "{\"command\": \"stop\", \"ok\": true}\n", "");
}

static struct err
failure(void)
{
	struct err e;

	err_clear(&e);
	err_set(&e, EINVAL, "column 11: \"foo\" is no port: expected 0, 1 or all");
	e.verdict = "Bad arguments";
	e.column = 10;
	strcpy(e.word, "foo");
	strcpy(e.expected, "0, 1 or all");
	return e;
}

static void
failure_in_text(void **state)
{
	struct out_check *f = *state;
	struct err e = failure();

	out_begin(f->out, "show port foo");
	out_end(f->out, &e, NULL);
	out_check_printed(f, "Bad arguments\n",
		"column 11: \"foo\" is no port: expected 0, 1 or all\n");
}

/* Both on one file, as on a terminal: what was printed first stands first. */
static void
results_come_before_failures(void **state)
{
	struct err e = failure();
	FILE *file = tmpfile(), *results = fdopen(dup(fileno(file)), "w"),
	     *failures = fdopen(dup(fileno(file)), "w");
	struct out *o = out_open(results, failures);
	char got[256] = "";

	setvbuf(failures, NULL, _IONBF, 0);
	out_begin(o, "x");
	out_say(o, "one\n");
	out_warn(o, "two\n");
	out_say(o, "three\n");
	out_end(o, &e, NULL);
	out_prompt(o, "> ");
	rewind(file);
	assert_true(fread(got, 1, sizeof(got) - 1, file) > 0);
	assert_string_equal(got,
		"one\ntwo\nthree\nBad arguments\n"
		"column 11: \"foo\" is no port: expected 0, 1 or all\n> ");
	out_close(o);
	fclose(results);
	fclose(failures);
	fclose(file);
}

/*
 * What could not be written is told of once; a full disk may have room again, a reader does not
 * come back.
 */
static void
unwritten(void **state)
{
	for (int full = 0; full < 2; full++) {
		FILE *failures = tmpfile(), *results;
		char got[256] = "", expected[256];
		int ends[2], error;
		struct out *o;

		assert_int_equal(pipe(ends), 0);
		close(ends[0]);
		results = full ? fopen("/dev/full", "w") : fdopen(ends[1], "w");
		o = out_open(results, failures);
		out_prompt(o, "%s", "");
		assert_false(out_gone(o));
		for (int i = 0; i < 2; i++) {
			out_begin(o, "x");
			out_say(o, "one\n");
			out_end(o, NULL, NULL);
			assert_int_equal(out_gone(o), !full);
		}
		error = out_close(o);
		assert_int_equal(error, full ? ENOSPC : EPIPE);
		snprintf(expected, sizeof(expected), "zcfwd: results could not be written: %s\n",
			strerror(error));
		rewind(failures);
		assert_true(fread(got, 1, sizeof(got) - 1, failures) > 0);
		assert_string_equal(got, expected);
		fclose(results);
		fclose(failures);
		if (full)
			close(ends[1]);
	}
}

static void
failure_in_a_script(void **state)
{
	struct out_check *f = *state;
	struct err e = failure();

	e.verdict = NULL;
	out_begin(f->out, "show port foo");
	out_end(f->out, &e, "run.txt:3");
	out_check_printed(f, "",
		"run.txt:3: column 11: \"foo\" is no port: expected 0, 1 or all\n");
}

static void
failure_in_json(void **state)
{
	struct out_check *f = *state;
	struct err e = failure();

	out_format_set(f->out, OUT_JSON);
	out_begin(f->out, "show port foo");
	out_end(f->out, &e, "run.txt:3");
	out_check_printed(f,
		"{\"command\": \"show port foo\", \"ok\": false, \"error\": {\"message\": \"column 11: \\\"foo\\\" is no port: "
		"expected 0, 1 or all\", \"code\": \"EINVAL\", \"verdict\": \"Bad arguments\", \"column\": 11, "
		"\"word\": \"foo\", \"expected\": \"0, 1 or all\", \"where\": \"run.txt:3\"}}\n",
		"");
}

static void
failure_shown_already(void **state)
{
	struct out_check *f = *state;
	struct err e;

	err_clear(&e);
	e.code = ENODEV;
	out_begin(f->out, "load x");
	out_end(f->out, &e, NULL);
	out_check_printed(f, "", "");
	out_format_set(f->out, OUT_JSON);
	out_begin(f->out, "load x");
	out_end(f->out, &e, NULL);
	out_check_printed(f,
		"{\"command\": \"load x\", \"ok\": false, \"error\": {\"message\": \"No such device\", \"code\": \"ENODEV\"}}\n",
		"");
}

static void
no_failure_in_a_cleared_err(void **state)
{
	struct out_check *f = *state;
	struct err e;

	err_clear(&e);
	out_format_set(f->out, OUT_JSON);
	out_begin(f->out, "x");
	out_end(f->out, &e, NULL);
	out_check_printed(f, "{\"command\": \"x\", \"ok\": true}\n", "");
}

static void
unknown_code_is_a_number(void **state)
{
	struct out_check *f = *state;
	struct err e;

	err_clear(&e);
	err_set(&e, 12345, "odd");
	out_format_set(f->out, OUT_JSON);
	out_begin(f->out, "x");
	out_end(f->out, &e, NULL);
	out_check_printed(f,
		"{\"command\": \"x\", \"ok\": false, \"error\": {\"message\": \"odd\", \"code\": 12345}}\n",
		"");
}

static void
messages_bring_no_escapes_to_a_terminal(void **state)
{
	struct out_check *f = *state;
	struct err e;

	err_clear(&e);
	err_set(&e, EINVAL, "\"\x1b[2J\x07\x7f\" is no port");
	out_begin(f->out, "x");
	out_end(f->out, &e, NULL);
	out_check_printed(f, "", "\"?[2J??\" is no port\n");
}

static void
commands_inside_a_command_come_first(void **state)
{
	struct out_check *f = *state;

	out_format_set(f->out, OUT_JSON);
	out_begin(f->out, "load x");
	out_say(f->out, "before");
	out_begin(f->out, "stop");
	out_say(f->out, "\nin\nside\n\n");
	out_end(f->out, NULL, NULL);
	out_say(f->out, "after");
	out_say(f->out, "\n");
	out_end(f->out, NULL, NULL);
	out_check_printed(f,
		"{\"command\": \"stop\", \"ok\": true, \"messages\": [\"in\\nside\"]}\n"
		"{\"command\": \"load x\", \"ok\": true, \"messages\": [\"before\", \"after\"]}\n",
		"");
}

/* In text what is to be said last stands behind the failure, wherever both go. */
static void
last_behind_the_failure(void **state)
{
	struct out_check *f = *state;
	struct err e = { .code = EBUSY, .text = "busy", .column = -1 };
	FILE *both = tmpfile();
	struct out *o;
	char text[64];
	size_t n;

	assert_non_null(both);
	o = out_open(both, both);
	out_begin(o, "port start all");
	out_say_last(o, "Done\n");
	out_say(o, "Starting\n");
	out_end(o, &e, NULL);
	out_say_last(o, "between\n");
	out_begin(o, "stop");
	out_say(o, "next\n");
	out_end(o, NULL, NULL);
	rewind(both);
	n = fread(text, 1, sizeof(text) - 1, both);
	text[n] = '\0';
	assert_string_equal(text, "Starting\nbusy\nDone\nbetween\nnext\n");
	out_close(o);
	fclose(both);
	out_format_set(f->out, OUT_JSON);
	out_begin(f->out, "x");
	out_say_last(f->out, "Done\n");
	out_end(f->out, &e, NULL);
	out_check_printed(f,
		"{\"command\": \"x\", \"ok\": false, \"messages\": [\"Done\"], \"error\": {\"message\": \"busy\", "
		"\"code\": \"EBUSY\"}}\n",
		"");
}

static void
between_commands(void **state)
{
	struct out_check *f = *state;

	out_format_set(f->out, OUT_JSON);
	out_say(f->out, "Port 0: link state change event\n");
	out_warn(f->out, "hm");
	out_text(f->out, "nothing");
	out_u64(f->out, "v", NULL, 1);
	out_nest(f->out, "period", OUT_OBJECT);
	out_u64(f->out, "v", NULL, 2);
	out_say(f->out, "inside");
	out_unnest(f->out);
	out_unnest(f->out);
	out_check_printed(f,
		"{\"messages\": [\"Port 0: link state change event\"]}\n"
		"{\"warnings\": [\"hm\"]}\n"
		"{\"v\": 1}\n"
		"{\"period\": {\"v\": 2, \"messages\": \"inside\"}}\n",
		"");
}

static void
format_changes_with_the_next_command(void **state)
{
	struct out_check *f = *state;

	out_begin(f->out, "set output json");
	out_format_set(f->out, OUT_JSON);
	assert_int_equal(out_format(f->out), OUT_TEXT);
	out_say(f->out, "Done\n");
	out_end(f->out, NULL, NULL);
	assert_int_equal(out_format(f->out), OUT_JSON);
	out_begin(f->out, "set output text");
	out_format_set(f->out, OUT_TEXT);
	out_say(f->out, "Done\n");
	out_end(f->out, NULL, NULL);
	assert_int_equal(out_format(f->out), OUT_TEXT);
	out_check_printed(f,
		"Done\n{\"command\": \"set output text\", \"ok\": true, \"messages\": [\"Done\"]}\n",
		"");
}

static void
prompts_are_printed_in_both(void **state)
{
	struct out_check *f = *state;

	out_prompt(f->out, "%s> ", "zcfwd");
	out_format_set(f->out, OUT_JSON);
	out_prompt(f->out, "%s> ", "zcfwd");
	fflush(f->results_file);
	assert_string_equal(f->results, "zcfwd> zcfwd> ");
}

/* Whatever bytes come, the line is valid. */

/*
 * Somebody else is answered while a command runs, in the other format, within objects and lists; then the
 * command goes on where it stood. What that one chose with "set output" is returned, and is no one else's.
 */
static void
aside(void **state)
{
	static const struct {
		enum out_format own, other;
		const char *asides, *all;
	} rows[] = {
		{ OUT_JSON, OUT_TEXT, "two 2\nfailed\n",
			"{\"command\": \"long\", \"ok\": true, \"list\": [{\"one\": 1, \"three\": 3}]}\n" },
		{ OUT_TEXT, OUT_JSON,
			"{\"command\": \"short\", \"ok\": false, \"two\": 2, \"error\": {\"message\": \"failed\", \"code\": \"EBUSY\"}}\n",
			"one 1\nthree 3\n" },
	};
	struct out_check *f = *state, other;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct out_aside *set;
		struct err e;

		assert_true(out_check_open(&other));
		err_clear(&e);
		err_set(&e, EBUSY, "failed");
		out_format_set(f->out, rows[i].own);
		out_begin(f->out, "long");
		out_nest(f->out, "list", OUT_ARRAY);
		out_nest(f->out, NULL, OUT_OBJECT);
		out_u64(f->out, "one", "one %" PRIu64 "\n", 1);
		set = out_aside_begin(f->out,
			&(struct out_reader){ .results = other.results_file,
				.failures = other.results_file,
				.format = rows[i].other });
		assert_non_null(set);
		out_begin(f->out, "short");
		out_u64(f->out, "two", "two %" PRIu64 "\n", 2);
		out_format_set(f->out, rows[i].own);
		out_end(f->out, &e, NULL);
		assert_int_equal(out_aside_end(f->out, set), rows[i].own);
		assert_int_equal(out_format(f->out), rows[i].own);
		out_u64(f->out, "three", "three %" PRIu64 "\n", 3);
		out_unnest(f->out);
		out_unnest(f->out);
		out_end(f->out, NULL, NULL);
		assert_string_equal(out_check_results(&other), rows[i].asides);
		assert_string_equal(out_check_results(f), rows[i].all);
		out_check_close(&other);
	}
}

#define OUT_TEST(name) cmocka_unit_test_setup_teardown(name, out_check_setup, out_check_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		OUT_TEST(text_is_what_printf_makes),
		OUT_TEST(json_is_one_line),
		OUT_TEST(json_of_nothing),
		OUT_TEST(failure_in_text),
		OUT_TEST(results_come_before_failures),
		OUT_TEST(unwritten),
		OUT_TEST(failure_in_a_script),
		OUT_TEST(failure_in_json),
		OUT_TEST(failure_shown_already),
		OUT_TEST(no_failure_in_a_cleared_err),
		OUT_TEST(unknown_code_is_a_number),
		OUT_TEST(messages_bring_no_escapes_to_a_terminal),
		OUT_TEST(commands_inside_a_command_come_first),
		OUT_TEST(last_behind_the_failure),
		OUT_TEST(between_commands),
		OUT_TEST(format_changes_with_the_next_command),
		OUT_TEST(prompts_are_printed_in_both),
		OUT_TEST(aside),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
