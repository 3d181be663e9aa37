/* Settings: values that are taken, and words that are refused with bounds named and nothing
 * changed. */
#include "base/setting.h"

#include "base/base.h"
#include "base/err.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static int
check_even(const char *text, struct err *e)
{
	return strlen(text) % 2 == 0
		? 0
		: err_set(e, EINVAL, "\"%s\": want an even number of bytes", text);
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
};

static struct settings *
fresh(void)
{
	struct settings *s = settings_new();

	assert_non_null(s);
	assert_int_equal(settings_add(s, rows, ARRAY_SIZE(rows), NULL), 0);
	return s;
}

static void
taken(void **state)
{
	static const struct {
		const char *name, *word, *shown;
	} good[] = {
		{ "burst", "1", "1" },
		{ "burst", "512", "512" },
		{ "burst", "0x20", "32" },
		{ "record", "on", "on" },
		{ "record", "off", "off" },
		{ "split", "on", "on" },
		{ "split", "rand", "rand" },
		{ "lengths", "", "" },
		{ "lengths", "64,128", "64,128" },
		{ "wide", "18446744073709551615", "18446744073709551615" },
	};
	struct settings *s = fresh();
	char buf[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		struct err e;

		err_clear(&e);
		assert_int_equal(setting_parse(s, good[i].name, good[i].word, &e), 0);
		assert_string_equal(setting_word(s, good[i].name, buf, sizeof(buf)), good[i].shown);
	}
	settings_free(s);
}

static void
refused(void **state)
{
	static const struct {
		const char *name, *word;
		int code;
		const char *said;
	} bad[] = {
		{ "burst", "0", ERANGE, "1..512 packets" },
		{ "burst", "513", ERANGE, "513" },
		{ "burst", "-1", EINVAL, "\"-1\"" },
		{ "burst", "+1", EINVAL, "1..512" },
		{ "burst", "", EINVAL, "want a number" },
		{ "burst", " 1", EINVAL, "want a number" },
		{ "burst", "32k", EINVAL, "\"32k\"" },
		{ "burst", "99999999999999999999999", ERANGE, "1..512" },
		{ "wide", "18446744073709551616", ERANGE, "0..18446744073709551615" },
		{ "record", "yes", EINVAL, "on or off" },
		{ "record", "ON", EINVAL, "on or off" },
		{ "record", "o", EINVAL, "on or off" },
		{ "split", "of", EINVAL, "off|on|rand" },
		{ "split", "off|on", EINVAL, "off|on|rand" },
		{ "split", "", EINVAL, "off|on|rand" },
		{ "lengths", "641", EINVAL, "even" },
		{ "nothing", "1", ENOENT, "\"nothing\"" },
		{ "", "1", ENOENT, "\"\"" },
	};
	struct settings *s = fresh();
	char buf[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err e;

		err_clear(&e);
		assert_int_equal(setting_parse(s, bad[i].name, bad[i].word, &e), -bad[i].code);
		assert_int_equal(e.code, bad[i].code);
		assert_non_null(strstr(e.text, bad[i].said));
		assert_int_equal(setting_check(s, bad[i].name, bad[i].word, &e), -bad[i].code);
	}
	assert_int_equal(setting_u64(s, "burst"), 32);
	assert_false(setting_on(s, "record"));
	assert_string_equal(setting_word(s, "split", buf, sizeof(buf)), "rand");
	assert_string_equal(setting_text(s, "lengths"), "64");
	settings_free(s);
}

static void
names_are_unique(void **state)
{
	struct settings *s = fresh();
	struct err e;

	err_clear(&e);
	assert_int_equal(settings_add(s, rows, 1, &e), -EEXIST);
	assert_non_null(strstr(e.text, "burst"));
	assert_ptr_equal(setting_at(s, 4), &rows[4]);
	assert_null(setting_at(s, 5));
	settings_free(s);
}

static void
reset_and_set(void **state)
{
	struct settings *s = fresh();

	assert_int_equal(setting_set(s, "burst", 513, NULL), -ERANGE);
	assert_int_equal(setting_u64(s, "burst"), 32);
	assert_int_equal(setting_set(s, "burst", 7, NULL), 0);
	assert_int_equal(setting_parse(s, "lengths", "6464", NULL), 0);
	setting_reset(s, "burst");
	setting_reset(s, "lengths");
	assert_int_equal(setting_u64(s, "burst"), 32);
	assert_string_equal(setting_text(s, "lengths"), "64");
	settings_free(s);
}

static void
note(void *ctx, const char *name)
{
	char *notes = ctx;

	strcat(strcat(notes, name), " ");
}

/* Whoever watches hears of every value given, and of no refusal. */
static void
watched(void **state)
{
	struct settings *s = fresh();
	char notes[128] = "";

	settings_watch(s, note, notes);
	assert_int_equal(setting_parse(s, "burst", "7", NULL), 0);
	assert_int_equal(setting_parse(s, "lengths", "12", NULL), 0);
	assert_int_equal(setting_set(s, "record", 1, NULL), 0);
	setting_reset(s, "lengths");
	setting_reset(s, "split");
	assert_string_equal(notes, "burst lengths record lengths split ");
	assert_int_not_equal(setting_parse(s, "burst", "0", NULL), 0);
	assert_int_not_equal(setting_set(s, "burst", 513, NULL), 0);
	assert_int_not_equal(setting_parse(s, "lengths", "1", NULL), 0);
	settings_watch(s, NULL, NULL);
	assert_int_equal(setting_parse(s, "burst", "8", NULL), 0);
	assert_string_equal(notes, "burst lengths record lengths split ");
	settings_free(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken),
		cmocka_unit_test(refused),
		cmocka_unit_test(names_are_unique),
		cmocka_unit_test(reset_and_set),
		cmocka_unit_test(watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
