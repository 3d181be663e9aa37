/* Compare ways to do one thing by what each costs, sampled in rounds: which is cheapest, and is it proven. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { ROUNDS_WAYS = 9 /* at most */, ROUNDS_KEPT = 201 };

/*
 * Costs of the last rounds, in each of which every way was measured once; written by one thread,
 * read by any.
 */
struct rounds {
	unsigned int ways;   /* there are, 2..ROUNDS_WAYS; fixed before the first round */
	_Atomic(uint64_t) n; /* rounds in all, the last ROUNDS_KEPT are kept */
	_Atomic(uint32_t) cost[ROUNDS_KEPT][ROUNDS_WAYS]; /* 1/1024 cycles per packet */
	uint32_t share[ROUNDS_KEPT]
		      [ROUNDS_WAYS]; /* of the round's median, 1/65536; the writer's own */
};

/* A round is over. cost[0..ways): 1/1024 cycles per packet. Thread: the writer. */
void rounds_add(struct rounds *r, const uint32_t *cost);

/*
 * The way with the least median of its shares in all rounds there are; 0 before the first. Thread:
 * the writer.
 */
unsigned int rounds_best(const struct rounds *r);

/*
 * A way that was better than this one by more than half a per cent in all of the last 14 rounds, or
 * in 20 of 24, 66 of 101, 120 of 201: where both are alike, chance brings about one of these once
 * in some ten thousand times. way itself when there is none. Thread: the writer.
 */
unsigned int rounds_better(const struct rounds *r, unsigned int way);

/* Forget all rounds. Thread: the writer. */
void rounds_clear(struct rounds *r);

/* Rounds that are there, up to ROUNDS_KEPT. Thread: any. */
unsigned int rounds_kept(const struct rounds *r);

/* The median of a way's costs, cycles per packet; 0 before the first round. Thread: any. */
double rounds_median(const struct rounds *r, unsigned int way);

/* In how many rounds of those that are there a way was cheaper than another. Thread: any. */
unsigned int rounds_wins(const struct rounds *r, unsigned int way, unsigned int other);
