/* help: topics, the commands of a topic, and what is found for words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "base/text.h"
#include "cmdline/commands/help_pages.h"
#include "cmdline/grammar/expect.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/grammar/grammar_offer.h"
#include "cmdline/grammar/synonyms.h"
#include "engines/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* help NAME: engines, settings, counters and pages, by name or by the words of their help. */

static const char *const whens[] = { [SETTING_NOW] = "immediately",
	[SETTING_START] = "at the next start",
	[SETTING_CONFIGURE] = "at the next port start" };

/*
 * Print a paragraph below `indent` blanks, the lines after its first one below four more. On a
 * terminal lines end where it ends.
 */
__attribute__((format(printf, 3, 4))) static void
paragraph(struct out *o, int indent, const char *fmt, ...)
{
	struct text lines = { 0 };
	char *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&line, fmt, ap) < 0)
		line = NULL;
	va_end(ap);
	if (line != NULL)
		text_wrap(&lines, line, (size_t)indent + 4, out_columns(o));
	out_text(o, "%*s%s\n", indent, "", lines.bytes != NULL ? lines.bytes : "");
	free(line);
	free(lines.bytes);
}

static void
engine_show(struct out *o, const struct engine *engine)
{
	out_nest(o, "engine", OUT_OBJECT);
	out_str(o, "name", NULL, engine->name);
	out_str(o, "help", NULL, engine->help);
	out_text(o, "\n");
	paragraph(o, 0, "%s, a forwarding engine: %s", engine->name, engine->help);
	out_text(o, "\n");
	out_str(o, NULL, "    set fwd %s\n", engine->name);
	out_nest(o, "settings", OUT_ARRAY);
	for (size_t i = 0; i < engine->settings.n; i++) {
		out_nest(o, NULL, OUT_OBJECT);
		out_str(o, "name", NULL, engine->settings.rows[i].name);
		out_str(o, "help", NULL, engine->settings.rows[i].help);
		paragraph(o, 4, "setting %s: %s", engine->settings.rows[i].name,
			engine->settings.rows[i].help);
		out_unnest(o);
	}
	out_unnest(o);
	out_nest(o, "counters", OUT_ARRAY);
	for (size_t i = 0; i < engine->n_counters; i++) {
		out_nest(o, NULL, OUT_OBJECT);
		out_str(o, "name", NULL, engine->counters[i].name);
		out_str(o, "help", NULL, engine->counters[i].help);
		paragraph(o, 4, "counter %s: %s", engine->counters[i].name,
			engine->counters[i].help);
		out_unnest(o);
	}
	out_unnest(o);
	out_unnest(o);
}

/* Show its values and the one it has: "1..512 packets, now 32". */
static void
values_show(struct out *o, const struct settings *settings, const struct setting *row)
{
	struct text choices = { 0 };
	char buf[32];

	if (row->kind == SETTING_UINT) {
		out_u64(o, "min", "    %" PRIu64, row->min);
		out_u64(o, "max", "..%" PRIu64, row->max);
		if (row->unit != NULL)
			out_str(o, "unit", " %s", row->unit);
	} else if (row->kind == SETTING_CHOICE) {
		setting_choices_add(&choices, row);
		out_str(o, "choices", "    %s", choices.bytes);
		free(choices.bytes);
	} else {
		out_text(o, row->kind == SETTING_BOOL ? "    on or off" : "    text");
	}
	if (row->kind == SETTING_UINT)
		out_u64(o, "value", ", now \"%" PRIu64 "\"", setting_u64(settings, row->name));
	else
		out_str(o, "value", ", now \"%s\"",
			setting_word(settings, row->name, buf, sizeof(buf)));
	out_bool(o, "is_default", "%s", setting_is_default(settings, row->name), " (default)", "");
	out_str(o, "takes_effect", "; takes effect %s\n", whens[row->when]);
}

static void
setting_show(struct out *o, const struct settings *settings, const struct setting *row)
{
	out_nest(o, "setting", OUT_OBJECT);
	out_str(o, "name", NULL, row->name);
	out_str(o, "help", NULL, row->help);
	out_text(o, "\n");
	paragraph(o, 0, "%s, a setting: %s", row->name, row->help);
	out_text(o, "\n");
	values_show(o, settings, row);
	if (setting_words(row) != NULL)
		out_str(o, "command", "    set %s VALUE\n", setting_words(row));
	if (setting_option(row) != NULL)
		out_str(o, "option", row->kind == SETTING_BOOL ? "    --%s\n" : "    --%s=VALUE\n",
			setting_option(row));
	out_unnest(o);
}

static bool
is_called(const struct setting *row, const char *name)
{
	const char *words = setting_words(row), *option = setting_option(row);

	return strcmp(row->name, name) == 0 || (words != NULL && strcmp(words, name) == 0) ||
		(option != NULL && strcmp(option, name) == 0);
}

/*
 * Show the engine and the setting of that name; a setting is also found by the name of its command or
 * option. False when there is neither. Thread: control.
 */
static bool
help_names_show(const struct app *app, const char *name)
{
	const struct setting *row;
	bool found = false;

	for (size_t i = 0; app->run.engines[i] != NULL; i++) {
		if (strcmp(app->run.engines[i]->name, name) != 0)
			continue;
		engine_show(app->out, app->run.engines[i]);
		found = true;
	}
	for (size_t i = 0; (row = setting_at(app->settings, i)) != NULL; i++) {
		if (!is_called(row, name))
			continue;
		setting_show(app->out, app->settings, row);
		return true;
	}
	return found;
}

/*
 * Show one line of "see also", below a head if it is the first. kind: "command", "setting", ... *n:
 * lines so far, counted up.
 */
static void
help_names_also(struct out *o, unsigned int *n, const char *kind, const char *name,
	const char *help)
{
	if ((*n)++ == 0)
		out_text(o, "\nSee also:\n\n");
	out_nest(o, NULL, OUT_OBJECT);
	out_str(o, "kind", NULL, kind);
	out_str(o, "name", NULL, name);
	out_str(o, "help", NULL, help);
	paragraph(o, 4, "%s %s: %s", kind, name, help);
	out_unnest(o);
}

static void
engine_search(const struct app *app, const struct engine *engine, const char *words,
	unsigned int *n)
{
	char name[128];

	/* Settings of engines are among those of the program. */
	if (strcmp(engine->name, words) != 0 &&
		(help_pages_mention(engine->name, words) ||
			help_pages_mention(engine->help, words)))
		help_names_also(app->out, n, "engine", engine->name, engine->help);
	for (size_t i = 0; i < engine->n_counters; i++) {
		if (!help_pages_mention(engine->counters[i].name, words) &&
			!help_pages_mention(engine->counters[i].help, words))
			continue;
		snprintf(name, sizeof(name), "%s of engine %s", engine->counters[i].name,
			engine->name);
		help_names_also(app->out, n, "counter", name, engine->counters[i].help);
	}
}

/* Options of EAL, before "--", and words that they are found by besides those of their help. */
static const struct eal_option {
	const char *name, *help, *words;
} eal_options[] = {
	{ "-l CORES", "CPUs of lcores, such as 2-5; the first is the control thread's",
		"affinity pin cpu cpus core cores lcores isolated" },
	{ "--lcores MAP", "lcores and the CPUs that each may use, such as (0,1)@2",
		"affinity pin cpu cpus core cores" },
	{ "-a DEVICE", "use this device alone, such as 0000:3b:00.0; repeatable",
		"pci card nic allow whitelist bdf" },
	{ "-b DEVICE", "do not use this device", "pci card nic block blacklist" },
	{ "--vdev DEVICE",
		"create a virtual device, such as net_af_packet0,iface=eth0, net_tap0 or net_pcap0,rx_pcap=FILE,tx_pcap=FILE; repeatable",
		"af_packet veth tap pcap memif af_xdp xdp virtio null ring kernel interface" },
	{ "-m MIB", "memory to reserve", "hugepages memory" },
	{ "--socket-mem MIB,...", "memory to reserve by socket", "hugepages memory numa socket" },
	{ "--no-huge", "memory from ordinary pages", "hugepages memory container" },
	{ "--in-memory", "no files of huge pages, and no secondary processes", "hugepages memory" },
	{ "--file-prefix NAME", "several programs on a host: one name each", "hugepages several" },
	{ "--proc-type TYPE", "primary or secondary process", "secondary multiprocess" },
	{ "--no-pci", "use no cards", "pci card" },
	{ "--iova-mode pa|va", "addresses that devices use", "iommu physical vfio" },
	{ "--log-level TYPE:LEVEL", "how much DPDK's libraries log", "debug verbose logging" },
	{ "-d FILE", "load a driver", "plugin driver" },
	{ "--force-max-simd-bitwidth N", "widest vectors of drivers", "avx avx512 sse vector" },
};

/* Show options of this program and of EAL that mention the words. */
static void
help_starts_search(const struct app *app, const char *words, unsigned int *n)
{
	const char *option, *value, *help;
	char name[128];

	for (size_t i = 0; app->option_at != NULL && app->option_at(i, &option, &value, &help);
		i++) {
		if (!help_pages_mention(option, words) && !help_pages_mention(help, words))
			continue;
		snprintf(name, sizeof(name), "--%s%s%s", option, value != NULL ? "=" : "",
			value != NULL ? value : "");
		help_names_also(app->out, n, "option", name, help);
	}
	for (size_t i = 0; i < ARRAY_SIZE(eal_options); i++)
		if (help_pages_mention(eal_options[i].name, words) ||
			help_pages_mention(eal_options[i].help, words) ||
			help_pages_mention(eal_options[i].words, words))
			help_names_also(app->out, n, "EAL option", eal_options[i].name,
				eal_options[i].help);
}

/*
 * Show settings, engines, counters, options and pages that mention the words, by help_names_also().
 * Thread: control.
 */
static void
help_names_search(const struct app *app, const char *words, unsigned int *n)
{
	const struct setting *row;

	for (size_t i = 0; (row = setting_at(app->settings, i)) != NULL; i++)
		if (!is_called(row, words) &&
			(help_pages_mention(row->name, words) ||
				help_pages_mention(row->help, words)))
			help_names_also(app->out, n, "setting", row->name, row->help);
	for (size_t i = 0; app->run.engines[i] != NULL; i++)
		engine_search(app, app->run.engines[i], words, n);
	help_starts_search(app, words, n);
	help_pages_search(app->out, words, help_names_also, n);
}

static void
topic_offer(void *ctx, const struct cmd_table *table, const struct cmd_row *row)
{
	offer(ctx, table->topic, "", true);
}

/* ENOENT: nothing was found; with the engine, setting or topic that was probably meant. */
static int
help_names_err(const struct app *app, const struct args *a, const char *name, struct err *e)
{
	struct offers names = { .n = 0 };
	const struct setting *row;
	const char *near;

	for (size_t i = 0; app->run.engines[i] != NULL; i++)
		offer(&names, app->run.engines[i]->name, "", true);
	for (size_t i = 0; (row = setting_at(app->settings, i)) != NULL; i++)
		offer(&names, row->name, "", true);
	grammar_each(app->grammar, topic_offer, &names);
	near = expect_near(&names, name);
	arg_err(a, "what", e, ENOENT, "nothing found for \"%s\"%s%s%s \"help\" lists the topics",
		name, near != NULL ? "; did you mean \"" : ".", near != NULL ? near : "",
		near != NULL ? "\"?" : "");
	offers_free(&names);
	return -e->code;
}

/* A word that more commands begin with is a verb, such as "set": only those are shown. */
#define VERB 24

/* Where a command stands in an answer: by what is meant by the words, by how common it is, or not. */
enum rank { MEANT, USUAL, OTHER, HIDDEN };

struct search {
	struct out *out;
	const char *words[2]; /* what is searched for: as typed, and what is meant by it or NULL */
	const char *topic;    /* topic whose head was shown last */
	unsigned int found, also;
	unsigned int begun[2]; /* commands that begin with the words */
	enum rank rank;        /* that is shown now */
};

static void
row_show(struct search *s, const struct cmd_table *t, const struct cmd_row *row)
{
	struct text usage = { 0 };

	if (s->topic == NULL || strcmp(s->topic, t->topic) != 0) {
		s->topic = t->topic;
		out_text(s->out, "\n");
		paragraph(s->out, 0, "%s: %s", t->topic, t->title);
		out_text(s->out, "\n");
	}
	out_nest(s->out, NULL, OUT_OBJECT);
	out_str(s->out, "topic", NULL, t->topic);
	grammar_usage(row->syntax, &usage);
	out_str(s->out, "syntax", NULL, row->syntax);
	out_str(s->out, "usage", NULL, usage.bytes);
	out_str(s->out, "help", NULL, row->help);
	paragraph(s->out, 0, "%s", usage.bytes);
	paragraph(s->out, 4, "%s", row->help);
	free(usage.bytes);
	if (row->example != NULL)
		out_str(s->out, "example", NULL, row->example);
	out_bool(s->out, "shows", NULL, row->shows, NULL, NULL);
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
	out_str(s->out, "topic", "    help %-11s", t->topic);
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

static bool
usage_matches(const char *usage, const char *topic, const char *words, unsigned int begun)
{
	return strcmp(words, "all") == 0 || strcmp(words, topic) == 0 || begins(usage, words) ||
		(begun <= VERB && has_word(usage, words, " ()|[]_-"));
}

/* True when a usage is one of the commands that people use most: "show port ...". */
static bool
is_usual(const char *usage)
{
	char first[32] = "", second[32] = "";

	sscanf(usage, "%31s %31s", first, second);
	return synonyms_is_usual(NULL, first) &&
		(*second == '\0' || strchr("[<(", *second) != NULL ||
			synonyms_is_usual(first, second));
}

/* HIDDEN: the command is not shown in full. */
static enum rank
rank_of(const struct search *s, const struct cmd_table *t, const struct cmd_row *row)
{
	struct text usage = { 0 };
	enum rank rank = HIDDEN;

	grammar_usage(row->syntax, &usage);
	if (usage.bytes != NULL && s->words[1] != NULL &&
		usage_matches(usage.bytes, t->topic, s->words[1], s->begun[1]))
		rank = MEANT;
	else if (usage.bytes != NULL &&
		usage_matches(usage.bytes, t->topic, s->words[0], s->begun[0]))
		rank = strcmp(s->words[0], "all") == 0 || is_usual(usage.bytes) ? USUAL : OTHER;
	free(usage.bytes);
	return rank;
}

static void
match(void *ctx, const struct cmd_table *t, const struct cmd_row *row)
{
	struct search *s = ctx;

	if (rank_of(s, t, row) == s->rank)
		row_show(s, t, row);
}

/* Commands that only mention the words, a line each. */
static void
match_help(void *ctx, const struct cmd_table *t, const struct cmd_row *row)
{
	struct search *s = ctx;
	struct text usage = { 0 };

	/* Settings have lines of their own. */
	if (rank_of(s, t, row) != HIDDEN || strcmp(t->topic, "settings") == 0 ||
		!help_pages_mention(row->help, s->words[0]))
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
		"    help all         : All of the above sections.\n"
		"    help WORDS       : Commands, engines, settings and pages about these words.\n"
		"    help NAME        : An engine or a setting, and commands about it.\n"
		"    help page NAME   : A page of the manual, such as tutorial or cards.\n\n"
		"At any place, ? shows what may come next and TAB completes it.\n"
		"COMMAND | include WORD shows lines with a word,\n"
		"COMMAND > FILE writes the answer to a file.\n\n");
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
	if (strcmp(what, "page") == 0)
		what = "page README"; /* it lists the pages */
	if (strncmp(what, "page ", strlen("page ")) == 0) {
		if (help_page_show(app->out, what + strlen("page "), e) != 0)
			return arg_err(a, "what", e, e->code, "%s", e->text);
		return 0;
	}
	if (strstr(what, ".md") != NULL && help_page_show(app->out, what, e) == 0)
		return 0;
	s.words[1] = synonyms_help(what);
	for (size_t i = 0; i < ARRAY_SIZE(s.words) && s.words[i] != NULL; i++)
		named |= help_names_show(app, s.words[i]);
	grammar_each(app->grammar, count_begun, &s);
	out_nest(app->out, "commands", OUT_ARRAY);
	for (; s.rank < HIDDEN; s.rank++)
		grammar_each(app->grammar, match, &s);
	out_unnest(app->out);
	if (s.found == 0 && !named && help_page_is_named(what)) {
		if (help_page_show(app->out, what, e) == 0)
			return 0;
		err_clear(e); /* the manual is not installed: what else there is may help */
	}
	if (s.found <= VERB) {
		out_nest(app->out, "see_also", OUT_ARRAY);
		help_pages_about(app->out, what, help_names_also, &s.also);
		grammar_each(app->grammar, match_help, &s);
		help_names_search(app, what, &s.also);
		if (s.also == 0 && s.words[1] != NULL) {
			help_pages_about(app->out, s.words[1], help_names_also, &s.also);
			help_names_search(app, s.words[1], &s.also);
		}
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
		"help set fwd", .shows = true },
};

const struct cmd_table cmds_help = { "control", "start, stop, scripts, help, quit", rows,
	ARRAY_SIZE(rows), CMD_CONTROL };
