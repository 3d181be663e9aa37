/* Statistics of few samples: which alternative is cheaper in how many of them, and medians with confidence intervals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/samples.h"

#include "base/base.h"

#include <stdlib.h>

enum { MARGIN = 200 /* cheaper counts only from 1/200 (0.5 %) on */ };

/* A candidate is better if it won this many of this many last samples. */
static const struct {
	unsigned int samples, wins;
} proofs[] = { { 14, 14 }, { 24, 20 }, { 101, 66 }, { 201, 120 } };

static int
compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

unsigned int
samples_kept(const struct samples *r)
{
	uint64_t n = atomic_load_explicit(&r->n, memory_order_relaxed);

	return n < SAMPLES_KEPT ? (unsigned int)n : SAMPLES_KEPT;
}

/* Return the index of the k-th last sample; k = 0 is the last. */
static unsigned int
place(const struct samples *r, unsigned int k)
{
	return (unsigned int)((atomic_load_explicit(&r->n, memory_order_relaxed) - 1 - k) %
		SAMPLES_KEPT);
}

static uint32_t
cost_of(const struct samples *r, unsigned int sample, unsigned int candidate)
{
	return atomic_load_explicit(&r->cost[sample][candidate], memory_order_relaxed);
}

void
samples_add(struct samples *r, const uint32_t *cost)
{
	uint64_t n = atomic_load_explicit(&r->n, memory_order_relaxed);
	unsigned int at = (unsigned int)(n % SAMPLES_KEPT);

	for (unsigned int candidate = 0; candidate < r->candidates; candidate++)
		atomic_store_explicit(&r->cost[at][candidate], cost[candidate],
			memory_order_relaxed);
	atomic_store_explicit(&r->n, n + 1, memory_order_relaxed);
}

unsigned int
samples_best(const struct samples *r)
{
	unsigned int best = 0, most = 0;

	for (unsigned int candidate = 0; candidate < r->candidates; candidate++) {
		unsigned int least = SAMPLES_KEPT;

		for (unsigned int other = 0; other < r->candidates; other++) {
			unsigned int wins = samples_wins(r, candidate, other);

			if (other != candidate && wins < least)
				least = wins;
		}
		if (least > most) {
			most = least;
			best = candidate;
		}
	}
	return best;
}

/*
 * Count in how many of the last n samples a candidate was cheaper than another by more than the
 * margin.
 */
static unsigned int
clear_wins(const struct samples *r, unsigned int candidate, unsigned int other, unsigned int n)
{
	unsigned int wins = 0;

	for (unsigned int k = 0; k < n; k++) {
		uint64_t cost = cost_of(r, place(r, k), candidate);

		wins += cost + cost / MARGIN < cost_of(r, place(r, k), other);
	}
	return wins;
}

unsigned int
samples_better(const struct samples *r, unsigned int candidate)
{
	unsigned int found = candidate;

	for (unsigned int i = 0; i < ARRAY_SIZE(proofs) && found == candidate; i++) {
		unsigned int n = proofs[i].samples, most = proofs[i].wins - 1;

		if (samples_kept(r) < n)
			break;
		for (unsigned int other = 0; other < r->candidates; other++) {
			unsigned int wins = other != candidate ? clear_wins(r, other, candidate, n)
							       : 0;

			if (wins > most) {
				most = wins;
				found = other;
			}
		}
	}
	return found;
}

void
samples_clear(struct samples *r)
{
	atomic_store_explicit(&r->n, 0, memory_order_relaxed);
}

double
samples_median(const struct samples *r, unsigned int candidate)
{
	unsigned int n = samples_kept(r);
	uint32_t cost[SAMPLES_KEPT];

	for (unsigned int k = 0; k < n; k++)
		cost[k] = cost_of(r, k, candidate);
	qsort(cost, n, sizeof(cost[0]), compare);
	return n > 0 ? cost[n / 2] / 1024. : 0;
}

unsigned int
samples_wins(const struct samples *r, unsigned int candidate, unsigned int other)
{
	unsigned int wins = 0;

	for (unsigned int k = 0; k < samples_kept(r); k++)
		wins += cost_of(r, k, candidate) < cost_of(r, k, other);
	return wins;
}

/* Medians and their confidence intervals by order statistics, without assuming a distribution. */

static int
rank_compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Return how many values can be dropped at each end while the rest still contains the median with
 * confidence. *cover becomes the actual probability.
 */
static unsigned int
outside(unsigned int n, double confidence, double *cover)
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
		if (1 - 2 * below < confidence)
			break;
		*cover = 1 - 2 * below;
		k++;
	}
	return k;
}

struct samples_rank
samples_rank(double *value, unsigned int n, double confidence)
{
	struct samples_rank m = { .n = n };
	unsigned int k;

	if (n == 0)
		return m;
	qsort(value, n, sizeof(*value), rank_compare);
	k = outside(n, confidence, &m.cover);
	m.median = (value[(n - 1) / 2] + value[n / 2]) / 2;
	m.low = value[k];
	m.high = value[n - 1 - k];
	return m;
}
