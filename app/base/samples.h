/* Compare candidates for the same work by what each costs, sample by sample: which is cheapest, and
 * is that proven. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { SAMPLES_CANDIDATES = 4 /* at most */, SAMPLES_KEPT = 401 };

/*
 * Costs of the last samples, in each of which every candidate was measured once; written by one
 * thread, read by any.
 */
struct samples {
	/* there are, 2..SAMPLES_CANDIDATES; fixed before the first sample */
	unsigned int candidates;
	_Atomic(uint64_t) n; /* samples in all, the last SAMPLES_KEPT are kept */
	_Atomic(uint32_t) cost[SAMPLES_KEPT][SAMPLES_CANDIDATES]; /* 1/1024 cycles per packet */
};

/* A sample is over. cost[0..candidates): 1/1024 cycles per packet. Thread: the writer. */
void samples_add(struct samples *r, const uint32_t *cost);

/*
 * The candidate that was cheaper than each other one in the most samples of those that are there; 0
 * before the first. Thread: the writer.
 */
unsigned int samples_best(const struct samples *r);

/*
 * A candidate that was better than this one by more than half a per cent in all of the last 14
 * samples, or in 20 of 24, 66 of 101, 120 of 201: where both are alike, chance brings about one of
 * these once in some ten thousand times. candidate itself when there is none. Thread: the writer.
 */
unsigned int samples_better(const struct samples *r, unsigned int candidate);

/* Forget all samples. Thread: the writer. */
void samples_clear(struct samples *r);

/* Samples that are there, up to SAMPLES_KEPT. Thread: any. */
unsigned int samples_kept(const struct samples *r);

/* The median of a candidate's costs, cycles per packet; 0 before the first sample. Thread: any. */
double samples_median(const struct samples *r, unsigned int candidate);

/* In how many samples of those that are there a candidate was cheaper than another. Thread: any. */
unsigned int samples_wins(const struct samples *r, unsigned int candidate, unsigned int other);
