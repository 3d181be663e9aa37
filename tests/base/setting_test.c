/* Settings: which values are accepted, which are refused with their bounds named and nothing
 * changed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/setting.h"

#include "base/base.h"
#include "base/err.h"
#include "base/text.h"
#include "fixtures/cases.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
check_even(const char *text, struct err *e)
{
	return strlen(text) % 2 == 0
		? 0
		: err_set(e, EINVAL, "\"%s\": expected an even number of bytes", text);
}

static const struct setting rows[] = {
	{ .name = "burst",
		.unit = "packets",
		.kind = SETTING_UINT,
		.min = 1,
		.max = 512,
		.value = 32 },
	{ .name = "record", .kind = SETTING_BOOL },
	{ .name = "split",
		.kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES("off", "on", "rand"),
		.value = 2 },
	{ .name = "lengths", .kind = SETTING_TEXT, .text = "64", .check = check_even },
	{ .name = "wide", .kind = SETTING_UINT, .max = UINT64_MAX },
	{ .name = "even", .max = 999, .check = check_even, .value = 10 },
	{ .name = "two-words", .words = "two words", .option = "2" },
	{ .name = "none", .words = SETTING_NONE, .option = SETTING_NONE },
};
static const struct setting_table table = SETTING_TABLE("Bursts", rows);

static struct settings *
fresh(void)
{
	struct settings *s = settings_new();

	assert_non_null(s);
	assert_int_equal(settings_add(s, &table, NULL), 0);
	return s;
}

/* NAME=VALUE as the setting has it then; if it is refused the value is what it was. */
static int
value_read(const char *text, char *to, size_t size, struct err *e)
{
	const char *value = strchr(text, '=') + 1;
	char name[32], buf[32], before[64] = "", after[64] = "";
	struct settings *s = fresh();
	bool known;
	int ret;

	snprintf(name, sizeof(name), "%.*s", (int)(value - 1 - text), text);
	known = setting_find(s, name) != NULL;
	if (known)
		snprintf(before, sizeof(before), "%s", setting_word(s, name, buf, sizeof(buf)));
	ret = setting_check(s, name, value, e);
	assert_int_equal(setting_parse(s, name, value, e), ret);
	if (known)
		snprintf(after, sizeof(after), "%s", setting_word(s, name, buf, sizeof(buf)));
	if (ret == 0)
		snprintf(to, size, "%s=%s", name, after);
	else
		assert_string_equal(before, after);
	settings_free(s);
	return ret;
}

CASES("base/setting", { "value", value_read, true })

TEST(names_are_unique)
{
	struct settings *s = fresh();
	struct err e;

	err_clear(&e);
	assert_int_equal(settings_add(s, &table, &e), -EEXIST);
	assert_non_null(strstr(e.text, "burst"));
	assert_ptr_equal(setting_at(s, 4), &rows[4]);
	assert_null(setting_at(s, ARRAY_SIZE(rows)));
	assert_string_equal(setting_heading(s, 0), "Bursts");
	settings_free(s);
}

TEST(set_by_number)
{
	struct settings *s = fresh();

	assert_int_equal(setting_set(s, "burst", 513, NULL), -ERANGE);
	assert_int_equal(setting_u64(s, "burst"), 32);
	assert_int_equal(setting_set(s, "burst", 7, NULL), 0);
	assert_int_equal(setting_set(s, "even", 123, NULL), -EINVAL);
	assert_int_equal(setting_u64(s, "even"), 10);
	settings_free(s);
}

/* What makes commands and options: said, left to the name, or none. */
TEST(words_and_option)
{
	struct settings *s = fresh();
	const struct setting *row = setting_find(s, "two-words");

	assert_string_equal(setting_words(row), "two words");
	assert_string_equal(setting_option(row), "2");
	row = setting_find(s, "burst");
	assert_string_equal(setting_words(row), "burst");
	assert_string_equal(setting_option(row), "burst");
	row = setting_find(s, "none");
	assert_null(setting_words(row));
	assert_null(setting_option(row));
	settings_free(s);
}

TEST(choices)
{
	struct settings *s = fresh();
	struct text t = { 0 };

	assert_string_equal(setting_choice(s, "split", 0), "off");
	assert_string_equal(setting_choice(s, "split", 2), "rand");
	setting_choices_add(&t, setting_find(s, "split"));
	assert_string_equal(t.bytes, "off|on|rand");
	free(t.bytes);
	settings_free(s);
}

struct acts {
	struct settings *settings;
	char seen[32];
	bool refuses;
};

static int
act(void *ctx, struct err *e)
{
	struct acts *a = ctx;
	char buf[32];

	strcat(strcat(a->seen, setting_word(a->settings, "lengths", buf, sizeof(buf))), " ");
	return a->refuses ? err_set(e, EBUSY, "not now") : 0;
}

/* Who applies a setting sees the new value, and may refuse it: then it is what it was. */
TEST(applied)
{
	struct settings *s = fresh();
	struct acts a = { .settings = s };
	struct err e;

	setting_apply_by(s, "lengths", act, &a);
	assert_int_equal(setting_parse(s, "lengths", "12", &e), 0);
	assert_int_equal(setting_parse(s, "lengths", "1", &e), -EINVAL);
	assert_int_equal(setting_check(s, "lengths", "34", &e), 0);
	a.refuses = true;
	assert_int_equal(setting_parse(s, "lengths", "56", &e), -EBUSY);
	assert_string_equal(e.text, "not now");
	assert_string_equal(setting_text(s, "lengths"), "12");
	a.refuses = false;
	assert_int_equal(setting_parse(s, "lengths", "64", NULL), 0);
	assert_int_equal(setting_set(s, "burst", 3, &e), 0);
	assert_string_equal(a.seen, "12 56 64 ");
	settings_free(s);
}

static void
note(void *ctx, const char *name)
{
	char *notes = ctx;

	strcat(strcat(notes, name), " ");
}

/* A run goes by what was kept at its start, but for what acts at once. */
TEST(kept)
{
	struct settings *s = fresh();
	const struct setting *row;
	uint64_t number;
	char word[32];
	size_t n = 0;

	assert_true(setting_waits(s, "burst"));
	assert_int_equal(setting_parse(s, "burst", "7", NULL), 0);
	assert_int_equal(setting_parse(s, "lengths", "12", NULL), 0);
	assert_non_null(setting_of_run(s, 0, &number, word, sizeof(word)));
	assert_string_equal(word, "7"); /* before the first run */
	settings_keep(s);
	assert_int_equal(setting_parse(s, "burst", "8", NULL), 0);
	assert_int_equal(setting_parse(s, "lengths", "1234", NULL), 0);
	for (size_t i = 0; (row = setting_of_run(s, i, &number, word, sizeof(word))) != NULL; i++) {
		n += strcmp(row->name, "burst") == 0 && number == 7 && strcmp(word, "7") == 0;
		n += strcmp(row->name, "lengths") == 0 && strcmp(word, "12") == 0;
		assert_int_equal(setting_defaults_to(row, number, word),
			strcmp(row->name, "burst") != 0 && strcmp(row->name, "lengths") != 0);
	}
	assert_int_equal(n, 2);
	settings_keep(s);
	setting_of_run(s, 0, &number, word, sizeof(word));
	assert_string_equal(word, "8");
	settings_free(s);
}

/* What options gave is kept; a value that is given again is one it began with. */
TEST(begun)
{
	struct settings *s = fresh();

	assert_false(setting_begun(s, "burst"));
	assert_int_equal(setting_parse(s, "burst", "7", NULL), 0);
	assert_int_equal(setting_parse(s, "lengths", "12", NULL), 0);
	for (unsigned int again = 0; again < 2; again++) {
		settings_begin(s);
		assert_true(setting_begun(s, "burst") && setting_begun(s, "lengths"));
		assert_int_equal(setting_parse(s, "burst", "8", NULL), 0);
		assert_int_equal(setting_parse(s, "lengths", "1234", NULL), 0);
		assert_false(setting_begun(s, "burst") || setting_begun(s, "lengths"));
		assert_int_equal(setting_parse(s, "lengths", "64", NULL), 0);
		assert_false(setting_begun(s, "lengths"));
		assert_int_equal(setting_parse(s, "burst", "7", NULL), 0);
		assert_int_equal(setting_parse(s, "lengths", "12", NULL), 0);
		assert_true(setting_begun(s, "burst") && setting_begun(s, "lengths"));
	}
	settings_free(s);
}

/* Whoever watches hears of every value given, and of no refusal. */
TEST(watched)
{
	struct settings *s = fresh();
	char notes[128] = "";

	settings_watch(s, note, notes);
	assert_int_equal(setting_parse(s, "burst", "7", NULL), 0);
	assert_int_equal(setting_parse(s, "lengths", "12", NULL), 0);
	assert_int_equal(setting_set(s, "record", 1, NULL), 0);
	assert_int_equal(setting_parse(s, "lengths", "64", NULL), 0);
	assert_int_equal(setting_parse(s, "split", "rand", NULL), 0);
	assert_string_equal(notes, "burst lengths record lengths split ");
	assert_int_not_equal(setting_parse(s, "burst", "0", NULL), 0);
	assert_int_not_equal(setting_set(s, "burst", 513, NULL), 0);
	assert_int_not_equal(setting_parse(s, "lengths", "1", NULL), 0);
	settings_watch(s, NULL, NULL);
	assert_int_equal(setting_parse(s, "burst", "8", NULL), 0);
	assert_string_equal(notes, "burst lengths record lengths split ");
	settings_free(s);
}
