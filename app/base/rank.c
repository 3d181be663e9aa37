/* Medians and their confidence intervals by order statistics, without assuming a distribution. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rank.h"

#include <stdlib.h>

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Return how many values can be dropped at each end while the rest still contains the median with
 * probability want. *cover becomes the actual probability.
 */
static unsigned int
outside(unsigned int n, double want, double *cover)
{
	double heads = 1, below; /* P(B == k) and P(B <= k) of n fair coins */
	unsigned int k = 0;

	for (unsigned int i = 0; i < n; i++)
		heads /= 2;
	below = heads;
	*cover = n > 1 ? 1 - 2 * below : 0;
	while (2 * (k + 1) < n) {
		heads = heads * (n - k) / (k + 1);
		below += heads;
		if (1 - 2 * below < want)
			break;
		*cover = 1 - 2 * below;
		k++;
	}
	return k;
}

struct rank_median
rank_median(double *value, unsigned int n, double want)
{
	struct rank_median m = { .n = n };
	unsigned int k;

	if (n == 0)
		return m;
	qsort(value, n, sizeof(*value), compare);
	k = outside(n, want, &m.cover);
	m.median = (value[(n - 1) / 2] + value[n / 2]) / 2;
	m.low = value[k];
	m.high = value[n - 1 - k];
	return m;
}
