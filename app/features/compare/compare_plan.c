/* Parses and checks the arguments of compare before anything runs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/compare/compare_plan.h"

#include "base/err.h"
#include "base/setting.h"
#include "cmdline/grammar/expect.h"
#include "cmdline/grammar/offers.h"
#include "cmdline/grammar/words.h"
#include "features/compare/compare_kind.h"
#include "run/run.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST "a list such as burst=8,32 or engines=io,mac"

/*
 * Six runs are the fewest whose minimum and maximum are a 95 % confidence interval of the median.
 */
enum { RUNS = 6, LENGTH_MS = 1000 };

const char *
compare_plan_name(const struct compare_list *list)
{
	return list->setting != NULL ? list->setting->name : list->kind->name;
}

const char *
compare_plan_value(const struct compare_plan *p, unsigned int c, unsigned int list)
{
	for (unsigned int i = p->n_lists - 1; i > list; i--)
		c /= p->list[i].n;
	return p->list[list].value[c % p->list[list].n];
}

void
compare_plan_offer(const struct run *r, struct offers *o)
{
	const size_t name_n = strcspn(o->prefix, "=");
	const char *comma = strrchr(o->prefix, ',');
	const struct compare_kind *kind;
	char name[64], before[LINE_BYTES];
	const struct setting *s;
	const char *why;

	compare_kind_names(r, o, "=");
	if (o->prefix[name_n] != '=' || name_n >= sizeof(name))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)name_n, o->prefix);
	snprintf(before, sizeof(before), "%.*s",
		(int)(comma != NULL ? (size_t)(comma - o->prefix) + 1 : name_n + 1), o->prefix);
	kind = compare_kind_find(r, name, &s, &why);
	if (kind != NULL && kind->offer != NULL)
		kind->offer(r, s, o, before);
}

/* Report that word, which starts at this byte of the reader's word, is not one of words. */
static int
none_of(const struct words *at, size_t bytes, const char *word, const struct offers *items,
	const struct offers *words, const char *wrong, struct err *e)
{
	const struct expected x = { .items = items,
		.words = words,
		.word = word,
		.column = at->column + at->at + bytes,
		.wrong = wrong };

	return expect_fail(&x, EINVAL, e);
}

/* Look up what a list varies. */
static int
name_read(const struct run *r, const struct words *at, const char *name, struct compare_list *list,
	struct err *e)
{
	struct offers names = { 0 }, hints = { 0 };
	const char *why = NULL;
	char wrong[160];
	int ret;

	list->kind = compare_kind_find(r, name, &list->setting, &why);
	if (list->kind != NULL)
		return 0;
	compare_kind_names(r, &names, "");
	offers_hint(&hints, LIST, "");
	if (why != NULL)
		snprintf(wrong, sizeof(wrong), "%s: %s", name, why);
	else
		snprintf(wrong, sizeof(wrong), "unknown setting \"%.64s\"", name);
	ret = none_of(at, 0, name, &hints, why != NULL ? NULL : &names, wrong, e);
	offers_free(&names);
	offers_free(&hints);
	return ret;
}

/* Check that a value, which starts at this byte of the reader's word, is one of those that are offered. */
static int
value_find(const struct run *r, const struct words *at, size_t bytes,
	const struct compare_list *list, const char *value, struct err *e)
{
	struct offers known = { 0 };
	bool found = false;
	char wrong[160];
	int ret = 0;

	list->kind->offer(r, list->setting, &known, "");
	for (size_t i = 0; i < known.n; i++)
		found |= strcmp(known.items[i].word, value) == 0;
	snprintf(wrong, sizeof(wrong), "unknown %s \"%.64s\"", list->kind->name, value);
	/* Without ports, as when a script is checked, there are no drivers. */
	if (!found && known.n > 0)
		ret = none_of(at, bytes, value, &known, &known, wrong, e);
	offers_free(&known);
	return ret;
}

/* Check a value of a list, which starts at this byte of the reader's word. */
static int
value_check(const struct run *r, const struct words *at, size_t bytes,
	const struct compare_list *list, const char *value, struct err *e)
{
	int ret;

	if (list->kind->check == NULL)
		return value_find(r, at, bytes, list, value, e);
	ret = list->kind->check(r, list->setting, value, e);
	if (ret != 0) {
		e->column = (int)(at->column + at->at + bytes);
		snprintf(e->word, sizeof(e->word), "%s", value);
	}
	return ret;
}

/* Return the name of an earlier list that changes the same thing; NULL: there is none. */
static const char *
clash_find(const struct compare_plan *p, const struct compare_list *list)
{
	const char *mine[COMPARE_KIND_SETTINGS], *theirs[COMPARE_KIND_SETTINGS];
	const size_t n = compare_kind_settings(list->kind, list->setting, mine);

	for (unsigned int i = 0; i < p->n_lists; i++) {
		const struct compare_list *other = &p->list[i];
		const size_t n_other = compare_kind_settings(other->kind, other->setting, theirs);

		if (other->kind == list->kind && other->setting == list->setting)
			return compare_plan_name(other);
		for (size_t k = 0; k < n * n_other; k++)
			if (strcmp(mine[k % n], theirs[k / n]) == 0)
				return compare_plan_name(other);
	}
	return NULL;
}

/* Refuse a list that changes the same thing as an earlier one. */
static int
clash_check(struct words *words, const struct compare_plan *p, const struct compare_list *list,
	struct err *e)
{
	const char *other = clash_find(p, list);
	char wrong[160];

	if (other == NULL)
		return 0;
	if (strcmp(other, compare_plan_name(list)) == 0)
		return words_fail(words, EINVAL, "this list is given twice", e);
	snprintf(wrong, sizeof(wrong), "this list and %s change the same setting", other);
	return words_fail(words, EINVAL, wrong, e);
}

/* Parse the reader's word, NAME=VALUE,VALUE... */
static int
list_read(struct compare_plan *p, struct words *words, const struct run *r, struct err *e)
{
	struct compare_list *list = &p->list[p->n_lists];
	char *name = p->words + p->words_n, *value = strchr(words->word, '=');
	int ret;

	if (value == NULL) {
		words_hint(words, LIST);
		return words_fail(words, EINVAL, NULL, e);
	}
	if (p->n_lists == COMPARE_LISTS)
		return words_fail(words, E2BIG, "too many lists, at most 8", e);
	p->words_n += (size_t)snprintf(name, sizeof(p->words) - p->words_n, "%s", words->word) + 1;
	value = name + (value - words->word);
	*value++ = '\0';
	*list = (struct compare_list){ 0 };
	ret = name_read(r, words, name, list, e);
	if (ret == 0)
		ret = clash_check(words, p, list, e);
	while (ret == 0 && value != NULL) {
		char *comma = strchr(value, ',');

		if (comma != NULL)
			*comma++ = '\0';
		if (list->n == COMPARE_VALUES)
			return words_fail(words, E2BIG, "too many values, at most 64", e);
		ret = value_check(r, words, (size_t)(value - name), list, value, e);
		list->value[list->n++] = value;
		value = comma;
	}
	if (ret == 0 && p->n * list->n > COMPARE_COMBINATIONS)
		return words_fail(words, E2BIG, "too many combinations, at most 256", e);
	p->n *= list->n;
	p->n_lists++;
	if (ret == 0)
		words_next(words);
	return ret;
}

/* Parse a unit that is separated from its amount by a space; NULL if there is none. */
static const char *
unit_read(struct words *words)
{
	static const struct {
		const char *word, *help;
	} units[] = { { "s", "seconds" }, { "ms", "milliseconds" }, { "min", "minutes" },
		{ "h", "hours" },
		{ "packets", "packets received, or sent if the engine creates them" } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (words_is(words, units[i].word, units[i].help))
			return units[i].word;
	return NULL;
}

static int
length_read(struct compare_plan *p, struct words *words, struct err *e)
{
	const int column = (int)(words->column + words->at);
	const char *unit = NULL, *bad;
	char amount[LINE_BYTES];

	words_hint(words, "an amount such as 10s, 500ms or 1000packets");
	if (words->n == 0)
		return words_fail(words, EINVAL, NULL, e);
	memcpy(amount, words->word, sizeof(amount));
	words_next(words);
	unit = unit_read(words);
	if (timed_read(amount, unit, &p->length, &bad, e) == 0)
		return 0;
	e->column = column;
	snprintf(e->word, sizeof(e->word), "%s", bad);
	return -e->code;
}

int
compare_plan_read(struct compare_plan *p, struct words *words, const struct run *r, struct err *e)
{
	bool has_for = false, has_runs = false;
	uint64_t runs;
	int ret = 0;

	memset(p, 0, sizeof(*p));
	p->n = 1;
	p->runs = RUNS;
	p->length = (struct timed_length){ .n = LENGTH_MS };
	while (ret == 0) {
		if (p->n_lists > 0 && !has_for &&
			words_is(words, "for", "length of each run (default 1s)")) {
			has_for = true;
			ret = length_read(p, words, e);
		} else if (p->n_lists > 0 && !has_runs &&
			words_is(words, "runs", "runs of each combination (default 6)")) {
			has_runs = true;
			ret = words_number(words, NULL, 1, COMPARE_RUNS, &runs, e);
			p->runs = ret == 0 ? (unsigned int)runs : p->runs;
		} else if (words->n == 0 && p->n_lists > 0) {
			break;
		} else {
			ret = list_read(p, words, r, e);
		}
	}
	return ret;
}
