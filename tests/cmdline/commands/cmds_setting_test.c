/* One row of a setting is its command, its option, its line of each manual page, its completion. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/commands/cmds_setting.h"

#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/grammar/grammar_offer.h"
#include "fixtures/unit.h"
#include "start/manual.h"
#include "start/option.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int
odd_check(const char *text, struct err *e)
{
	return strtoul(text, NULL, 0) % 2 == 1 ? 0 : err_set(e, EINVAL, "%s is even", text);
}

/* clang-format off */
static const struct setting rows[] = {
	{ .name = "kettle-heat", .words = "kettle heat", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES("cold", "warm", "hot"), .help = "how hot the water is" },
	{ .name = "kettle-cups", .words = "kettle cups", .unit = "cups", .check = odd_check,
		.min = 1, .max = 9, .value = 3, .help = "how much water there is" },
	{ .name = "lid", .kind = SETTING_BOOL, .when = SETTING_NOW, .help = "the lid is closed" },
	{ .name = "scale", .words = SETTING_NONE, .help = "no command" },
	{ .name = "owner", .option = SETTING_NONE, .kind = SETTING_TEXT, .example = "me",
		.help = "no option" },
	/* What options_parse() asks for. */
	{ .name = "rxq", .words = SETTING_NONE, .value = 1, .help = "queues" },
	{ .name = "txq", .words = SETTING_NONE, .value = 1, .help = "queues" },
};
/* clang-format on */
static const struct setting_table table = SETTING_TABLE("Kitchen", rows);

struct fixture {
	struct app app;
	struct cmd_table *table;
};

static const struct engine *const no_engines[] = { NULL };

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err e;

	assert_non_null(f);
	f->app.run.engines = no_engines;
	f->app.settings = settings_new();
	assert_int_equal(settings_add(f->app.settings, &table, &e), 0);
	f->table = cmds_setting_new(f->app.settings);
	assert_non_null(f->table);
	f->app.grammar =
		grammar_new((const struct cmd_table *const[]){ f->table }, 1, NULL, 0, &f->app, &e);
	assert_non_null(f->app.grammar);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	grammar_free(f->app.grammar);
	cmds_setting_free(f->table);
	settings_free(f->app.settings);
	free(f);
	return 0;
}

/* Run a line; returns what its handler did, or why there is none. */
static int
line(struct fixture *f, const char *text, struct err *e)
{
	const struct cmd_row *row = NULL;
	static struct args args;
	int ret;

	err_clear(e);
	ret = grammar_parse(f->app.grammar, text, &row, &args, e);
	return ret != 0 ? ret : row->run(&f->app, &args, e);
}

TEST(command)
{
	static const struct {
		const char *line, *name, *value; /* value NULL: refused */
		const char *said;
	} lines[] = {
		{ "set kettle heat hot", "kettle-heat", "hot", NULL },
		{ "se ke he warm", "kettle-heat", "warm", NULL },
		{ "set kettle heat tepid", "kettle-heat", NULL, "tepid" },
		{ "set kettle heat ho", "kettle-heat", NULL, "unknown keyword \"ho\"" },
		{ "set ket hea hot", "kettle-heat", "hot", NULL },
		{ "set kettle-heat hot", "kettle-heat", NULL, "kettle-heat" },
		{ "set kettle cups 0x7", "kettle-cups", "7", NULL },
		{ "set kettle cups 10", "kettle-cups", NULL, "10 is above 9" },
		{ "set kettle cups 4", "kettle-cups", NULL, "4 is even" },
		{ "set lid on", "lid", "on", NULL },
		{ "set owner you", "owner", "you", NULL },
		{ "set scale 0", "scale", NULL, "scale" },
	};
	struct fixture *f = *state;
	const struct settings *s = f->app.settings;
	char buf[32], before[32];
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		strcpy(before, setting_word(s, lines[i].name, buf, sizeof(buf)));
		if ((line(f, lines[i].line, &e) == 0) != (lines[i].value != NULL))
			fail_msg("%s: %s", lines[i].line, e.text);
		assert_string_equal(setting_word(s, lines[i].name, buf, sizeof(buf)),
			lines[i].value != NULL ? lines[i].value : before);
		if (lines[i].value == NULL) {
			assert_non_null(strstr(e.text, lines[i].said));
			assert_true(e.column > 0);
		}
	}
	for (size_t i = 1; i < f->table->n; i++) /* but show settings */
		assert_int_equal(line(f, f->table->rows[i].example, &e), 0);
	assert_int_equal(f->table->n, 1 + 4);
}

TEST(completion)
{
	static const struct {
		const char *line, *words;
	} lines[] = {
		{ "set ", "kettle lid owner " },
		{ "set kettle ", "cups heat " },
		{ "set kettle heat ", "cold hot warm " },
		{ "set lid o", "off on " },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct offers o = { 0 };
		char words[128] = "";

		grammar_offer(f->app.grammar, lines[i].line, &o);
		for (size_t k = 0; k < o.n; k++)
			strcat(strcat(words, o.items[k].word), " ");
		assert_string_equal(words, lines[i].words);
		if (strcmp(lines[i].line, "set kettle ") == 0)
			assert_string_equal(o.items[1].help,
				"how hot the water is; takes effect next start");
		offers_free(&o);
	}
}

TEST(option)
{
	struct fixture *f = *state;
	const struct settings *s = f->app.settings;
	char *good[] = { "zcfwd", "--kettle-heat=warm", "--kettle-cups", "5", "--lid",
		"--scale=0" };
	char *even[] = { "zcfwd", "--kettle-cups=4" }, *none[] = { "zcfwd", "--owner=me" };
	struct options o = { 0 };
	char buf[32];
	struct err e;

	assert_int_equal(options_parse(&o, &f->app, ARRAY_SIZE(good), good, &e), 0);
	assert_string_equal(setting_word(s, "kettle-heat", buf, sizeof(buf)), "warm");
	assert_int_equal(setting_u64(s, "kettle-cups"), 5);
	assert_true(setting_on(s, "lid"));
	assert_int_equal(options_parse(&o, &f->app, ARRAY_SIZE(even), even, &e), -EINVAL);
	assert_string_equal(e.text, "--kettle-cups: 4 is even");
	assert_int_equal(options_parse(&o, &f->app, ARRAY_SIZE(none), none, &e), -EINVAL);
}

/* The page has all the lines. */
static void
page_check(const char *folder, const char *name, const char *const *lines)
{
	char path[128], text[65536];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "r");
	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	assert_true(n > 0 && feof(f));
	text[n] = '\0';
	fclose(f);
	unlink(path);
	for (; *lines != NULL; lines++)
		if (strstr(text, *lines) == NULL)
			fail_msg("%s lacks \"%s\"", name, *lines);
}

TEST(manual)
{
	struct fixture *f = *state;
	char folder[] = "/tmp/cmds_setting_XXXXXX";
	struct err e;

	assert_non_null(mkdtemp(folder));
	assert_int_equal(manual_write(&f->app, folder, &e), 0);
	page_check(folder, "settings.md",
		(const char *const[]){
			"- **kettle-heat**: how hot the water is. `--kettle-heat`, `set kettle heat`. Values: cold, warm,\n"
			"  hot. Default: cold. Takes effect at the next start.\n",
			"- **kettle-cups**: how much water there is. `--kettle-cups`, `set kettle cups`. Values: 1..9 cups.\n"
			"  Default: 3. Takes effect at the next start.\n",
			"- **lid**: the lid is closed. `--lid`, `set lid`. Values: on, off. Default: off. Takes effect\n"
			"  immediately.\n",
			"- **scale**: no command. `--scale`. Values: 0..0. Default: 0. Takes effect at the next start.\n",
			"- **owner**: no option. `set owner`. Values: text. Takes effect at the next start.\n",
			NULL });
	page_check(folder, "commands.md",
		(const char *const[]){
			"- `set kettle heat (cold|warm|hot)`: how hot the water is; takes effect next start (example: `set\n"
			"  kettle heat cold`)\n",
			"- `set kettle cups <value 1..9 cups>`: how much water there is; takes effect next start (example:\n"
			"  `set kettle cups 3`)\n",
			"- `set lid (on|off)`: the lid is closed; takes effect now (example: `set lid off`)\n",
			NULL });
	page_check(folder, "options.md",
		(const char *const[]){
			"  --kettle-heat=cold|warm|hot       how hot the water is [cold]\n",
			"  --kettle-cups=cups                how much water there is, 1..9 [3]\n",
			"  --lid                             the lid is closed [off]\n", NULL });
	page_check(folder, "zcfwd.1",
		(const char *const[]){
			".TP\n.B set kettle heat (cold|warm|hot)\nhow hot the water is; takes effect next start\n",
			NULL });
	page_check(folder, "engines.md", (const char *const[]){ NULL });
	page_check(folder, "statistics.md", (const char *const[]){ NULL });
	page_check(folder, "answer.schema.json",
		(const char *const[]){ "\"command\": {\"type\": \"string\"",
			"\"$defs\": {\"error\": {", "\n, \"stream\": {\"title\": \"stream\"",
			NULL });
	assert_int_equal(rmdir(folder), 0);
}

TESTS(.before = setup, .after = teardown);
