/* Parses and checks the arguments of compare before anything runs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/compare/compare_plan.h"

#include "base/err.h"
#include "base/setting.h"
#include "cmdline/grammar/expect.h"
#include "cmdline/grammar/offers.h"
#include "cmdline/grammar/words.h"
#include "engines/engine.h"
#include "run/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENGINES "engines"
#define LIST "a list such as burst=8,32 or engines=io,mac"

/*
 * Six runs are the fewest whose minimum and maximum are a 95 % confidence interval of the median.
 */
enum { RUNS = 6, LENGTH_MS = 1000 };

const char *
compare_plan_name(const struct compare_list *list)
{
	return list->setting != NULL ? list->setting->name : "engine";
}

const char *
compare_plan_value(const struct compare_plan *p, unsigned int c, unsigned int list)
{
	for (unsigned int i = p->n_lists - 1; i > list; i--)
		c /= p->list[i].n;
	return p->list[list].value[c % p->list[list].n];
}

/* Why a setting cannot be compared; NULL if it can. */
static const char *
unfit(const struct setting *s)
{
	return s->when == SETTING_CONFIGURE
		? "cannot be compared, because it takes effect only when a port starts"
		: s->kind == SETTING_TEXT ? "text settings cannot be compared"
					  : NULL;
}

/* Offer "engines" and the names of all settings that can be compared, each followed by end. */
static void
names_offer(const struct run *r, struct offers *o, const char *end)
{
	const struct setting *s;
	char word[64];

	snprintf(word, sizeof(word), ENGINES "%s", end);
	offer(o, word, "engines to compare", false);
	for (size_t i = 0; (s = setting_at(r->settings, i)) != NULL; i++) {
		snprintf(word, sizeof(word), "%s%s", s->name, end);
		if (unfit(s) == NULL)
			offer(o, word, s->help, false);
	}
}

static void
engines_offer(const struct run *r, struct offers *o, const char *before)
{
	char word[LINE_BYTES + 64];

	for (unsigned int i = 0; r->engines[i] != NULL; i++) {
		snprintf(word, sizeof(word), "%s%s", before, r->engines[i]->name);
		offer(o, word, r->engines[i]->help, false);
	}
}

static void
choices_offer(const struct setting *s, struct offers *o, const char *before)
{
	static const char *const switches[] = { "off", "on", NULL };
	const char *const *choice = s->kind == SETTING_CHOICE ? s->choices : switches;
	char word[LINE_BYTES + 64];

	for (; s->kind != SETTING_UINT && *choice != NULL; choice++) {
		snprintf(word, sizeof(word), "%s%s", before, *choice);
		offer(o, word, "", false);
	}
}

void
compare_plan_offer(const struct run *r, struct offers *o)
{
	const size_t name_n = strcspn(o->prefix, "=");
	const char *comma = strrchr(o->prefix, ',');
	char name[64], before[LINE_BYTES];
	const struct setting *s;

	names_offer(r, o, "=");
	if (o->prefix[name_n] != '=' || name_n >= sizeof(name))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)name_n, o->prefix);
	snprintf(before, sizeof(before), "%.*s",
		(int)(comma != NULL ? (size_t)(comma - o->prefix) + 1 : name_n + 1), o->prefix);
	s = setting_find(r->settings, name);
	if (strcmp(name, ENGINES) == 0)
		engines_offer(r, o, before);
	else if (s != NULL && unfit(s) == NULL)
		choices_offer(s, o, before);
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

/* Look up the setting that a list varies; NULL for engines. */
static int
name_read(const struct run *r, const struct words *at, const char *name,
	const struct setting **setting, struct err *e)
{
	struct offers names = { 0 }, hints = { 0 };
	char wrong[160];
	int ret = 0;

	*setting = NULL;
	if (strcmp(name, ENGINES) == 0)
		return 0;
	*setting = setting_find(r->settings, name);
	if (*setting != NULL && unfit(*setting) == NULL)
		return 0;
	names_offer(r, &names, "");
	offers_hint(&hints, LIST, "");
	if (*setting != NULL)
		snprintf(wrong, sizeof(wrong), "%s: %s", name, unfit(*setting));
	else
		snprintf(wrong, sizeof(wrong), "unknown setting \"%.64s\"", name);
	ret = none_of(at, 0, name, &hints, *setting != NULL ? NULL : &names, wrong, e);
	offers_free(&names);
	offers_free(&hints);
	return ret;
}

/* Check a value of a list, which starts at this byte of the reader's word. */
static int
value_check(const struct run *r, const struct words *at, size_t bytes, const struct setting *s,
	const char *value, struct err *e)
{
	struct offers engines = { 0 };
	char wrong[160];
	int ret;

	if (s != NULL) {
		ret = setting_check(r->settings, s->name, value, e);
		if (ret != 0) {
			e->column = (int)(at->column + at->at + bytes);
			snprintf(e->word, sizeof(e->word), "%s", value);
		}
		return ret;
	}
	if (run_engine(r, value) != NULL)
		return 0;
	engines_offer(r, &engines, "");
	snprintf(wrong, sizeof(wrong), "unknown engine \"%.64s\"", value);
	ret = none_of(at, bytes, value, &engines, &engines, wrong, e);
	offers_free(&engines);
	return ret;
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
	ret = name_read(r, words, name, &list->setting, e);
	for (unsigned int i = 0; ret == 0 && i < p->n_lists; i++)
		if (p->list[i].setting == list->setting)
			ret = words_fail(words, EINVAL, "this list is given twice", e);
	while (ret == 0 && value != NULL) {
		char *comma = strchr(value, ',');

		if (comma != NULL)
			*comma++ = '\0';
		if (list->n == COMPARE_VALUES)
			return words_fail(words, E2BIG, "too many values, at most 64", e);
		ret = value_check(r, words, (size_t)(value - name), list->setting, value, e);
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
