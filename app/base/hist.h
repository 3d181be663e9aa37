/* Burst-size histogram: one 64-bit counter per size, one writer, read at any time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"

#define BURST_MAX 512 /* packets of one receive call: testpmd's bound */
#define HIST_CELLS (BURST_MAX + 1)

/* The histogram that a worker writes. */
struct hist {
	counter cell[HIST_CELLS]; /* written by the stream's worker alone */
};

/* A histogram at one moment, or the difference of two: plain numbers of the control thread. */
struct hist_copy {
	uint64_t cell[HIST_CELLS];
};

/* Count one burst of n packets, 0..BURST_MAX. Thread: the one writer. */
static inline void
hist_add(struct hist *h, unsigned int n)
{
	counter_add(&h->cell[n], 1);
}

/* to = now, cell by cell. Thread: any; reads now while it is written. */
void hist_read(struct hist_copy *to, const struct hist *now);

/* to -= base, cell by cell. */
void hist_subtract(struct hist_copy *to, const struct hist_copy *base);

/* to += more, cell by cell. */
void hist_merge(struct hist_copy *to, const struct hist_copy *more);

struct hist_top {
	uint64_t bursts;  /* all of them, empty ones too */
	uint64_t packets; /* sum of size times count */
	/* the two most frequent sizes but 0, most frequent first; 0 when there is none */
	unsigned int size[2];
	uint64_t count[2];
};

/* What testpmd's burst line is made of. */
struct hist_top hist_top(const struct hist_copy *h);

/*
 * The burst size that at least permille/1000 of the non-empty bursts do not exceed; 0 when there
 * were none.
 */
unsigned int hist_quantile(const struct hist_copy *h, unsigned int permille);
