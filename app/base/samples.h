/* Statistics of few samples: which alternative is cheapest and whether the difference is significant; medians with confidence intervals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

enum { SAMPLES_CANDIDATES = 4 /* at most */, SAMPLES_KEPT = 401 };

/*
 * Costs of the last samples; each sample measures every candidate once. Written by one thread, read
 * by any.
 */
struct samples {
	/* number of candidates, 2..SAMPLES_CANDIDATES; fixed before the first sample */
	unsigned int candidates;
	_Atomic(uint64_t) n; /* total number of samples; the last SAMPLES_KEPT are kept */
	_Atomic(uint32_t) cost[SAMPLES_KEPT][SAMPLES_CANDIDATES]; /* 1/1024 cycles per packet */
};

/* Add a sample. cost[0..candidates): 1/1024 cycles per packet. Thread: the writer. */
void samples_add(struct samples *r, const uint32_t *cost);

/*
 * Return the candidate with the most kept samples in which it beat its strongest rival; 0 before
 * the first sample. Thread: the writer.
 */
unsigned int samples_best(const struct samples *r);

/*
 * Return a candidate that was cheaper than this one by more than 0.5 % in all of the last 14
 * samples, or in 20 of 24, 66 of 101, or 120 of 201; candidate itself if there is none. Between two
 * equal candidates each of these happens randomly about once in ten thousand times. Thread: the
 * writer.
 */
unsigned int samples_better(const struct samples *r, unsigned int candidate);

/* Drop all samples. Thread: the writer. */
void samples_clear(struct samples *r);

/* Return the number of kept samples, 0..SAMPLES_KEPT. Thread: any. */
unsigned int samples_kept(const struct samples *r);

/*
 * Return the median cost of a candidate, cycles per packet; 0 before the first sample. Thread: any.
 */
double samples_median(const struct samples *r, unsigned int candidate);

/* Return in how many kept samples a candidate was cheaper than another. Thread: any. */
unsigned int samples_wins(const struct samples *r, unsigned int candidate, unsigned int other);

/* The median of a few measurements and its confidence interval, from their ranks alone. */

/* All members are 0 without values. */
struct samples_rank {
	double median, low, high;
	/*
	 * Confidence level of low..high: the probability that it contains the median of the values'
	 * distribution, whatever that is; 0 for one value.
	 */
	double cover;
	unsigned int n; /* number of values */
};

/*
 * Sort value[0..n) (no NaN) and return the narrowest interval, symmetric in ranks, that contains
 * the median with at least this confidence, 0..1. The interval of the k-th value from each end has
 * probability 1 - 2 P(B < k) for B heads of n fair coins. If n is too small (five values for 0.95),
 * the interval is minimum to maximum and cover is its actual probability. Thread: any.
 */
struct samples_rank samples_rank(double *value, unsigned int n, double confidence);
