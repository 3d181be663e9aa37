/* Quantiles and ratios of samples; nothing is assumed of how they are distributed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/spread.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 256 };

bool
spread_add(struct spread *s, double value)
{
	if (s->n == s->room) {
		size_t room = s->room > 0 ? 2 * s->room : ROOM;
		double *more = realloc(s->value, room * sizeof(*more));

		if (more == NULL)
			return false;
		s->value = more;
		s->room = room;
	}
	s->value[s->n++] = value;
	return true;
}

void
spread_clear(struct spread *s)
{
	s->n = 0;
}

void
spread_free(struct spread *s)
{
	free(s->value);
	memset(s, 0, sizeof(*s));
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double
spread_quantile(struct spread *s, double q)
{
	double place = q * (double)(s->n - 1);
	size_t below = (size_t)place;

	if (s->n == 0)
		return 0;
	qsort(s->value, s->n, sizeof(*s->value), compare);
	if (below + 1 >= s->n)
		return s->value[s->n - 1];
	return s->value[below] + (s->value[below + 1] - s->value[below]) * (place - (double)below);
}

double
spread_mean(const struct spread *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->value[i];
	return s->n > 0 ? sum / (double)s->n : 0;
}

bool
spread_ratio(const double *over, const double *under, size_t n, struct spread_ratio *ratio)
{
	struct spread all = { 0 };
	bool kept = true;

	for (size_t i = 0; i < n && kept; i++)
		if (over[i] > 0 && under[i] > 0)
			kept = spread_add(&all, over[i] / under[i]);
	ratio->pairs = all.n;
	ratio->median = spread_quantile(&all, 0.5);
	ratio->low = spread_quantile(&all, 0.25);
	ratio->high = spread_quantile(&all, 0.75);
	spread_free(&all);
	return kept;
}
