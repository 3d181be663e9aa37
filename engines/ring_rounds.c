/* Each round's costs as shares of its median: what changes from round to round hits all ways. Then signs and medians: an outlier is one vote. */
#include "ring_rounds.h"

#include "base.h"

#include <stdlib.h>
#include <string.h>

enum { ONE = 1 << 16, MARGIN = 200 /* better by one part in so many */ };

/* Of so many rounds, the last, so many must be won. */
static const struct {
	unsigned int rounds, wins;
} proofs[] = { { 14, 14 }, { 24, 20 }, { 101, 66 }, { RING_ROUNDS, 120 } };

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
ring_rounds_kept(const struct ring_rounds *r)
{
	uint64_t n = atomic_load_explicit(&r->n, memory_order_relaxed);

	return n < RING_ROUNDS ? (unsigned int)n : RING_ROUNDS;
}

/* The place of the k-th last round, 0 being the last. */
static unsigned int
place(const struct ring_rounds *r, unsigned int k)
{
	return (unsigned int)((atomic_load_explicit(&r->n, memory_order_relaxed) - 1 - k) %
		RING_ROUNDS);
}

static uint32_t
cost_of(const struct ring_rounds *r, unsigned int round, unsigned int way)
{
	return atomic_load_explicit(&r->cost[round][way], memory_order_relaxed);
}

void
ring_rounds_add(struct ring_rounds *r, const uint32_t cost[RING_WAYS])
{
	uint64_t n = atomic_load_explicit(&r->n, memory_order_relaxed);
	unsigned int at = (unsigned int)(n % RING_ROUNDS);
	uint32_t sorted[RING_WAYS], mid;

	memcpy(sorted, cost, sizeof(sorted));
	mid = middle(sorted, RING_WAYS);
	for (unsigned int way = 0; way < RING_WAYS; way++) {
		uint64_t share = (uint64_t)cost[way] * ONE / (mid > 0 ? mid : 1);

		atomic_store_explicit(&r->cost[at][way], cost[way], memory_order_relaxed);
		r->share[at][way] = share < UINT32_MAX ? (uint32_t)share : UINT32_MAX;
	}
	atomic_store_explicit(&r->n, n + 1, memory_order_relaxed);
}

/* The median of a way's shares in the last n rounds. */
static uint32_t
share_of(const struct ring_rounds *r, unsigned int way, unsigned int n)
{
	uint32_t share[RING_ROUNDS];

	for (unsigned int k = 0; k < n; k++)
		share[k] = r->share[place(r, k)][way];
	return n > 0 ? middle(share, n) : 0;
}

unsigned int
ring_rounds_best(const struct ring_rounds *r)
{
	unsigned int best = 0, n = ring_rounds_kept(r);

	for (unsigned int way = 1; way < RING_WAYS; way++)
		if (share_of(r, way, n) < share_of(r, best, n))
			best = way;
	return best;
}

/* In how many of the last n rounds a way was cheaper than another by more than the margin. */
static unsigned int
clear_wins(const struct ring_rounds *r, unsigned int way, unsigned int other, unsigned int n)
{
	unsigned int wins = 0;

	for (unsigned int k = 0; k < n; k++) {
		uint64_t cost = cost_of(r, place(r, k), way);

		wins += cost + cost / MARGIN < cost_of(r, place(r, k), other);
	}
	return wins;
}

unsigned int
ring_rounds_better(const struct ring_rounds *r, unsigned int way)
{
	unsigned int found = way;

	for (unsigned int i = 0; i < ARRAY_SIZE(proofs) && found == way; i++) {
		unsigned int n = proofs[i].rounds;

		if (ring_rounds_kept(r) < n)
			break;
		for (unsigned int other = 0; other < RING_WAYS; other++)
			if (other != way && clear_wins(r, other, way, n) >= proofs[i].wins &&
				(found == way || share_of(r, other, n) < share_of(r, found, n)))
				found = other;
	}
	return found;
}

double
ring_rounds_median(const struct ring_rounds *r, unsigned int way)
{
	unsigned int n = ring_rounds_kept(r);
	uint32_t cost[RING_ROUNDS];

	for (unsigned int k = 0; k < n; k++)
		cost[k] = cost_of(r, k, way);
	return n > 0 ? middle(cost, n) / 1024. : 0;
}

unsigned int
ring_rounds_wins(const struct ring_rounds *r, unsigned int way, unsigned int other)
{
	unsigned int wins = 0;

	for (unsigned int k = 0; k < ring_rounds_kept(r); k++)
		wins += cost_of(r, k, way) < cost_of(r, k, other);
	return wins;
}
