/* The words of an error: what is wrong, what was perhaps meant, what was expected. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/expect.h"

#include "base/err.h"
#include "cmdline/grammar/offers.h"

#include <stdio.h>
#include <string.h>

#define COMPARED 64        /* letters of a word that near misses look at */
#define EXPECTED_BYTES 240 /* of e->text: a message is not a manual, ? lists them all */

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

const char *
expect_near(const struct offers *words, const char *word)
{
	unsigned int limit = strlen(word) < 5 ? 2 : 3, distance;
	const char *best = NULL;
	size_t i;

	/* No slip of a finger, but what other shells call it. */
	if (strcmp(word, "exit") == 0 || strcmp(word, "logout") == 0)
		word = "quit";
	if (strlen(word) < 3)
		return NULL;
	for (i = 0; i < words->n; i++) {
		distance = edit_distance(word, words->items[i].word);
		if (distance < limit) {
			limit = distance;
			best = words->items[i].word;
		}
	}
	return best;
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
 * "a, b or c" into text: keywords that begin with prefix, then arguments. Returns how many there are
 * if the list is cut, else 0.
 */
static size_t
join(const struct offers *items, const char *prefix, char *text, size_t size)
{
	size_t i, n = 0, left = 0, total;

	text[0] = '\0';
	for (i = 0; i < items->n; i++)
		left += is_listed(&items->items[i], prefix);
	total = left;
	for (i = 0; i < 2 * items->n; i++) {
		const struct offers_item *item = &items->items[i % items->n];
		const char *between;

		if (item->hint != (i >= items->n) || !is_listed(item, prefix))
			continue;
		if (n + strlen(item->word) + sizeof(" or , ...") >= size) {
			snprintf(text + n, size - n, ", ...");
			return total;
		}
		left--;
		between = n == 0 ? "" : left == 0 ? " or " : ", ";
		n += (size_t)snprintf(text + n, size - n, "%s%s", between, item->word);
	}
	return 0;
}

int
expect_fail(const struct expected *x, int code, struct err *e)
{
	const char *prefix = x->short_for_several ? x->word : "", *near = NULL;
	char expected[EXPECTED_BYTES + 128], wrong[256], meant[128];
	size_t cut;

	if (x->word != NULL && x->words != NULL)
		near = expect_near(x->words, x->word);
	if (near == NULL && x->near != NULL) {
		snprintf(meant, sizeof(meant), "\"%.100s\"", x->near);
		near = meant;
	}
	if (x->wrong != NULL)
		snprintf(wrong, sizeof(wrong), "%.160s", x->wrong);
	else if (x->word == NULL)
		snprintf(wrong, sizeof(wrong), "the line ends too early");
	else
		snprintf(wrong, sizeof(wrong), "\"%.64s\" does not fit here", x->word);
	join(x->items, prefix, e->expected, sizeof(e->expected));
	cut = join(x->items, prefix, expected, EXPECTED_BYTES);
	if (cut > 0 && x->all != NULL)
		snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected),
			" (%zu in all: %s)", cut, x->all);
	e->verdict = "Bad arguments";
	e->column = (int)x->column;
	snprintf(e->word, sizeof(e->word), "%s", x->word != NULL ? x->word : "");
	if (near != NULL)
		return err_set(e, code, "column %d: %s (did you mean %.110s?): expected %s",
			e->column + 1, wrong, near, expected);
	return err_set(e, code, "column %d: %s%s%s", e->column + 1, wrong,
		*expected != '\0' ? ": expected " : "", expected);
}
