/* help: topics, the rows of a topic, the rows that begin with given words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/out.h"
#include "base/text.h"
#include "cmdline/commands/help_names.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/grammar/grammar_usage.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A word that more commands begin with is a verb, as "set": only those are shown. */
#define VERB 24

struct search {
	struct out *out;
	const char *words; /* what is looked for; NULL: list the topics */
	const char *topic; /* topic whose head was shown last */
	unsigned int found;
	unsigned int begun; /* commands that begin with the words */
};

static void
row_show(struct search *s, const struct cmd_table *t, const struct cmd_row *row)
{
	struct text usage = { 0 };

	if (s->topic != t->topic) {
		s->topic = t->topic;
		out_text(s->out, "\n%s: %s\n\n", t->topic, t->title);
	}
	out_nest(s->out, NULL, OUT_OBJECT);
	out_str(s->out, "topic", NULL, t->topic);
	grammar_usage(row->syntax, &usage);
	out_str(s->out, "syntax", NULL, row->syntax);
	out_str(s->out, "usage", "%s\n", usage.bytes);
	free(usage.bytes);
	out_str(s->out, "help", "    %s\n", row->help);
	if (row->example != NULL)
		out_str(s->out, "example", NULL, row->example);
	out_unnest(s->out);
	s->found++;
}

/* True when n bytes of word begin this word of a usage, one of its choices, or may be its argument. */
static bool
word_begins(const char *usage, const char *word, size_t n)
{
	const char *end = usage + strcspn(usage, " ");

	usage += strspn(usage, "[(");
	while (usage < end) {
		if (*usage == '<' || strncmp(usage, word, n) == 0)
			return true;
		usage += strcspn(usage, "| ") + 1;
	}
	return false;
}

/*
 * True when every word of words begins the word of the usage at its place ("show po" and "show port
 * stats").
 */
static bool
begins(const char *usage, const char *words)
{
	while (*words != '\0') {
		size_t n = strcspn(words, " ");

		if (!word_begins(usage, words, n))
			return false;
		words += n + strspn(words + n, " ");
		usage += strcspn(usage, " ");
		usage += strspn(usage, " ");
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

/* True when a usage begins with the words. */
static bool
usage_begins(const struct cmd_row *row, const char *words)
{
	struct text usage = { 0 };
	bool yes;

	grammar_usage(row->syntax, &usage);
	yes = usage.bytes != NULL && begins(usage.bytes, words);
	free(usage.bytes);
	return yes;
}

static void
count_begun(void *ctx, const struct cmd_table *t, const struct cmd_row *row)
{
	struct search *s = ctx;

	s->begun += usage_begins(row, s->words);
}

/* True when word stands in a text between two characters of edges, or at its ends. */
static bool
has_word(const char *text, const char *word, const char *edges)
{
	const size_t n = strlen(word);

	for (const char *at = text; *at != '\0'; at++)
		if (strncasecmp(at, word, n) == 0 &&
			(at == text || strchr(edges, at[-1]) != NULL) &&
			strchr(edges, at[n]) != NULL)
			return true;
	return false;
}

static void
match(void *ctx, const struct cmd_table *t, const struct cmd_row *row)
{
	struct search *s = ctx;

	if (strcmp(s->words, "all") == 0 || strcmp(s->words, t->topic) == 0 ||
		usage_begins(row, s->words) ||
		(s->begun <= VERB && has_word(row->syntax, s->words, " ()|[]_-")))
		row_show(s, t, row);
}

static void
match_help(void *ctx, const struct cmd_table *t, const struct cmd_row *row)
{
	struct search *s = ctx;

	if (has_word(row->help, s->words, " ,.;:()"))
		row_show(s, t, row);
}

/* What a word means here: testpmd's topics, and words that no command has. */
static const char *
meant_by(const char *words)
{
	static const char *const names[][2] = {
		{ "devices", "device" },
		{ "filters", "flow" },
		{ "traffic_management", "tm" },
		{ "descriptor", "rxd" },
		{ "descriptors", "rxd" },
		{ "generate", "txonly" },
		{ "generator", "txonly" },
		{ "guest", "vhost" },
		{ "packet size", "txpkts" },
		{ "plot", "record" },
		{ "queues", "rxq" },
		{ "recycling", "recycle" },
		{ "tap", "attach" },
		{ "ttl", "l3fwd" },
	};

	for (size_t i = 0; words != NULL && i < ARRAY_SIZE(names); i++)
		if (strcasecmp(names[i][0], words) == 0)
			return names[i][1];
	return words;
}

static void
topics_show(struct search *s, const struct grammar *g)
{
	out_text(s->out, "\nHelp is available for the following sections:\n\n");
	grammar_each(g, list_topics, s);
	out_text(s->out,
		"    help all                      : All of the above sections.\n"
		"    help WORDS                    : Commands that begin with these words, or have them.\n"
		"    help NAME                     : An engine or a setting, and commands about it.\n\n"
		"At any place, ? shows what may come next and TAB completes it.\n\n");
}

static int
help(struct app *app, const struct args *a, struct err *e)
{
	struct search s = { .out = app->out, .words = meant_by(arg_str(a, "what", NULL)) };
	bool named = false;

	if (s.words != NULL)
		named = help_names_show(app, s.words);
	out_nest(app->out, s.words != NULL ? "commands" : "topics", OUT_ARRAY);
	if (s.words == NULL) {
		topics_show(&s, app->grammar);
	} else {
		grammar_each(app->grammar, count_begun, &s);
		grammar_each(app->grammar, match, &s);
		if (s.found == 0 && !named)
			grammar_each(app->grammar, match_help, &s);
	}
	out_unnest(app->out);
	if (s.words != NULL && s.found == 0 && !named)
		return help_names_err(app, a, s.words, e);
	if (s.words != NULL)
		out_text(app->out, "\n");
	return 0;
}

static const struct cmd_row rows[] = {
	{ "help [<what:text>]", help,
		"topics, the commands of a topic, an engine or a setting by its name, or the commands that begin with given words, or have them",
		"help set fwd" },
};

const struct cmd_table cmds_help = { "control", "start, stop, scripts, leaving", rows,
	ARRAY_SIZE(rows) };
