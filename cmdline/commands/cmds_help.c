/* help: topics, the rows of a topic, the rows that begin with given words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

struct search {
	struct out *out;
	const char *words; /* what is looked for; NULL: list the topics */
	const char *topic; /* topic whose head was shown last */
	unsigned int found;
};

static void
row_show(struct search *s, const struct cmd_table *t, const struct cmd_row *row)
{
	if (s->topic != t->topic) {
		s->topic = t->topic;
		out_text(s->out, "\n%s: %s\n\n", t->topic, t->title);
	}
	out_nest(s->out, NULL, OUT_OBJECT);
	out_str(s->out, "topic", NULL, t->topic);
	out_str(s->out, "syntax", "%s\n", row->syntax);
	out_str(s->out, "help", "    %s\n", row->help);
	if (row->example != NULL)
		out_str(s->out, "example", NULL, row->example);
	out_unnest(s->out);
	s->found++;
}

/*
 * True when every word of words begins the word of syntax at its place ("show po" and "show port
 * stats").
 */
static bool
begins(const char *syntax, const char *words)
{
	while (*words != '\0') {
		size_t n = strcspn(words, " ");

		if (strncmp(syntax, words, n) != 0)
			return false;
		words += n + strspn(words + n, " ");
		syntax += strcspn(syntax, " ");
		syntax += strspn(syntax, " ");
	}
	return true;
}

static void
list_topics(void *ctx, const struct cmd_table *t, const struct cmd_row *row)
{
	struct search *s = ctx;

	if (s->topic != NULL && strcmp(s->topic, t->topic) == 0)
		return;
	s->topic = t->topic;
	out_nest(s->out, NULL, OUT_OBJECT);
	out_str(s->out, "topic", "    help %-24s", t->topic);
	out_str(s->out, "title", " : %s\n", t->title);
	out_unnest(s->out);
}

static void
match_topic(void *ctx, const struct cmd_table *t, const struct cmd_row *row)
{
	struct search *s = ctx;

	if (strcmp(s->words, "all") == 0 || strcmp(s->words, t->topic) == 0)
		row_show(s, t, row);
}

static void
match_words(void *ctx, const struct cmd_table *t, const struct cmd_row *row)
{
	struct search *s = ctx;

	if (begins(row->syntax, s->words))
		row_show(s, t, row);
}

static int
help(struct app *app, const struct args *a, struct err *e)
{
	struct search s = { .out = app->out, .words = arg_str(a, "what", NULL) };

	out_nest(app->out, s.words != NULL ? "commands" : "topics", OUT_ARRAY);
	if (s.words == NULL) {
		out_text(app->out, "\nHelp is available for the following sections:\n\n");
		grammar_each(app->grammar, list_topics, &s);
		out_text(app->out,
			"    help all                      : All of the above sections.\n"
			"    help WORDS                    : Commands that begin with these words.\n\n"
			"At any place, ? shows what may come next and TAB completes it.\n\n");
	} else {
		grammar_each(app->grammar, match_topic, &s);
		if (s.found == 0)
			grammar_each(app->grammar, match_words, &s);
	}
	out_unnest(app->out);
	if (s.words != NULL && s.found == 0)
		return arg_err(a, "what", e, ENOENT,
			"no topic and no command is called \"%s\"; help lists the topics", s.words);
	if (s.words != NULL)
		out_text(app->out, "\n");
	return 0;
}

static const struct cmd_row rows[] = {
	{ "help [<what:text>]", help,
		"topics, the commands of a topic, or the commands that begin with given words",
		"help set fwd" },
};

const struct cmd_table cmds_help = { "control", "start, stop, scripts, leaving", rows,
	ARRAY_SIZE(rows) };
