/* Burst-size histogram: one 64-bit counter per size, written by one worker, readable at any
 * time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"

#define BURST_MAX 512 /* packets per receive call: testpmd's limit */
#define HIST_CELLS (BURST_MAX + 1)

/* A histogram while it is written. */
struct hist {
	counter cell[HIST_CELLS]; /* written by the stream's worker */
};

/* A copy of a histogram, or the difference of two copies. */
struct hist_copy {
	uint64_t cell[HIST_CELLS];
};

/* Count one burst of n packets, 0..BURST_MAX. Thread: the writer. */
static inline void
hist_add(struct hist *h, unsigned int n)
{
	counter_add(&h->cell[n], 1);
}

/* to = now, cell by cell. Thread: any, also while now is written. */
void hist_read(struct hist_copy *to, const struct hist *now);

/* to -= base, cell by cell. */
void hist_subtract(struct hist_copy *to, const struct hist_copy *base);

struct hist_top {
	uint64_t bursts;  /* number of bursts, including empty ones */
	uint64_t packets; /* sum of size times count */
	/* the two most frequent non-zero sizes, most frequent first; 0 if there is none */
	unsigned int size[2];
	uint64_t count[2];
};

/* Return the figures of testpmd's burst line. */
struct hist_top hist_top(const struct hist_copy *h);

/*
 * Return the burst size that at least a share of the non-empty bursts, 0..1, does not exceed; 0 if
 * all bursts are empty.
 */
unsigned int hist_quantile(const struct hist_copy *h, double share);
