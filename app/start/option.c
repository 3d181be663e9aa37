/* Command line options: getopt_long() over the rows and every setting with an option name, and the
 * usage. A value with an error changes nothing. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "start/option.h"

#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "base/terminal.h"
#include "base/text.h"
#include "cmdline/grammar/expect.h"
#include "cmdline/grammar/grammar_offer.h"
#include "start/option_rows.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
options_at(size_t i, const char **name, const char **value, const char **help)
{
	if (i >= option_rows_n)
		return false;
	*name = option_rows[i].name;
	*value = option_rows[i].value;
	*help = option_rows[i].help;
	return true;
}

/* An option that sets a setting to a fixed value. */
struct fixed {
	const char *name, *setting, *word, *help;
};

static const struct fixed fixed[] = {
	{ "no-flush-rx", "flush_rx", "off",
		"keep packets that wait in the receive queues at start" },
	{ "disable-link-check", "link-check", "off", "do not wait for links at start" },
	{ "no-numa", "numa", "off", "use one pool for all sockets" },
	{ "mp-anon", "mp-alloc", "anon", "short for --mp-alloc=anon" },
};

#define LONG_BASE \
	256 /* above every letter that getopt_long() returns for a short option, and '?' */

/* Build the table: rows, fixed values, settings; val is LONG_BASE plus the index in that order. */
struct option *
options_table(const struct settings *settings)
{
	size_t i, n = option_rows_n + ARRAY_SIZE(fixed), n_settings = 0, at = 0;
	struct option *table;

	while (setting_at(settings, n_settings) != NULL)
		n_settings++;
	table = calloc(n + n_settings + 1, sizeof(*table));
	if (table == NULL)
		return NULL;
	for (i = 0; i < option_rows_n; i++)
		table[at++] = (struct option){ option_rows[i].name,
			option_rows[i].value != NULL ? required_argument : no_argument, NULL,
			LONG_BASE + (int)i };
	for (i = 0; i < ARRAY_SIZE(fixed); i++)
		table[at++] = (struct option){ fixed[i].name, no_argument, NULL,
			LONG_BASE + (int)(option_rows_n + i) };
	for (i = 0; i < n_settings; i++) {
		const struct setting *s = setting_at(settings, i);
		int value = s->kind == SETTING_BOOL ? no_argument
			: s->bare != NULL           ? optional_argument
						    : required_argument;

		if (setting_option(s) != NULL)
			table[at++] = (struct option){ setting_option(s), value, NULL,
				LONG_BASE + (int)(n + i) };
	}
	return table;
}

/* Apply the option with index which. */
static int
apply(struct options *o, struct app *app, size_t which, const char *value, struct err *e)
{
	const struct option_special *special;
	const struct setting *s;
	int ret;

	if (which < option_rows_n)
		return option_rows[which].apply(o, app, value, e);
	which -= option_rows_n;
	if (which < ARRAY_SIZE(fixed))
		return setting_parse(app->settings, fixed[which].setting, fixed[which].word, e);
	s = setting_at(app->settings, which - ARRAY_SIZE(fixed));
	if (value == NULL && s->bare != NULL)
		value = s->bare;
	for (special = option_rows_specials; special->setting != NULL; special++)
		if (strcmp(s->name, special->setting) == 0 && strcmp(value, special->value) == 0)
			return special->apply(app, e);
	ret = setting_parse(app->settings, s->name, s->kind == SETTING_BOOL ? "on" : value, e);
	return ret != 0 ? err_context(e, "--%s", setting_option(s)) : 0;
}

static size_t
row_of_letter(int letter)
{
	size_t i;

	for (i = 0; option_rows[i].letter != letter; i++)
		;
	return i;
}

/* Write the letters as getopt_long() expects them; "+": options end at the first other word. */
static void
letters_write(char *letters)
{
	*letters++ = '+';
	for (size_t i = 0; i < option_rows_n; i++)
		if (option_rows[i].letter != '\0')
			*letters++ = option_rows[i].letter;
	*letters = '\0';
}

const char *
options_near(const struct option *table, const char *name)
{
	struct offers names = { .n = 0 };
	const struct option *row;
	const char *near;

	for (row = table; row->name != NULL; row++)
		offer(&names, row->name, "", true);
	near = expect_near(&names, name);
	for (row = table; near != NULL && strcmp(row->name, near) != 0; row++)
		;
	offers_free(&names);
	return near != NULL ? row->name : NULL;
}

/* Fill e for an unknown option: ambiguous, or with a suggestion. */
static int
refuse_name(const struct option *table, const char *word, struct err *e)
{
	const size_t n = strcspn(word, "=");
	struct text several = { 0 };
	unsigned int found = 0;
	const char *near;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", n > 2 ? (int)n - 2 : 0, word + (n > 2 ? 2 : n));
	for (const struct option *row = table; row->name != NULL; row++)
		if (strncmp(row->name, name, strlen(name)) == 0)
			text_add(&several, "%s--%s", found++ > 0 ? ", " : "", row->name);
	near = found == 0 ? options_near(table, name) : NULL;
	if (found > 1)
		err_set(e, EINVAL, "%s is ambiguous: %s", word, several.bytes);
	else
		err_set(e, EINVAL, "%s: unknown option%s%s%s; zcfwd --help lists all options", word,
			near != NULL ? " (did you mean --" : "", near != NULL ? near : "",
			near != NULL ? "?)" : "");
	free(several.bytes);
	return -e->code;
}

/* Fill e for an error of getopt_long(). */
static int
refuse(const struct option *table, int argc, char **argv, int at, struct err *e)
{
	const char *word = at > 0 && at <= argc ? argv[at - 1] : argv[0];

	if (optopt != 0 && optopt < 256 && strncmp(word, "--", 2) != 0)
		return err_set(e, EINVAL, "-%c: unknown option; zcfwd --help lists all options",
			optopt);
	if (optopt != 0)
		return err_set(e, EINVAL, "%s: missing or unexpected value", word);
	return refuse_name(table, word, e);
}

/* Parse all options, and apply only the early ones, or only the others. */
static int
pass(struct options *o, struct app *app, int argc, char **argv, bool early, struct err *e)
{
	struct option *table = options_table(app->settings);
	char letters[option_rows_n + 2];
	int c, ret = 0;

	if (table == NULL)
		return err_set(e, ENOMEM, "no memory for the options");
	letters_write(letters);
	opterr = 0;
	optind = 0;
	while (ret == 0 && (c = getopt_long(argc, argv, letters, table, NULL)) != -1) {
		size_t which;

		if (c == '?') {
			ret = refuse(table, argc, argv, optind, e);
			break;
		}
		which = c < LONG_BASE ? row_of_letter(c) : (size_t)(c - LONG_BASE);
		if (early == (which < option_rows_n && option_rows[which].early))
			ret = apply(o, app, which, optarg, e);
	}
	free(table);
	return ret;
}

int
options_early(struct options *o, struct app *app, int argc, char **argv, struct err *e)
{
	return pass(o, app, argc, argv, true, e);
}

int
options_parse(struct options *o, struct app *app, int argc, char **argv, struct err *e)
{
	int ret = pass(o, app, argc, argv, false, e);

	if (ret != 0)
		return ret;
	if (optind < argc)
		return err_set(e, EINVAL, "unexpected argument \"%s\": options begin with --",
			argv[optind]);
	if (o->daemon && o->interactive)
		return err_set(e, EINVAL, "--daemon has no terminal: not with -i");
	if (o->tx_first && o->interactive)
		return err_set(e, EINVAL, "--tx-first cannot be used on interactive mode.");
	if (setting_u64(app->settings, "rxq") + setting_u64(app->settings, "txq") == 0)
		return err_set(e, EINVAL, "--rxq=0 --txq=0: at least one queue is required");
	return 0;
}

#define USAGE_INDENT 36
#define USAGE_COLUMNS 100 /* if the output is not a terminal */

/* Print the heading of the next option, unless it is that of the option before, *last, or NULL. */
static void
heading_line(struct out *out, const char *heading, const char **last)
{
	if (heading == NULL || (*last != NULL && strcmp(heading, *last) == 0))
		return;
	out_text(out, "\n%s:\n", heading);
	*last = heading;
}

/* Print one option; more: text after its help. */
static void
usage_line(struct out *out, const char *name, const char *value, const char *help, const char *more)
{
	struct text line = { 0 }, words = { 0 };
	unsigned int columns, rows;

	if (!terminal_size(out_file(out), &columns, &rows))
		columns = USAGE_COLUMNS;
	text_add(&line, "  --%s%s", name, value != NULL ? "=" : "");
	if (value != NULL)
		text_wrap(&line, value, line.n, columns > line.n + 24 ? columns : line.n + 24);
	if (line.n + 2 > USAGE_INDENT)
		text_add(&line, "\n%*s", USAGE_INDENT, "");
	else
		text_add(&line, "%*s", USAGE_INDENT - (int)line.n, "");
	text_add(&words, "%s", help);
	text_add(&words, "%s", more);
	if (words.bytes != NULL)
		text_wrap(&line, words.bytes, USAGE_INDENT, columns);
	out_text(out, "%s\n", line.bytes);
	free(line.bytes);
	free(words.bytes);
}

/* Print the option of a setting; its value is shown as its choices, its unit, or VALUE. */
static void
setting_line(const struct app *app, struct out *out, const struct setting *s)
{
	struct text value = { 0 };
	char word[32], more[128], bounds[64] = "";

	if (s->kind == SETTING_CHOICE)
		setting_choices_add(&value, s);
	else if (s->kind != SETTING_BOOL)
		text_add(&value, "%s", s->unit != NULL ? s->unit : "VALUE");
	if (s->kind == SETTING_UINT)
		snprintf(bounds, sizeof(bounds), ", %" PRIu64 "..%" PRIu64, s->min, s->max);
	snprintf(more, sizeof(more), "%s [%s]", bounds,
		setting_word(app->settings, s->name, word, sizeof(word)));
	usage_line(out, setting_option(s), value.bytes, s->help, more);
	free(value.bytes);
}

void
options_usage(const struct app *app, struct out *out)
{
	const char *heading = NULL;
	const struct setting *s;
	size_t i;

	out_text(out,
		"zcfwd [EAL options] -- [options]\n"
		"zcfwd --check FILE ...: report errors in command files without running them\n\n"
		"EAL options: -l LCORES, -a DEVICE, --vdev=NAME, --no-huge -m MIB; full list: zcfwd -l 0 --help\n"
		"The options below are also accepted before \"--\" if their names are complete.\n");
	for (i = 0; i < option_rows_n; i++) {
		heading_line(out, option_rows[i].heading, &heading);
		usage_line(out, option_rows[i].name, option_rows[i].value, option_rows[i].help, "");
	}
	heading_line(out, "Shortcuts", &heading);
	for (i = 0; i < ARRAY_SIZE(fixed); i++)
		usage_line(out, fixed[i].name, NULL, fixed[i].help, "");
	for (i = 0; (s = setting_at(app->settings, i)) != NULL; i++)
		if (setting_option(s) != NULL) {
			heading_line(out, setting_heading(app->settings, i), &heading);
			setting_line(app, out, s);
		}
}
