/* The words of an error: what is wrong, what was probably meant, what was expected. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/expect.h"

#include "base/err.h"
#include "cmdline/grammar/offers.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define COMPARED 64        /* letters of a word that near misses look at */
#define EXPECTED_BYTES 240 /* of e->text: a message is not a manual, ? lists them all */
#define BESIDE_BYTES 80    /* beside what was probably meant */
#define MEANT_BYTES 112    /* of what was probably meant */
#define KEYWORDS_MANY 24   /* of more keywords than these only some are listed */
#define KEYWORDS_SOME 12
#define TWO_SLIPS 7    /* letters of a word that may have two; shorter ones are other words */
#define SHORTENED 4000 /* likeness of a word to one that begins with it */

/*
 * Distance in letters added, lost, changed or swapped with a neighbour; words are cut at COMPARED.
 */
static unsigned int
edit_distance(const char *a, const char *b)
{
	unsigned int row[3][COMPARED + 1];
	size_t a_n = strnlen(a, COMPARED), b_n = strnlen(b, COMPARED), i, j;
	unsigned int *before = row[0], *last = row[1], *now = row[2], *swap;

	for (j = 0; j <= b_n; j++)
		last[j] = (unsigned int)j;
	for (i = 1; i <= a_n; i++) {
		now[0] = (unsigned int)i;
		for (j = 1; j <= b_n; j++) {
			unsigned int best = last[j - 1] + (a[i - 1] != b[j - 1]);

			best = last[j] + 1 < best ? last[j] + 1 : best;
			best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
				before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			now[j] = best;
		}
		swap = before;
		before = last;
		last = now;
		now = swap;
	}
	return last[b_n];
}

/* The word at a distance below limit that is nearest; NULL: none is. */
static const char *
slip_of(const struct offers *words, const char *word, unsigned int limit)
{
	const char *best = NULL;
	size_t i;

	for (i = 0; i < words->n && strlen(word) > 2; i++) {
		const unsigned int distance = edit_distance(word, words->items[i].word);

		if (distance < limit) {
			limit = distance;
			best = words->items[i].word;
		}
	}
	return best;
}

/* How many letters both begin with. */
static size_t
common(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] != '\0' && a[n] == b[n])
		n++;
	return n;
}

/* True when word is one of the parts of name, which '-' and '_' separate. */
static bool
is_part(const char *name, const char *word)
{
	const size_t n = strlen(word);

	for (; *name != '\0'; name += strspn(name, "-_")) {
		if (strcspn(name, "-_") == n && strncmp(name, word, n) == 0)
			return true;
		name += strcspn(name, "-_");
	}
	return false;
}

/*
 * How near word is to a candidate by form; 0: not at all. Best is a word that was shortened, then
 * one with an ending (iofwd: io), then one with another ending (recycling: recycle), then a part of
 * a name.
 */
static unsigned int
likeness(const char *candidate, const char *word)
{
	const size_t c = strlen(candidate), w = strlen(word), both = common(candidate, word);

	if (w >= 2 && both == w)
		return SHORTENED + COMPARED - (unsigned int)(c < COMPARED ? c : COMPARED);
	if (c >= 2 && both == c && 3 * c >= w)
		return 3000 + (unsigned int)c;
	if (both >= 4 && 4 * both >= 3 * (c < w ? c : w))
		return 2000 + (unsigned int)both;
	return w >= 3 && is_part(candidate, word) ? 1000 - (unsigned int)c : 0;
}

/* The word that is most alike by form, and at least so much; NULL: none is. */
static const char *
form_of(const struct offers *words, const char *word, unsigned int least)
{
	const char *best = NULL;
	unsigned int most = least - 1;

	for (size_t i = 0; i < words->n; i++) {
		const unsigned int now = likeness(words->items[i].word, word);

		if (now > most) {
			most = now;
			best = words->items[i].word;
		}
	}
	return best;
}

const char *
expect_near(const struct offers *words, const char *word)
{
	const char *near = slip_of(words, word, 2);

	if (near == NULL)
		near = form_of(words, word, 1);
	return near == NULL && strlen(word) >= TWO_SLIPS ? slip_of(words, word, 3) : near;
}

/*
 * True when the item belongs in a list of those that begin with prefix; arguments belong in the
 * full list only.
 */
static bool
is_listed(const struct offers_item *item, const char *prefix)
{
	return *prefix == '\0' || (!item->hint && strncmp(item->word, prefix, strlen(prefix)) == 0);
}

/*
 * "a, b or c" into text: keywords that begin with prefix, then arguments. some: of many keywords, how
 * many. Returns how many items are left out, of these or because the text is full.
 */
static size_t
join(const struct offers *items, const char *prefix, const char *last, size_t some, char *text,
	size_t size)
{
	size_t i, n = 0, left = 0, keywords = 0, listed = 0;

	text[0] = '\0';
	for (i = 0; i < items->n; i++) {
		left += is_listed(&items->items[i], prefix);
		keywords += is_listed(&items->items[i], prefix) && !items->items[i].hint;
	}
	for (i = 0; i < 2 * items->n; i++) {
		const struct offers_item *item = &items->items[i % items->n];
		const char *between;

		if (item->hint != (i >= items->n) || !is_listed(item, prefix))
			continue;
		listed += !item->hint;
		if ((keywords > KEYWORDS_MANY && listed > some) ||
			n + strlen(item->word) + sizeof(" or , ...") >= size) {
			snprintf(text + n, size - n, ", ...");
			return left;
		}
		left--;
		between = n == 0 ? "" : left == 0 ? last : ", ";
		n += (size_t)snprintf(text + n, size - n, "%s%s", between, item->word);
	}
	return 0;
}

/* True when one of the items is a keyword. */
static bool
has_keyword(const struct offers *items)
{
	for (size_t i = 0; i < items->n; i++)
		if (!items->items[i].hint)
			return true;
	return false;
}

static void
wrong_write(const struct expected *x, char *text, size_t size)
{
	const bool after = x->after != NULL && *x->after != '\0';

	if (x->wrong != NULL)
		snprintf(text, size, "%.160s", x->wrong);
	else if (x->word == NULL)
		snprintf(text, size, "incomplete command");
	else if (!has_keyword(x->items))
		snprintf(text, size, "unexpected argument \"%.64s\"", x->word);
	else
		snprintf(text, size, "%s \"%.64s\"%s%.64s%s",
			isdigit((unsigned char)*x->word) ? "unexpected argument"
							 : "unknown keyword",
			x->word, after ? " after \"" : "", after ? x->after : "",
			after ? "\"" : "");
}

static bool
ends_with(const char *text, const char *end)
{
	const size_t n = strlen(text), end_n = strlen(end);

	return n >= end_n && strcmp(text + n - end_n, end) == 0;
}

/* What was probably meant, the surest first; NULL: nothing is near. */
static const char *
meant(const struct expected *x)
{
	const char *near = x->meant;

	if (near == NULL && x->word != NULL && x->words != NULL)
		near = slip_of(x->words, x->word, 2);
	if (near == NULL && x->word != NULL && x->words != NULL)
		near = form_of(x->words, x->word, SHORTENED);
	if (near == NULL)
		near = x->near;
	if (near == NULL && x->word != NULL && x->words != NULL)
		near = expect_near(x->words, x->word);
	return near;
}

/* Write the begin of what was meant that has room, up to a whole word; "..." stands for the rest. */
static void
meant_write(const char *near, char *text, size_t size)
{
	static const char more[] = "...";
	const size_t length = strlen(near);
	size_t n = length;

	if (length >= size)
		for (n = size - sizeof(more); n > 0 && near[n - 1] != ' ';)
			n--;
	memcpy(text, near, n);
	strcpy(text + n, length < size ? "" : more);
}

int
expect_fail(const struct expected *x, int code, struct err *e)
{
	const char *near = meant(x);
	char expected[EXPECTED_BYTES + 128], wrong[256], said[224], meant_text[MEANT_BYTES];
	size_t cut;

	wrong_write(x, wrong, sizeof(wrong));
	join(x->items, x->ambiguous ? x->word : "", " or ", SIZE_MAX, e->expected,
		sizeof(e->expected));
	cut = join(x->items, x->ambiguous ? x->word : "", x->ambiguous ? ", " : " or ",
		KEYWORDS_SOME, expected, near != NULL ? BESIDE_BYTES : EXPECTED_BYTES);
	if (cut > 0 && x->all != NULL)
		snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected),
			" %zu more: %s", cut, x->all);
	/* Some errors say themselves what was expected: "x" is not a number. */
	snprintf(said, sizeof(said), "is not %.200s", e->expected);
	if ((x->wrong != NULL && strcmp(e->expected, EXPECT_END) == 0 &&
		    strncmp(wrong, "unexpected", strlen("unexpected")) != 0) ||
		strstr(wrong, ": expected ") != NULL || ends_with(wrong, said))
		expected[0] = '\0';
	e->verdict = "Bad arguments";
	e->column = (int)x->column;
	snprintf(e->word, sizeof(e->word), "%s", x->word != NULL ? x->word : "");
	if (near != NULL) {
		meant_write(near, meant_text, sizeof(meant_text));
		return err_set(e, code, "column %d: %s; did you mean \"%s\"?%s%s", e->column + 1,
			wrong, meant_text, cut == 0 && *expected != '\0' ? " Expected " : "",
			cut == 0 ? expected : "");
	}
	if (x->ambiguous)
		return err_set(e, code, "column %d: %s: %s", e->column + 1, wrong, expected);
	return err_set(e, code, "column %d: %s%s%s", e->column + 1, wrong,
		*expected != '\0' ? ": expected " : "", expected);
}
