/* Completion: which words, hints and files are offered at the cursor. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/grammar_offer.h"

#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "fixtures/cases.h"
#include "fixtures/grammar_rows.h"
#include "fixtures/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int
words_offered(const char *line, char *to, size_t size, struct err *e)
{
	struct offers o;
	size_t n;

	grammar_offer(grammar_made, line, &o);
	n = (size_t)snprintf(to, size, "%s|", o.prefix);
	for (size_t i = 0; i < o.n; i++) {
		n += (size_t)snprintf(to + n, size - n, "%s%s%s", i > 0 ? " " : "", o.items[i].word,
			o.items[i].final ? "" : "+");
		assert_int_equal(o.items[i].hint, o.items[i].word[0] == '<');
	}
	snprintf(to + n, size - n, "|%s%s", o.complete ? "RETURN" : "", o.literal ? "\"" : "");
	/* The prefix is a word of the line, and may be in quotes. */
	if (o.n > 0) {
		const char *at = line + o.prefix_at;

		assert_true(at == line || at[-1] == ' ');
		assert_true(*o.prefix == '\0' || at[*at == '"'] == *o.prefix);
	}
	offers_free(&o);
	return 0;
}

static int
help_offered(const char *line, char *to, size_t size, struct err *e)
{
	struct offers o;
	size_t n = 0;

	grammar_offer(grammar_made, line, &o);
	for (size_t i = 0; i < o.n; i++)
		n += (size_t)snprintf(to + n, size - n, "%s%s (%s)", i > 0 ? ", " : "",
			o.items[i].word, o.items[i].help);
	offers_free(&o);
	return 0;
}

CASES("cmdline/grammar/grammar_offer", { "words", words_offered }, { "help", help_offered })

static void
touch(const char *folder, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	close(open(path, O_CREAT | O_WRONLY, 0600));
}

TEST(files)
{
	char folder[] = "/tmp/grammar_offer_test.XXXXXX", line[256], expected[256];
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
	snprintf(expected, sizeof(expected), "%s/bee", folder);
	assert_string_equal(o.items[0].word, expected);
	assert_true(o.items[0].final);
	snprintf(expected, sizeof(expected), "%s/bees/", folder);
	assert_string_equal(o.items[1].word, expected);
	assert_false(o.items[1].final);
	offers_free(&o);

	snprintf(line, sizeof(line), "load %s/.", folder);
	grammar_offer(*state, line, &o);
	assert_int_equal(o.n, 3); /* . and .. too */
	offers_free(&o);

	snprintf(line, sizeof(line), "rm -r %s", folder);
	assert_int_equal(system(line), 0);
}

TESTS(.setup = grammar_rows_begin, .teardown = grammar_rows_end);
