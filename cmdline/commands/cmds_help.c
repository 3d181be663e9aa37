/* help: topics, the commands of a topic, and what is found for words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/out.h"
#include "base/text.h"
#include "cmdline/commands/help_names.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/grammar/grammar_usage.h"
#include "cmdline/grammar/synonyms.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A word that more commands begin with is a verb, such as "set": only those are shown. */
#define VERB 24

struct search {
	struct out *out;
	const char *words[2]; /* what is searched for: as typed, and what is meant by it or NULL */
	const char *topic;    /* topic whose head was shown last */
	unsigned int found, also;
	unsigned int begun[2]; /* commands that begin with the words */
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

/* True when a word of a usage, or one of its choices, begins with n bytes of word, or is an argument. */
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

/* True when each word of the usage begins with the word at its place ("show po": show port stats). */
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

struct topics {
	struct out *out;
	const char *seen[64];
	unsigned int n;
};

/* A topic may have several tables: the title of the first one counts. */
static void
list_topics(void *ctx, const struct cmd_table *t, const struct cmd_row *row)
{
	struct topics *s = ctx;

	for (unsigned int i = 0; i < s->n; i++)
		if (strcmp(s->seen[i], t->topic) == 0)
			return;
	if (s->n == ARRAY_SIZE(s->seen))
		return;
	s->seen[s->n++] = t->topic;
	out_nest(s->out, NULL, OUT_OBJECT);
	out_str(s->out, "topic", "    help %-24s", t->topic);
	out_str(s->out, "title", " : %s\n", t->title);
	out_unnest(s->out);
}

static void
count_begun(void *ctx, const struct cmd_table *t, const struct cmd_row *row)
{
	struct search *s = ctx;
	struct text usage = { 0 };

	grammar_usage(row->syntax, &usage);
	for (size_t i = 0; i < ARRAY_SIZE(s->words) && usage.bytes != NULL; i++)
		s->begun[i] += s->words[i] != NULL && begins(usage.bytes, s->words[i]);
	free(usage.bytes);
}

/* True when text has word, between two characters of edges or at an end of the text. */
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

/* True when a command is shown in full: by its topic, or by words of its own. */
static bool
is_shown(const struct search *s, const struct cmd_table *t, const struct cmd_row *row)
{
	struct text usage = { 0 };
	bool yes = false;

	grammar_usage(row->syntax, &usage);
	for (size_t i = 0; i < ARRAY_SIZE(s->words) && s->words[i] != NULL && usage.bytes != NULL;
		i++)
		yes |= strcmp(s->words[i], "all") == 0 || strcmp(s->words[i], t->topic) == 0 ||
			begins(usage.bytes, s->words[i]) ||
			(s->begun[i] <= VERB && has_word(usage.bytes, s->words[i], " ()|[]_-"));
	free(usage.bytes);
	return yes;
}

static void
match(void *ctx, const struct cmd_table *t, const struct cmd_row *row)
{
	struct search *s = ctx;

	if (is_shown(s, t, row))
		row_show(s, t, row);
}

/* Commands that only mention the words, a line each. */
static void
match_help(void *ctx, const struct cmd_table *t, const struct cmd_row *row)
{
	struct search *s = ctx;
	struct text usage = { 0 };

	/* Settings have lines of their own. */
	if (is_shown(s, t, row) || strcmp(t->topic, "settings") == 0 ||
		!help_names_mentions(row->help, s->words[0]))
		return;
	grammar_usage(row->syntax, &usage);
	help_names_also(s->out, &s->also, "command", usage.bytes != NULL ? usage.bytes : "",
		row->help);
	free(usage.bytes);
}

static void
topics_show(struct out *out, const struct grammar *g)
{
	struct topics s = { .out = out };

	out_text(out, "\nHelp is available for the following sections:\n\n");
	grammar_each(g, list_topics, &s);
	out_text(out,
		"    help all                      : All of the above sections.\n"
		"    help WORDS                    : Commands, engines, settings and pages about these words.\n"
		"    help NAME                     : An engine or a setting, and commands about it.\n\n"
		"At any place, ? shows what may come next and TAB completes it.\n"
		"COMMAND | include WORD shows lines with a word, COMMAND > FILE writes the answer to a file.\n\n");
}

static int
help(struct app *app, const struct args *a, struct err *e)
{
	const char *what = arg_str(a, "what", NULL);
	struct search s = { .out = app->out, .words = { what } };
	bool named = false;

	if (what == NULL) {
		out_nest(app->out, "topics", OUT_ARRAY);
		topics_show(app->out, app->grammar);
		out_unnest(app->out);
		return 0;
	}
	s.words[1] = synonyms_help(what);
	for (size_t i = 0; i < ARRAY_SIZE(s.words) && s.words[i] != NULL; i++)
		named |= help_names_show(app, s.words[i]);
	grammar_each(app->grammar, count_begun, &s);
	out_nest(app->out, "commands", OUT_ARRAY);
	grammar_each(app->grammar, match, &s);
	out_unnest(app->out);
	if (s.found <= VERB) {
		out_nest(app->out, "see_also", OUT_ARRAY);
		grammar_each(app->grammar, match_help, &s);
		help_names_search(app, what, &s.also);
		out_unnest(app->out);
	}
	if (s.found == 0 && s.also == 0 && !named)
		return help_names_err(app, a, what, e);
	out_text(app->out, "\n");
	return 0;
}

static const struct cmd_row rows[] = {
	{ "help [<what:text>]", help,
		"list the topics, or find commands, engines, settings and pages by topic, name or words",
		"help set fwd" },
};

const struct cmd_table cmds_help = { "control", "start, stop, scripts, help, quit", rows,
	ARRAY_SIZE(rows) };
