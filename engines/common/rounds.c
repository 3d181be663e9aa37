/* Compare ways to do one thing by paired samples: costs as shares of their round's median, then a sign test. */
#include "engines/common/rounds.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

enum { ONE = 1 << 16, MARGIN = 200 /* better by one part in so many */ };

/* Of so many rounds, the last, so many must be won. */
static const struct {
	unsigned int rounds, wins;
} proofs[] = { { 14, 14 }, { 24, 20 }, { 101, 66 }, { ROUNDS_KEPT, 120 } };

static int
compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The middle of n values, which are sorted. */
static uint32_t
middle(uint32_t *values, unsigned int n)
{
	qsort(values, n, sizeof(values[0]), compare);
	return values[n / 2];
}

unsigned int
rounds_kept(const struct rounds *r)
{
	uint64_t n = atomic_load_explicit(&r->n, memory_order_relaxed);

	return n < ROUNDS_KEPT ? (unsigned int)n : ROUNDS_KEPT;
}

/* The place of the k-th last round, 0 being the last. */
static unsigned int
place(const struct rounds *r, unsigned int k)
{
	return (unsigned int)((atomic_load_explicit(&r->n, memory_order_relaxed) - 1 - k) %
		ROUNDS_KEPT);
}

static uint32_t
cost_of(const struct rounds *r, unsigned int round, unsigned int way)
{
	return atomic_load_explicit(&r->cost[round][way], memory_order_relaxed);
}

void
rounds_add(struct rounds *r, const uint32_t *cost)
{
	uint64_t n = atomic_load_explicit(&r->n, memory_order_relaxed);
	unsigned int at = (unsigned int)(n % ROUNDS_KEPT);
	uint32_t sorted[ROUNDS_WAYS], mid;

	memcpy(sorted, cost, r->ways * sizeof(sorted[0]));
	mid = middle(sorted, r->ways);
	for (unsigned int way = 0; way < r->ways; way++) {
		uint64_t share = (uint64_t)cost[way] * ONE / (mid > 0 ? mid : 1);

		atomic_store_explicit(&r->cost[at][way], cost[way], memory_order_relaxed);
		r->share[at][way] = share < UINT32_MAX ? (uint32_t)share : UINT32_MAX;
	}
	atomic_store_explicit(&r->n, n + 1, memory_order_relaxed);
}

/* The median of a way's shares in the last n rounds. */
static uint32_t
share_of(const struct rounds *r, unsigned int way, unsigned int n)
{
	uint32_t share[ROUNDS_KEPT];

	for (unsigned int k = 0; k < n; k++)
		share[k] = r->share[place(r, k)][way];
	return n > 0 ? middle(share, n) : 0;
}

unsigned int
rounds_best(const struct rounds *r)
{
	unsigned int best = 0, n = rounds_kept(r);

	for (unsigned int way = 1; way < r->ways; way++)
		if (share_of(r, way, n) < share_of(r, best, n))
			best = way;
	return best;
}

/* In how many of the last n rounds a way was cheaper than another by more than the margin. */
static unsigned int
clear_wins(const struct rounds *r, unsigned int way, unsigned int other, unsigned int n)
{
	unsigned int wins = 0;

	for (unsigned int k = 0; k < n; k++) {
		uint64_t cost = cost_of(r, place(r, k), way);

		wins += cost + cost / MARGIN < cost_of(r, place(r, k), other);
	}
	return wins;
}

unsigned int
rounds_better(const struct rounds *r, unsigned int way)
{
	unsigned int found = way;

	for (unsigned int i = 0; i < ARRAY_SIZE(proofs) && found == way; i++) {
		unsigned int n = proofs[i].rounds;

		if (rounds_kept(r) < n)
			break;
		for (unsigned int other = 0; other < r->ways; other++)
			if (other != way && clear_wins(r, other, way, n) >= proofs[i].wins &&
				(found == way || share_of(r, other, n) < share_of(r, found, n)))
				found = other;
	}
	return found;
}

void
rounds_clear(struct rounds *r)
{
	atomic_store_explicit(&r->n, 0, memory_order_relaxed);
}

double
rounds_median(const struct rounds *r, unsigned int way)
{
	unsigned int n = rounds_kept(r);
	uint32_t cost[ROUNDS_KEPT];

	for (unsigned int k = 0; k < n; k++)
		cost[k] = cost_of(r, k, way);
	return n > 0 ? middle(cost, n) / 1024. : 0;
}

unsigned int
rounds_wins(const struct rounds *r, unsigned int way, unsigned int other)
{
	unsigned int wins = 0;

	for (unsigned int k = 0; k < rounds_kept(r); k++)
		wins += cost_of(r, k, way) < cost_of(r, k, other);
	return wins;
}
