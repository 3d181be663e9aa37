/* What ways to do the same thing cost, round by round: which is best, and whether that is proven. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { RING_WAYS = 9, RING_ROUNDS = 201 };

/* Costs of the last rounds, in each of which every way was measured once; written by one thread, read by any. */
struct ring_rounds {
	_Atomic(uint64_t) n; /* rounds in all, the last RING_ROUNDS are kept */
	_Atomic(uint32_t) cost[RING_ROUNDS][RING_WAYS]; /* 1/1024 cycles per packet */
	uint32_t share[RING_ROUNDS]
		      [RING_WAYS]; /* of the round's median, 1/65536; the writer's own */
};

/* A round is over. cost: of each way, 1/1024 cycles per packet. Thread: the writer. */
void ring_rounds_add(struct ring_rounds *r, const uint32_t cost[RING_WAYS]);

/* The way with the least median of its shares in all rounds there are; 0 before the first. Thread: the writer. */
unsigned int ring_rounds_best(const struct ring_rounds *r);

/*
 * A way that was better than this one by more than half a per cent in all of the last 14 rounds, or in 20 of 24, 66 of 101, 120 of 201: where both are
 * alike, chance brings about one of these once in some ten thousand times. way itself when there is none. Thread: the writer.
 */
unsigned int ring_rounds_better(const struct ring_rounds *r, unsigned int way);

/* Rounds that are there, up to RING_ROUNDS. Thread: any. */
unsigned int ring_rounds_kept(const struct ring_rounds *r);

/* The median of a way's costs, cycles per packet; 0 before the first round. Thread: any. */
double ring_rounds_median(const struct ring_rounds *r, unsigned int way);

/* In how many rounds of those that are there a way was cheaper than another. Thread: any. */
unsigned int ring_rounds_wins(const struct ring_rounds *r, unsigned int way, unsigned int other);
