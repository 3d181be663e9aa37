/* Completion: which words, hints and files are offered at the cursor. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/grammar_offer.h"

#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "fixtures/grammar_rows.h"
#include "fixtures/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int
setup(void **state)
{
	struct err e;

	*state = grammar_rows_new(&e);
	return *state == NULL;
}

static int
teardown(void **state)
{
	grammar_free(*state);
	return 0;
}

static const struct offer_case {
	const char *line;
	size_t prefix_at;
	const char *want; /* "prefix|words|" and RETURN; a word that no space follows ends in a + */
} offer_cases[] = {
	{ "", 0, "|device echo load mute port quit quitter range retry set show start stop twin|" },
	{ "  ", 2,
		"|device echo load mute port quit quitter range retry set show start stop twin|" },
	{ "s", 0, "s|set show start stop|" },
	{ "st", 0, "st|start stop|" },
	{ "sto", 0, "sto|stop|RETURN" },
	{ "stop", 0, "stop|stop|RETURN" },
	{ "stop ", 5, "||RETURN" },
	{ "stop now", 5, "now||" },
	{ "stopx", 0, "stopx||" },
	{ "start ", 6, "|tx_first|RETURN" },
	{ "start tx_first ", 15, "|<n>+|RETURN" },
	{ "start tx_first 5", 15, "5|<n>+|RETURN" },
	{ "start tx_first 5 ", 17, "||RETURN" },
	{ "show p", 5, "p|port|" },
	{ "sh po ", 6, "|0 1 all info stats summary|" },
	{ "show port s", 10, "s|stats summary|" },
	{ "load /nonexistent/x", 5, "/nonexistent/x|<file>+|RETURN" },
	{ "load /nonexistent/", 5, "/nonexistent/|<file>+|" },
	{ "show port 7", 10, "7||" },
	{ "show port all ", 14, "|led macs|" },
	{ "show port info a", 15, "a|all|" },
	{ "show port info al", 15, "al|all|" },
	{ "st ", 3, "||" },
	{ "foo ", 4, "||" },
	{ "set burst ", 10, "|tx <n>+|" },
	{ "set burst 6", 10, "6|<n>+|RETURN" },
	{ "set burst t", 10, "t|tx <n>+|" },
	{ "set fwd m", 8, "m|mac macswap|" },
	{ "set fwd mac", 8, "mac|mac macswap|RETURN" },
	{ "set fwd mac ", 12, "|retry|RETURN" },
	{ "set promisc 0 o", 14, "o|off on|" },
	{ "device ", 7, "|all <name>+|" },
	{ "device \"a", 7, "a|all <name>+|" },
	{ "device \"a\"", 7, "a|all <name>+|RETURN" },
	{ "device a # ", 0, "||" },
	{ "device \"a\"b", 0, "||" },
	{ "echo a b", 7, "b|<words>+|RETURN" },
	{ "port config all ", 16, "|rxq speed txq|" },
	{ "port config 0 ", 14, "|speed|" },
	{ "range 150 ", 10, "|<m>+|" },
	{ "range 15 ", 9, "||RETURN" },
};

TEST(words)
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(offer_cases); i++) {
		const struct offer_case *c = &offer_cases[i];
		char got[512];
		struct offers o;
		size_t n;

		grammar_offer(*state, c->line, &o);
		n = (size_t)snprintf(got, sizeof(got), "%s|", o.prefix);
		for (j = 0; j < o.n; j++) {
			n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%s%s", j > 0 ? " " : "",
				o.items[j].word, o.items[j].final ? "" : "+");
			assert_int_equal(o.items[j].hint, o.items[j].word[0] == '<');
		}
		snprintf(got + n, sizeof(got) - n, "|%s", o.complete ? "RETURN" : "");
		if (strcmp(got, c->want) != 0)
			fail_msg("\"%s\": %s, expected %s", c->line, got, c->want);
		if (o.n > 0)
			assert_int_equal(o.prefix_at, c->prefix_at);
		offers_free(&o);
	}
}

static const struct help_case {
	const char *line, *word, *help;
} help_cases[] = {
	{ "", "stop", "help of stop" },
	{ "", "set", "burst, fwd, promisc, port, portlist, entries, lists, portmask, eth-peer" },
	{ "set ", "burst", "<n>, tx" },
	{ "show ", "port", "info, stats, summary, <port>" },
	{ "show ", "config", "help of config" },
	{ "show port ", "info", "help of show" },
	{ "show port ", "0", "net_null0" },
	{ "set burst ", "<n>", "a number 1..512" },
	{ "load /nonexistent/", "<file>", "a file name" },
};

TEST(help)
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(help_cases); i++) {
		struct offers o;

		grammar_offer(*state, help_cases[i].line, &o);
		for (j = 0; j < o.n && strcmp(o.items[j].word, help_cases[i].word) != 0; j++)
			;
		assert_true(j < o.n);
		assert_string_equal(o.items[j].help, help_cases[i].help);
		offers_free(&o);
	}
}

static const struct literal_case {
	const char *line;
	bool literal;
} literal_cases[] = {
	{ "", false },
	{ "device ", false },
	{ "device \"", true },
	{ "device \"a b", true },
	{ "device \"a\"", false },
	{ "device \"a\\\"", true },
	{ "device a\"", false },
	{ "#", true },
	{ "stop # wh", true },
	{ "device a#", false },
};

TEST(literal)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(literal_cases); i++) {
		struct offers o;

		grammar_offer(*state, literal_cases[i].line, &o);
		if (o.literal != literal_cases[i].literal)
			fail_msg("\"%s\"", literal_cases[i].line);
		offers_free(&o);
	}
}

static void
touch(const char *folder, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	close(open(path, O_CREAT | O_WRONLY, 0600));
}

TEST(files)
{
	char folder[] = "/tmp/grammar_offer_test.XXXXXX", line[256], want[256];
	struct offers o;

	assert_non_null(mkdtemp(folder));
	touch(folder, "bee");
	touch(folder, "beetle");
	touch(folder, ".hidden");
	snprintf(line, sizeof(line), "%s/bees", folder);
	mkdir(line, 0700);

	snprintf(line, sizeof(line), "load %s/be", folder);
	grammar_offer(*state, line, &o);
	assert_int_equal(o.n, 3);
	snprintf(want, sizeof(want), "%s/bee", folder);
	assert_string_equal(o.items[0].word, want);
	assert_true(o.items[0].final);
	snprintf(want, sizeof(want), "%s/bees/", folder);
	assert_string_equal(o.items[1].word, want);
	assert_false(o.items[1].final);
	offers_free(&o);

	snprintf(line, sizeof(line), "load %s/.", folder);
	grammar_offer(*state, line, &o);
	assert_int_equal(o.n, 3); /* . and .. too */
	offers_free(&o);

	snprintf(line, sizeof(line), "rm -r %s", folder);
	assert_int_equal(system(line), 0);
}

TESTS(.setup = setup, .teardown = teardown);
