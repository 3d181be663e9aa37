/* Autotuning on live traffic: one thread measures the cost of a few candidates in interleaved time
 * slices and uses the cheapest. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "base/samples.h"

#include <stdbool.h>
#include <stdint.h>

struct out;

/*
 * Each sample has a slice per candidate. Samples alternate in order, so drift affects all
 * candidates alike. After SAMPLES_KEPT samples the best candidate is used. From then on samples are
 * rare: when one candidate is significantly better, all are measured again. Written by one thread;
 * others read the members from candidate on.
 */
struct autotune {
	bool on;      /* set by autotune_open(), before the thread runs */
	bool slicing; /* a slice is being measured */
	uint32_t polls;
	uint32_t warm;                     /* polls left that are not measured */
	unsigned int k;                    /* slices of this sample so far */
	uint64_t hz;                       /* of the clock */
	uint64_t begin, cycles;            /* of the current slice */
	uint64_t packets;                  /* total packets when the slice began */
	uint64_t spent;                    /* time in slices since the last pause */
	uint64_t rest_until;               /* end of the pause */
	uint64_t decide_at;                /* number of samples after which the best is chosen */
	uint32_t cost[SAMPLES_CANDIDATES]; /* costs in this sample */
	_Atomic(unsigned int) candidate;   /* used except in slices */
	counter changes;                   /* changes of candidate since the first decision */
	counter last;                      /* time at which the latest sample ended */
	struct samples samples;
};

/*
 * Measure candidates 0..n-1, beginning with the candidate first. *t: all zero. n:
 * 2..SAMPLES_CANDIDATES. hz: of the clock. Thread: control, before the thread runs.
 */
void autotune_open(struct autotune *t, unsigned int n, unsigned int first, uint64_t hz);

/* The candidate to use now. Thread: the writer. */
unsigned int autotune_current(const struct autotune *t);

/*
 * Account for a poll. now: its end. cycles: its duration; 0 if it only waited for traffic. packets:
 * total number processed so far. Begins and ends slices. Returns the candidate to use from now on.
 * Thread: the writer.
 */
unsigned int autotune_poll(struct autotune *t, uint64_t now, uint64_t cycles, uint64_t packets);

/* Whether there is no decision yet. Thread: any. */
static inline bool
autotune_measuring(const struct autotune *t)
{
	return t->on && counter_read(&t->samples.n) < SAMPLES_KEPT;
}

/*
 * Print the number of samples, the age of the latest one, and the number of changes; nothing before
 * the first sample. now: of the clock. Thread: control.
 */
void autotune_show(const struct autotune *t, uint64_t now, struct out *o);

/*
 * Print a candidate's median cost, and in how many samples it cost more than the one in use.
 * Thread: control.
 */
void autotune_show_candidate(const struct autotune *t, unsigned int candidate, struct out *o);
