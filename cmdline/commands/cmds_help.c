/* help: topics, the commands of a topic, and what is found for words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "base/text.h"
#include "cmdline/grammar/expect.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/grammar/grammar_offer.h"
#include "cmdline/grammar/synonyms.h"
#include "engines/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* help NAME: engines, settings, counters and pages, by name or by the words of their help. */

static const char *const whens[] = { [SETTING_NOW] = "immediately",
	[SETTING_START] = "at the next start",
	[SETTING_CONFIGURE] = "at the next port start" };

static void
engine_show(struct out *o, const struct engine *engine)
{
	out_nest(o, "engine", OUT_OBJECT);
	out_str(o, "name", "\n%s, a forwarding engine: ", engine->name);
	out_str(o, "help", "%s\n\n", engine->help);
	out_str(o, NULL, "    set fwd %s\n", engine->name);
	out_nest(o, "settings", OUT_ARRAY);
	for (size_t i = 0; i < engine->n_settings; i++) {
		out_nest(o, NULL, OUT_OBJECT);
		out_str(o, "name", "    setting %s: ", engine->settings[i].name);
		out_str(o, "help", "%s\n", engine->settings[i].help);
		out_unnest(o);
	}
	out_unnest(o);
	out_nest(o, "counters", OUT_ARRAY);
	for (size_t i = 0; i < engine->n_counters; i++) {
		out_nest(o, NULL, OUT_OBJECT);
		out_str(o, "name", "    counter %s: ", engine->counters[i].name);
		out_str(o, "help", "%s\n", engine->counters[i].help);
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
	out_bool(o, "is_default", "%s", setting_is_default(settings, row->name),
		", which is the default", "");
	out_str(o, "takes_effect", "; a new value takes effect %s\n", whens[row->when]);
}

static void
setting_show(struct out *o, const struct settings *settings, const struct setting *row)
{
	out_nest(o, "setting", OUT_OBJECT);
	out_str(o, "name", "\n%s, a setting: ", row->name);
	out_str(o, "help", "%s\n\n", row->help);
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

/* Pages of doc/: file, title, and words that it is found by besides those of the title. */
static const struct page {
	const char *file, *title, *words;
} pages[] = {
	{ "README.md", "Documentation", "index manual pages guide" },
	{ "tutorial.md", "Tutorial", "start first begin learn introduction" },
	{ "howto/compare.md", "How to compare two settings", "benchmark difference interval" },
	{ "howto/guest.md", "How to forward for a guest", "vhost virtio qemu vm" },
	{ "howto/host.md", "How to prepare a host", "doctor cpus isolated interrupts huge pages" },
	{ "howto/install.md", "How to install zcfwd", "package debian make" },
	{ "howto/record.md", "How to record and plot a run", "report plots bursts" },
	{ "howto/recycle.md", "How to recycle mbufs", "recycling" },
	{ "howto/route.md", "How to route packets", "layer l3fwd routing" },
	{ "howto/scripts.md", "How to use zcfwd in scripts and CI",
		"automation json batch exit status" },
	{ "benchmark-tables.md", "Tables of benchmarks", "performance cycles speed figures" },
	{ "benchmarks.md", "Benchmarks", "performance cycles speed compare testpmd" },
	{ "account.md", "The account of a run",
		"drops dropped loss lost unsent refused missed verdict explain" },
	{ "containers.md", "Containers", "docker podman kubernetes image pod" },
	{ "direct.md", "Forwarding without mbufs", "descriptors zero-copy zerocopy" },
	{ "engines.md", "Engines", "modes forwarding set fwd" },
	{ "extbuf.md", "External buffers", "attach pinned zero-copy zerocopy shinfo" },
	{ "fleet.md", "Many hosts", "dts ssh ansible prometheus hosts" },
	{ "flow.md", "Flow rules", "rte_flow filters acl steering templates" },
	{ "glossary.md", "Glossary", "words terms" },
	{ "gpu.md", "Packets on a GPU", "cuda gpudev" },
	{ "hw-counters.md", "Hardware counters", "pmu perf instructions cache stalls cycles" },
	{ "json.md", "JSON answers", "schema machine output members" },
	{ "l3fwd.md", "Layer 3 forwarding", "routes routing lpm fib ttl router" },
	{ "library.md", "Mbuf recycling in other programs", "libzcfwd-recycle library pkg-config" },
	{ "live.md", "Watching zcfwd at work",
		"top telemetry openmetrics prometheus capture pcap metrics latency drops counters" },
	{ "measure.md", "Traffic and measurement",
		"generate latency loss jitter reordering rate pacing pktgen trex" },
	{ "mempools.md", "Mempools", "pools mbufs buffers cache bucket stack memory" },
	{ "model-nics.md", "Model NICs", "simulated ixgbe i40e ice mlx5 hardware" },
	{ "options.md", "Options", "command line arguments latencystats bitrate-stats" },
	{ "published.md", "Published figures", "benchmark performance speed lab" },
	{ "rate.md", "The rate without loss",
		"measure throughput mlrsearch ndr pdr rfc2544 rfc9971 tst009 binary search" },
	{ "recording.md", "Recording", "record plot report graph bursts jsonl" },
	{ "recycle.md", "Mbuf recycling", "recycle zero-copy zerocopy rearm" },
	{ "replay.md", "Replay", "pcap pcapng capture file tcpreplay tcprewrite trex" },
	{ "ring-pipeline.md", "Ring pipeline", "workers rings stages processes" },
	{ "settings.md", "Settings", "set defaults" },
	{ "statistics.md", "Statistics", "counters xstats telemetry" },
	{ "testpmd.md", "zcfwd and dpdk-testpmd", "differences compatibility" },
	{ "vhost-dma.md", "Para-virtual I/O with an adaptive copy",
		"vhost virtio dma dsa guest vm" },
	{ "working-set.md", "Working set", "window armed descriptors cache ring size bursts" },
};

#define BEGIN_MIN 4 /* letters with which a word is found by its beginning */
#define EDGES " ,.;:()|[]<>_-/\"'="

/*
 * True when a word of text is, or begins with four letters or more of, the words, in upper or lower
 * case; endings of the plural, and "ing", do not count. Thread: any.
 */
static bool
help_names_mentions(const char *text, const char *words)
{
	static const char *const endings[] = { "ing", "es", "s" };
	size_t n = strlen(words);

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		const size_t ending = strlen(endings[i]);

		if (n > ending + 3 && strcasecmp(words + n - ending, endings[i]) == 0) {
			n -= ending;
			break;
		}
	}
	for (const char *at = text; *at != '\0'; at++)
		if (strncasecmp(at, words, n) == 0 &&
			(at == text || strchr(EDGES, at[-1]) != NULL) &&
			(n >= BEGIN_MIN || strchr(EDGES, at[n]) != NULL))
			return true;
	return false;
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
	out_str(o, "kind", "    %s ", kind);
	out_str(o, "name", "%s: ", name);
	out_str(o, "help", "%s\n", help);
	out_unnest(o);
}

static void
engine_search(const struct app *app, const struct engine *engine, const char *words,
	unsigned int *n)
{
	char name[128];

	/* Settings of engines are among those of the program. */
	if (strcmp(engine->name, words) != 0 &&
		(help_names_mentions(engine->name, words) ||
			help_names_mentions(engine->help, words)))
		help_names_also(app->out, n, "engine", engine->name, engine->help);
	for (size_t i = 0; i < engine->n_counters; i++) {
		if (!help_names_mentions(engine->counters[i].name, words) &&
			!help_names_mentions(engine->counters[i].help, words))
			continue;
		snprintf(name, sizeof(name), "%s of engine %s", engine->counters[i].name,
			engine->name);
		help_names_also(app->out, n, "counter", name, engine->counters[i].help);
	}
}

/*
 * Show settings, engines, counters and pages that mention the words, by help_names_also(). Thread:
 * control.
 */
static void
help_names_search(const struct app *app, const char *words, unsigned int *n)
{
	const struct setting *row;
	char name[64];

	for (size_t i = 0; (row = setting_at(app->settings, i)) != NULL; i++)
		if (!is_called(row, words) &&
			(help_names_mentions(row->name, words) ||
				help_names_mentions(row->help, words)))
			help_names_also(app->out, n, "setting", row->name, row->help);
	for (size_t i = 0; app->run.engines[i] != NULL; i++)
		engine_search(app, app->run.engines[i], words, n);
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		if (!help_names_mentions(pages[i].title, words) &&
			!help_names_mentions(pages[i].words, words))
			continue;
		snprintf(name, sizeof(name), "doc/%s", pages[i].file);
		help_names_also(app->out, n, "page", name, pages[i].title);
	}
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

	if (s->topic == NULL || strcmp(s->topic, t->topic) != 0) {
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
