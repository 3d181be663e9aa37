/* Parsing a line: which row it means, its arguments, and the message when it means none. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "fixtures/grammar_rows.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
setup(void **state)
{
	struct err e;

	err_clear(&e);
	*state = grammar_rows_new(&e);
	if (*state == NULL)
		print_error("%s\n", e.text);
	return *state == NULL;
}

static int
teardown(void **state)
{
	grammar_free(*state);
	return 0;
}

/* "row name=text/number ..." or "code verdict, column, word" into to. */
static void
describe(const struct grammar *g, const char *line, char *to, size_t size, struct err *e)
{
	const struct cmd_row *row;
	struct args args;
	unsigned int i;
	size_t n;
	int ret;

	err_clear(e);
	ret = grammar_parse(g, line, &row, &args, e);
	assert_int_equal(ret, -e->code);
	if (ret < 0) {
		snprintf(to, size, "%s %s, %d, %s", strerrorname_np(e->code), e->verdict, e->column,
			e->word);
		return;
	}
	n = (size_t)snprintf(to, size, "%s", row != NULL ? (const char *)row->data : "nothing");
	if (row != NULL)
		assert_ptr_equal(args.data, row->data);
	for (i = 0; i < args.n; i++) {
		const struct arg *a = &args.arg[i];

		n += (size_t)snprintf(to + n, size - n, " %s=%s/%llu", a->name, a->text,
			(unsigned long long)a->number);
		assert_int_equal(a->column >= 0 && a->column < (int)strlen(line), 1);
	}
}

static const struct good_case {
	const char *line, *want;
} good_cases[] = {
	{ "", "nothing" },
	{ " \t ", "nothing" },
	{ "# comment", "nothing" },
	{ "  # comment \"with a quote", "nothing" },
	{ "stop", "stop" },
	{ "  stop  ", "stop" },
	{ "\tstop\t# comment", "stop" },
	{ "stop #", "stop" },
	{ "stop\r\n", "stop" },
	{ "show port info 0", "show info=info/0 port=0/0" },
	{ "show   port\tstats  all", "show stats=stats/1 port=all/65535" },
	{ "show port 1 macs", "macs port=1/1" },
	/* shortened keywords */
	{ "sh po in 0", "show info=info/0 port=0/0" },
	{ "sh p st all", "show stats=stats/1 port=all/65535" },
	{ "sh c f", "config fwd=fwd/0" },
	{ "sto", "stop" },
	{ "star", "start" },
	{ "d all", "every" },
	{ "quitt 5", "quitter n=5/5" },
	{ "set fw io", "fwd engine=io/0" },
	{ "set prom 0 of", "promisc port=0/0 on=off/1" },
	/* exact before shortened */
	{ "set port 0 led on", "port port=0/0 on=on/0" },
	{ "set portl 0", "portlist ports=0/0" },
	/* numbers */
	{ "set burst 64", "burst n=64/64" },
	{ "set burst 1", "burst n=1/1" },
	{ "set burst 512", "burst n=512/512" },
	{ "set burst 0x40", "burst n=0x40/64" },
	{ "set burst 0X1fF", "burst n=0X1fF/511" },
	{ "set burst tx delay 0 retry 18446744073709551615",
		"delay us=0/0 n=18446744073709551615/18446744073709551615" },
	{ "set portmask f", "mask mask=f/15" },
	{ "set portmask 0xF0", "mask mask=0xF0/240" },
	{ "set portmask ffffffffffffffff", "mask mask=ffffffffffffffff/18446744073709551615" },
	/* optional tails */
	{ "start", "start" },
	{ "start tx_first", "start tx_first=tx_first/0" },
	{ "start tx_first 5", "start tx_first=tx_first/0 n=5/5" },
	{ "start tx 5", "start tx_first=tx_first/0 n=5/5" },
	{ "set fwd mac retry", "fwd engine=mac/1 retry=retry/0" },
	{ "retry", "retry" },
	{ "retry retry 5", "retry retry=5/5" },
	{ "retry retry 5 quick", "retry retry=5/5 quick=quick/0" },
	/* a keyword before an argument, an argument before a shortened keyword */
	{ "device all", "every" },
	{ "device al", "device name=al/0" },
	{ "device foo", "device name=foo/0" },
	{ "port config all rxq 4", "all rxq=rxq/0 n=4/4" },
	{ "port config all speed 10g", "one port=all/65535 speed=10g/0" },
	{ "port config al txq 4", "all txq=txq/1 n=4/4" },
	{ "port config 0 speed auto", "one port=0/0 speed=auto/0" },
	{ "twin 5", "twin1 a=5/5" },
	{ "range 15", "narrow n=15/15" },
	{ "range 150 1", "wide n=150/150 m=1/1" },
	/* quotes and the rest of the line */
	{ "\"stop\"", "stop" },
	{ "device \"a b\"", "device name=a b/0" },
	{ "device \"a \\\"b\\\" \\\\ \\n\"", "device name=a \"b\" \\ \\n/0" },
	{ "device \"\"", "device name=/0" },
	{ "device \"# no comment\"", "device name=# no comment/0" },
	{ "device a#b", "device name=a#b/0" },
	{ "device a\"b", "device name=a\"b/0" },
	{ "device a #b", "device name=a/0" },
	{ "device 0000:00:1f.6", "device name=0000:00:1f.6/0" },
	{ "echo hello", "echo words=hello/0" },
	{ "echo  hello   \"big\"  world  ", "echo words=hello   \"big\"  world/0" },
	{ "echo a b # c", "echo words=a b/0" },
	{ "echo \"a\" \"b\"", "echo words=\"a\" \"b\"/0" },
	{ "load /tmp/x", "load file=/tmp/x/0" },
	{ "device \xc3\xa9\xff", "device name=\xc3\xa9\xff/0" },
};

TEST(good_lines)
{
	char got[9000];
	struct err e;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good_cases); i++) {
		describe(*state, good_cases[i].line, got, sizeof(got), &e);
		assert_string_equal(got, good_cases[i].want);
	}
}

static const struct bad_case {
	const char *line, *want, *expected;
} bad_cases[] = {
	/* the first word */
	{ "foo", "ENOENT Command not found, 0, foo",
		"show, start, stop, set, port, load, quit, echo, retry, device, mute, range, twin or quitter" },
	{ "  foo bar", "ENOENT Command not found, 2, foo", NULL },
	{ "Stop", "ENOENT Command not found, 0, Stop", NULL },
	{ "stopp", "ENOENT Command not found, 0, stopp", NULL },
	{ "\"sto\"", "ENOENT Command not found, 0, sto", NULL },
	{ "\"\"", "ENOENT Command not found, 0, ", NULL },
	{ "\x01\x1b[A", "ENOENT Command not found, 0, \x01\x1b[A", NULL },
	{ "s", "ENOTUNIQ Command not found, 0, s", "show, start, stop or set" },
	{ "st", "ENOTUNIQ Command not found, 0, st", "start or stop" },
	{ "st tx_first", "ENOTUNIQ Command not found, 0, st", "start or stop" },
	/* lines that end too early */
	{ "show", "EINVAL Bad arguments, 4, ", "port or config" },
	{ "show port", "EINVAL Bad arguments, 9, ", "info, stats, summary or a port (0, 1, all)" },
	{ "show port  # ", "EINVAL Bad arguments, 9, ",
		"info, stats, summary or a port (0, 1, all)" },
	{ "show port info", "EINVAL Bad arguments, 14, ", "a port (0, 1, all)" },
	{ "set burst", "EINVAL Bad arguments, 9, ", "tx or a number 1..512" },
	{ "set burst tx delay 5", "EINVAL Bad arguments, 20, ", "retry" },
	{ "retry retry", "EINVAL Bad arguments, 11, ", "a number (retry)" },
	{ "echo", "EINVAL Bad arguments, 4, ", "text to the end of the line" },
	{ "load", "EINVAL Bad arguments, 4, ", "a file name" },
	{ "device", "EINVAL Bad arguments, 6, ", "all or a word" },
	/* words that do not fit */
	{ "show foo", "EINVAL Bad arguments, 5, foo", "port or config" },
	{ "show port foo", "ENODEV Bad arguments, 10, foo",
		"info, stats, summary or a port (0, 1, all)" },
	{ "show port info 2", "ENODEV Bad arguments, 15, 2", "a port (0, 1, all)" },
	{ "show port s 0", "ENOTUNIQ Bad arguments, 10, s", "stats or summary" },
	{ "set po 0", "ENOTUNIQ Bad arguments, 4, po", "port, portlist or portmask" },
	{ "set port 0,1", "ENODEV Bad arguments, 9, 0,1", "a port (0, 1, all)" },
	{ "set promisc 0 o", "ENOTUNIQ Bad arguments, 14, o", "on or off" },
	{ "set fwd foo", "EINVAL Bad arguments, 8, foo", "an engine (io, mac, macswap)" },
	{ "stop now", "EINVAL Bad arguments, 5, now", "the end of the line" },
	{ "quit 5", "EINVAL Bad arguments, 5, 5", "the end of the line" },
	{ "q", "ENOTUNIQ Command not found, 0, q", "quit or quitter" },
	{ "show port info 0 0", "EINVAL Bad arguments, 17, 0", "the end of the line" },
	{ "start 5", "EINVAL Bad arguments, 6, 5", "tx_first or the end of the line" },
	{ "retry quick", "EINVAL Bad arguments, 6, quick", "retry or the end of the line" },
	{ "port config 0 rxq 4", "EINVAL Bad arguments, 14, rxq", "speed" },
	{ "mute x", "EINVAL Bad arguments, 5, x", "ok" },
	/* numbers */
	{ "set burst 0", "ERANGE Bad arguments, 10, 0", "tx or a number 1..512" },
	{ "set burst 513", "ERANGE Bad arguments, 10, 513", NULL },
	{ "set burst 0x201", "ERANGE Bad arguments, 10, 0x201", NULL },
	{ "set burst 18446744073709551617", "ERANGE Bad arguments, 10, 18446744073709551617",
		NULL },
	{ "set burst tx delay 18446744073709551616 retry 1",
		"ERANGE Bad arguments, 19, 18446744073709551616", "a number" },
	{ "set burst -1", "ERANGE Bad arguments, 10, -1", NULL },
	{ "set burst +1", "EINVAL Bad arguments, 10, +1", NULL },
	{ "set burst 1.5", "EINVAL Bad arguments, 10, 1.5", NULL },
	{ "set burst 64k", "EINVAL Bad arguments, 10, 64k", NULL },
	{ "set burst 010", "EINVAL Bad arguments, 10, 010", NULL },
	{ "set burst 0x", "EINVAL Bad arguments, 10, 0x", NULL },
	{ "set burst x40", "EINVAL Bad arguments, 10, x40", NULL },
	{ "set burst \"\"", "EINVAL Bad arguments, 10, ", NULL },
	{ "set burst \" 5\"", "EINVAL Bad arguments, 10,  5", NULL },
	{ "set portmask 0x", "EINVAL Bad arguments, 13, 0x", "a hexadecimal number" },
	{ "set portmask fg", "EINVAL Bad arguments, 13, fg", NULL },
	{ "set portmask 10000000000000000", "ERANGE Bad arguments, 13, 10000000000000000", NULL },
	{ "range 50", "EINVAL Bad arguments, 6, 50", NULL },
	{ "range 5", "EINVAL Bad arguments, 6, 5", NULL },
	{ "range x", "EINVAL Bad arguments, 6, x", "a number 10..20 or a number 100..200" },
	{ "range 150", "EINVAL Bad arguments, 9, ", "a number" },
	/* quotes */
	{ "device \"a", "EINVAL Bad arguments, 7, \"a", NULL },
	{ "device \"", "EINVAL Bad arguments, 7, \"", NULL },
	{ "device \"a\\\"", "EINVAL Bad arguments, 7, \"a\\\"", NULL },
	{ "device \"a\"b", "EINVAL Bad arguments, 7, \"a\"b", NULL },
	{ "echo a \"b", "EINVAL Bad arguments, 7, \"b", NULL },
	{ "load \"\"", "EINVAL Bad arguments, 5, ", "a file name" },
};

TEST(bad_lines)
{
	char got[512];
	struct err e;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad_cases); i++) {
		const struct bad_case *c = &bad_cases[i];
		char at[32];

		describe(*state, c->line, got, sizeof(got), &e);
		assert_string_equal(got, c->want);
		if (c->expected != NULL)
			assert_string_equal(e.expected, c->expected);
		snprintf(at, sizeof(at), "column %d: ", e.column + 1);
		assert_memory_equal(e.text, at, strlen(at));
	}
}

static const struct text_case {
	const char *line, *text;
} text_cases[] = {
	{ "show port foo",
		"column 11: \"foo\" is no port: expected info, stats, summary or a port (0, 1, all)" },
	{ "set fwd macswop",
		"column 9: \"macswop\" is no engine; did you mean \"macswap\"? Expected an engine (io, mac, macswap)" },
	{ "sotp", "column 1: unknown command \"sotp\"; did you mean \"stop\"?" },
	{ "show prot info 0",
		"column 6: unknown keyword \"prot\" after \"show\"; did you mean \"port\"? Expected port or config" },
	{ "set promisc 0 offf",
		"column 15: unknown keyword \"offf\" after \"set promisc 0\"; did you mean \"off\"? Expected on or off" },
	{ "set promisc 0 onto",
		"column 15: unknown keyword \"onto\" after \"set promisc 0\"; did you mean \"on\"? Expected on or off" },
	{ "set promisc 0 yes",
		"column 15: unknown keyword \"yes\" after \"set promisc 0\": expected on or off" },
	{ "set promisc 0 o", "column 15: \"o\" is ambiguous: on, off" },
	{ "stop now", "column 6: unexpected argument \"now\": expected the end of the line" },
	{ "set burst -1", "column 11: -1 is below 1: expected tx or a number 1..512" },
	{ "set burst tx delay x retry 1", "column 20: \"x\" is not a number" },
	{ "stop --now", "column 6: \"--now\": commands have words, no options" },
	{ "show port",
		"column 10: incomplete command: expected info, stats, summary or a port (0, 1, all)" },
	{ "set burst 600", "column 11: 600 is above 512: expected tx or a number 1..512" },
	{ "set burst 0", "column 11: 0 is below 1: expected tx or a number 1..512" },
	{ "set burst x", "column 11: \"x\" is not a number: expected tx or a number 1..512" },
	{ "set burst 010",
		"column 11: \"010\" has a leading 0, which may mean octal; omit it: expected tx or a number 1..512" },
	{ "range 50",
		"column 7: unexpected argument \"50\": expected a number 10..20 or a number 100..200" },
	{ "mute x", "column 6: unexpected argument \"x\": expected ok" },
	/* a keyword of another command, and a value without its keyword */
	{ "echo", "column 5: incomplete command: expected text to the end of the line" },
	{ "show rxq 4",
		"column 6: unknown keyword \"rxq\" after \"show\": expected port or config" },
	{ "led",
		"column 1: unknown command \"led\"; did you mean \"set port <port> led (on|off)\"?" },
	{ "start 5",
		"column 7: unexpected argument \"5\" after \"start\"; did you mean \"tx_first 5\"? Expected tx_first or the end of the line" },
	{ "set burst tx 5",
		"column 14: unexpected argument \"5\" after \"set burst tx\"; did you mean \"delay 5\"? Expected delay" },
	{ "device \"a", "column 8: missing closing quote" },
	{ "device \"a\"b", "column 8: missing space after the closing quote" },
};

TEST(what_is_said)
{
	char got[512];
	struct err e;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(text_cases); i++) {
		describe(*state, text_cases[i].line, got, sizeof(got), &e);
		assert_string_equal(e.text, text_cases[i].text);
	}
}

TEST(long_lines)
{
	char line[LINE_BYTES + 10], got[LINE_BYTES + 100];
	struct err e;

	memset(line, 'x', sizeof(line));
	memcpy(line, "device ", 7);
	line[LINE_BYTES - 1] = '\0';
	describe(*state, line, got, sizeof(got), &e);
	assert_memory_equal(got, "device name=xxx", 15);
	line[LINE_BYTES - 1] = 'x';
	line[LINE_BYTES] = '\0';
	describe(*state, line, got, sizeof(got), &e);
	assert_int_equal(e.code, E2BIG);
	assert_string_equal(e.verdict, "Bad arguments");
	assert_string_equal(e.text, "the line is longer than 4095 bytes");
	/* one bad word of that length; many words */
	line[LINE_BYTES - 1] = '\0';
	line[6] = 'x';
	describe(*state, line, got, sizeof(got), &e);
	assert_int_equal(e.code, ENOENT);
	assert_int_equal(strlen(e.word), sizeof(e.word) - 1);
	memset(line, ' ', LINE_BYTES - 1);
	for (size_t i = 5; i < LINE_BYTES - 1; i += 2)
		line[i] = 'w';
	memcpy(line, "stop", 4);
	describe(*state, line, got, sizeof(got), &e);
	assert_string_equal(got, "EINVAL Bad arguments, 5, w");
	memcpy(line, "echo", 4);
	describe(*state, line, got, sizeof(got), &e);
	assert_memory_equal(got, "echo words=w w w ", 17);
}

TEST(lookups)
{
	const struct cmd_row *row;
	struct args args;
	struct err e;

	err_clear(&e);
	assert_int_equal(grammar_parse(*state, "set promisc 1 of", &row, &args, &e), 0);
	assert_int_equal(arg_u64(&args, "port", 9), 1);
	assert_string_equal(arg_str(&args, "on", "?"), "off");
	assert_true(arg_is(&args, "on", "off"));
	assert_false(arg_is(&args, "on", "on"));
	assert_false(arg_is(&args, "off", "off"));
	assert_true(arg_given(&args, "on"));
	assert_false(arg_given(&args, "promisc"));
	assert_null(arg_find(&args, "nothing"));
	assert_int_equal(arg_u64(&args, "nothing", 9), 9);
	assert_string_equal(arg_str(&args, "nothing", "?"), "?");
	assert_int_equal(arg_err(&args, "port", &e, ENODEV, "port %d is away", 1), -ENODEV);
	assert_int_equal(e.column, 12);
	assert_string_equal(e.word, "1");
	assert_string_equal(e.text, "port 1 is away");
	err_clear(&e);
	assert_int_equal(arg_err(&args, "nothing", &e, ENODEV, "x"), -ENODEV);
	assert_int_equal(e.column, -1);
}

TESTS(.setup = setup, .teardown = teardown);
