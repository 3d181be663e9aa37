/* The built-in types of arguments: numbers, lists, pairs, MAC addresses, words, files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/text.h"
#include "cmdline/grammar/grammar_priv.h"
#include "cmdline/grammar/offers.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAC_ADDRESS "a MAC address, such as 02:00:00:00:00:01"

/* Value of a digit in a base up to 16, or -1. */
static int
digit(char c, unsigned int base)
{
	int value = c >= '0' && c <= '9' ? c - '0'
		: c >= 'a' && c <= 'f'   ? c - 'a' + 10
		: c >= 'A' && c <= 'F'   ? c - 'A' + 10
					 : -1;

	return value < (int)base ? value : -1;
}

/*
 * Read the digits at *s, which moves behind them. Returns 0, -EINVAL without any, -ERANGE beyond 64
 * bits.
 */
static int
read_digits(const char **s, unsigned int base, uint64_t *value)
{
	uint64_t v = 0;
	int d, ret = digit(**s, base) < 0 ? -EINVAL : 0;

	for (; (d = digit(**s, base)) >= 0; (*s)++) {
		if (v > (UINT64_MAX - (uint64_t)d) / base)
			ret = -ERANGE;
		v = v * base + (uint64_t)d;
	}
	*value = v;
	return ret;
}

/*
 * Read decimal or 0x at *s, which moves behind it. A leading 0 is refused: testpmd reads octal,
 * people expect decimal.
 */
static int
read_number(const char **s, uint64_t *value)
{
	if ((*s)[0] == '0' && ((*s)[1] == 'x' || (*s)[1] == 'X')) {
		*s += 2;
		return read_digits(s, 16, value);
	}
	if ((*s)[0] == '0' && digit((*s)[1], 10) >= 0)
		return -EINVAL;
	return read_digits(s, 10, value);
}

/* "lo..hi", with " unit" or without, or "" for everything up to max. */
static bool
read_bounds(const char *params, uint64_t max, uint64_t *lo, uint64_t *hi)
{
	*lo = 0;
	*hi = max;
	if (*params == '\0')
		return true;
	if (read_number(&params, lo) < 0 || strncmp(params, "..", 2) != 0)
		return false;
	params += 2;
	return read_number(&params, hi) == 0 && (*params == '\0' || *params == ' ') && *lo <= *hi &&
		*hi <= max;
}

static int
check_bounds(uint64_t value, uint64_t lo, uint64_t hi, const char *word, struct err *e)
{
	if (value < lo)
		return err_set(e, ERANGE, "%.64s is below %" PRIu64, word, lo);
	if (value > hi)
		return err_set(e, ERANGE, "%.64s is above %" PRIu64, word, hi);
	return 0;
}

static int
uint_parse(const struct app *app, const char *params, const char *word, struct arg *a,
	struct err *e)
{
	const char *s = word, *unit = strchr(params, ' ');
	uint64_t lo, hi;
	int ret;

	read_bounds(params, UINT64_MAX, &lo, &hi);
	if (unit != NULL && text_quantity(word, unit + 1, &a->number))
		return check_bounds(a->number, lo, hi, word, e);
	ret = read_number(&s, &a->number);
	if (word[0] == '0' && digit(word[1], 10) >= 0)
		return err_set(e, EINVAL,
			"\"%.64s\" has a leading 0, which may mean octal; omit it", word);
	if ((ret == -EINVAL || *s != '\0') && unit != NULL && digit(word[0], 10) >= 0)
		return err_set(e, EINVAL, "\"%.64s\" is not a whole number of %s", word, unit + 1);
	if (word[0] == '-' && word[1] != '\0' && word[1 + strspn(word + 1, "0123456789")] == '\0')
		return err_set(e, ERANGE, "%.64s is below %" PRIu64, word, lo);
	if (ret == -EINVAL || *s != '\0')
		return err_set(e, EINVAL, "\"%.64s\" is not a number", word);
	if (ret == -ERANGE)
		return err_set(e, ERANGE, "%.64s is above %" PRIu64, word, hi);
	return check_bounds(a->number, lo, hi, word, e);
}

static int
hex_parse(const struct app *app, const char *params, const char *word, struct arg *a, struct err *e)
{
	const char *s = word;
	int ret;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		s += 2;
	ret = read_digits(&s, 16, &a->number);
	if (ret == -EINVAL || *s != '\0')
		return err_set(e, EINVAL, "\"%.64s\" is not a hexadecimal number", word);
	if (ret == -ERANGE)
		return err_set(e, ERANGE, "%.64s has more than 64 bits", word);
	return 0;
}

static int
any_parse(const struct app *app, const char *params, const char *word, struct arg *a, struct err *e)
{
	return 0;
}

static int
file_parse(const struct app *app, const char *params, const char *word, struct arg *a,
	struct err *e)
{
	if (*word == '\0')
		return err_set(e, EINVAL, "the file name is empty");
	return 0;
}

/*
 * Groups of hex digits between ':' or '-': six of one byte, or three of two (only with four digits
 * each).
 */
static int
mac_parse(const struct app *app, const char *params, const char *word, struct arg *a, struct err *e)
{
	uint64_t group[6];
	unsigned int n = 0, digits_min = 4, digits_max = 0;
	const char *s = word;
	char between = '\0';

	for (;;) {
		const char *start = s;
		unsigned int digits;

		if (n == 6 || read_digits(&s, 16, &group[n]) < 0)
			break;
		digits = (unsigned int)(s - start);
		digits_min = digits < digits_min ? digits : digits_min;
		digits_max = digits > digits_max ? digits : digits_max;
		n++;
		if (*s != ':' && *s != '-')
			break;
		if (between != '\0' && *s != between)
			break;
		between = *s++;
		if (*s == '\0')
			n = 0;
	}
	if (*s == '\0' && n == 6 && digits_max <= 2) {
		for (n = 0; n < 6; n++)
			a->mac[n] = (uint8_t)group[n];
		return 0;
	}
	if (*s == '\0' && n == 3 && digits_min == 4 && digits_max == 4) {
		for (n = 0; n < 6; n++)
			a->mac[n] = (uint8_t)(group[n / 2] >> (n % 2 == 0 ? 8 : 0));
		return 0;
	}
	return err_set(e, EINVAL, "\"%.64s\" is not " MAC_ADDRESS, word);
}

static int
list_parse(const struct app *app, const char *params, const char *word, struct arg *a,
	struct err *e)
{
	const char *s = word;
	unsigned int room = a->list_n; /* a full list would look like none */
	uint64_t lo, hi, from, to;

	read_bounds(params, UINT16_MAX, &lo, &hi);
	a->list_n = 0;
	for (;;) {
		int ret = read_number(&s, &from);

		to = from;
		if (ret == 0 && *s == '-') {
			s++;
			ret = read_number(&s, &to);
		}
		if (ret == -EINVAL || (*s != ',' && *s != '\0'))
			return err_set(e, EINVAL, "\"%.64s\" is not a list of numbers", word);
		if (ret == -ERANGE)
			return err_set(e, ERANGE, "a number in %.64s is above %" PRIu64, word, hi);
		if (from > to)
			return err_set(e, EINVAL,
				"%" PRIu64 "-%" PRIu64
				" in %.64s: the first number is above the second",
				from, to, word);
		if (from < lo || to > hi)
			return err_set(e, ERANGE, "%" PRIu64 " in %.64s is %s %" PRIu64,
				from < lo ? from : to, word, from < lo ? "below" : "above",
				from < lo ? lo : hi);
		if (to - from + 1 >= room - a->list_n)
			return err_set(e, E2BIG, "%.64s has more than %u numbers", word, room - 1);
		for (; from <= to; from++)
			a->list[a->list_n++] = (uint16_t)from;
		if (*s++ == '\0')
			return 0;
	}
}

/* "(1,2),(3,4)": both numbers of each pair, one after the other. */
static int
pairs_parse(const struct app *app, const char *params, const char *word, struct arg *a,
	struct err *e)
{
	static const char before[] = "(,", after[] = ",)";
	const unsigned int room = a->list_n; /* a full list would look like none */
	const char *s = word;
	uint64_t n;

	a->list_n = 0;
	do {
		for (unsigned int i = 0; i < 2; i++) {
			int ret = *s++ == before[i] ? read_number(&s, &n) : -EINVAL;

			if (ret == -EINVAL || *s != after[i])
				return err_set(e, EINVAL, "\"%.64s\" is not a list of pairs", word);
			if (ret == -ERANGE || n > UINT16_MAX)
				return err_set(e, ERANGE, "a number in %.64s is above %u", word,
					UINT16_MAX);
			if (a->list_n + 1 == room)
				return err_set(e, E2BIG, "%.64s has more than %u numbers", word,
					room - 1);
			a->list[a->list_n++] = (uint16_t)n;
		}
		s++;
	} while (*s++ == ',');
	return s[-1] == '\0' ? 0 : err_set(e, EINVAL, "\"%.64s\" is not a list of pairs", word);
}

/* The file that a name means, in real[bytes]. */
static void
file_name(const struct offers *o, const char *name, char *real, size_t bytes)
{
	const char *home = strncmp(name, "~/", 2) == 0 ? getenv("HOME") : NULL;

	if (home != NULL)
		snprintf(real, bytes, "%s%s", home, name + 1);
	else if (name[0] != '/' && o->folder != NULL)
		snprintf(real, bytes, "%s/%s", o->folder, name);
	else
		snprintf(real, bytes, "%s", name);
}

/* The entries of the directory that prefix is in. */
static void
file_offer(const struct app *app, const char *params, const char *prefix, struct offers *o)
{
	const char *slash = strrchr(prefix, '/');
	size_t folder_n = slash != NULL ? (size_t)(slash - prefix) + 1 : 0;
	char path[LINE_BYTES + 512], real[2 * sizeof(path)];
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	if (folder_n >= LINE_BYTES)
		return;
	memcpy(path, folder_n > 0 ? prefix : "./", folder_n > 0 ? folder_n : 3);
	if (folder_n > 0)
		path[folder_n] = '\0';
	file_name(o, path, real, sizeof(real));
	dir = opendir(real);
	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL) {
		const char *typed = prefix + folder_n;
		bool folder;

		if (strncmp(entry->d_name, typed, strlen(typed)) != 0 ||
			(entry->d_name[0] == '.' && *typed != '.'))
			continue;
		memcpy(path, prefix, folder_n);
		snprintf(path + folder_n, sizeof(path) - folder_n - 1, "%s", entry->d_name);
		file_name(o, path, real, sizeof(real));
		folder = stat(real, &st) == 0 && S_ISDIR(st.st_mode);
		if (folder)
			strcat(path, "/");
		offer(o, path, folder ? "folder" : "file", !folder);
	}
	closedir(dir);
}

static bool
params_none(const char *params)
{
	return *params == '\0';
}

static bool
params_uint(const char *params)
{
	uint64_t lo, hi;

	return read_bounds(params, UINT64_MAX, &lo, &hi);
}

static bool
params_list(const char *params)
{
	uint64_t lo, hi;

	return read_bounds(params, UINT16_MAX, &lo, &hi);
}

static const struct builtin {
	struct arg_type type;
	bool (*params_ok)(const char *params);
	bool free, rest;
} builtins[] = {
	{ { "uint", "a number", uint_parse, NULL }, params_uint, false, false },
	{ { "hex", "a hexadecimal number", hex_parse, NULL }, params_none, false, false },
	{ { "str", "a word", any_parse, NULL }, params_none, true, false },
	{ { "text", "text to the end of the line", any_parse, NULL }, params_none, true, true },
	{ { "mac", MAC_ADDRESS, mac_parse, NULL }, params_none, false, false },
	{ { "list", "a list of numbers such as 0,2-4", list_parse, NULL }, params_list, false,
		false },
	{ { "pairs", "pairs of numbers such as (0,1),(2,3)", pairs_parse, NULL }, params_none,
		false, false },
	{ { "file", "a file name", file_parse, file_offer }, params_none, true, false },
};

static const struct builtin *
builtin_of(const struct arg_type *type)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(builtins); i++)
		if (&builtins[i].type == type)
			return &builtins[i];
	return NULL;
}

bool
grammar_type_is_rest(const struct arg_type *type)
{
	const struct builtin *b = builtin_of(type);

	return type->offer_rest != NULL || (b != NULL && b->rest);
}

bool
grammar_type_is_free(const struct arg_type *type)
{
	const struct builtin *b = builtin_of(type);

	return b != NULL && b->free;
}

bool
grammar_type_is_file(const struct arg_type *type)
{
	return type != NULL && type->parse == file_parse;
}

bool
grammar_type_is_builtin(const struct arg_type *type)
{
	return builtin_of(type) != NULL;
}

bool
grammar_type_params_ok(const struct arg_type *type, const char *params)
{
	const struct builtin *b = builtin_of(type);

	return b == NULL || b->params_ok(params);
}

static bool
name_is(const char *type, const char *name, size_t n)
{
	return strlen(type) == n && memcmp(type, name, n) == 0;
}

const struct arg_type *
grammar_type(const struct grammar *g, const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < g->n_types; i++)
		if (name_is(g->types[i].name, name, n))
			return &g->types[i];
	for (i = 0; i < ARRAY_SIZE(builtins); i++)
		if (name_is(builtins[i].type.name, name, n))
			return &builtins[i].type;
	return NULL;
}
