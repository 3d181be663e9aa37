/* Driver cycles per packet of several engines over the same modelled ports, by turns in one
 * process.  A variant is "ENGINE[,SETTING=VALUE]...". Each time its turn comes its settings are put
 * in place, its streams made and its own loop run, as `set` and `start` do; afterwards all is as it
 * was. So engines that claim queues or install callbacks do not meet. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "bench/nics.h"
#include "bench/spread.h"

#include <stdint.h>

struct err;
struct interrupt;
struct run;

enum { LOCKSTEP_VARIANTS = 8, LOCKSTEP_NAME = 96, LOCKSTEP_REPEAT = 10 };

/* How to measure. */
struct lockstep_plan {
	/*
	 * how often each variant comes up with the core to itself; in all at most LOCKSTEP_REPEAT
	 * times as often
	 */
	uint32_t samples;
	uint32_t rounds;                   /* turns of all streams in one batch */
	const struct interrupt *interrupt; /* ends it with EINTR */
	/*
	 * NICs that are stepped: the calling thread runs turns, timed, and between batches the
	 * model, untimed.
	 */
	uint32_t batches; /* of a sample */
	uint32_t warm_up; /* lockstep_count(): batches before those */
	/*
	 * a sample is the mean of its batches, not their median: for drivers that free in rare
	 * large spells
	 */
	bool mean;
	/* memory written before each batch, so that the caches forget; 0: hot */
	uint32_t evict_kib;
	/*
	 * NICs with a thread: the calling thread runs turns only, and those that had packets are
	 * timed. 0: the NICs are stepped.
	 */
	uint32_t slice_ms; /* length of a sample */
};

/* TSC cycles per packet of the batches of one variant. */
struct lockstep_result {
	char name[LOCKSTEP_NAME];
	uint64_t batches; /* that were counted */
	uint64_t shared;  /* left out: the core was not ours alone, see yardstick.h */
	/* left out: a turn found less than a full burst; with slices: no packet at all */
	uint64_t starved;
	uint64_t tx_full;       /* left out: a Tx ring had no room for a whole burst */
	double p5, median, p90; /* of batches; of the means of samples, with mean */
	/* to the first variant, of the medians or means of samples that lie side by side */
	struct spread_ratio ratio;
	/* median and ratio when the batches on a shared core count too: what leaving them out changed */
	double median_all, ratio_all;
};

/* Of all variants together. */
struct lockstep_whole {
	double core; /* the lowest yardstick(): how much of the core there was at best */
	/*
	 * some variant never had the core to itself: batches count whatever they had of it, none is
	 * left out for that
	 */
	bool crowded;
	struct nics_account account;
};

/*
 * Measure n variants by turns and fill result[0..n), and *whole. Ports are started, nothing
 * forwards. The NICs' reports begin anew. Errors: ENODEV without modelled NICs of that mode; EINVAL
 * for a variant that is not understood; ENODATA where no batch counts; EIO where packets do not add
 * up; what init() of the engines says. Thread: control.
 */
int lockstep_measure(struct run *r, const struct lockstep_plan *plan, char *const *variant,
	unsigned int n, struct lockstep_result *result, struct lockstep_whole *whole,
	struct err *e);

/* What a profiler was shown. */
struct lockstep_counted {
	uint64_t packets; /* received; of an engine that makes packets: made */
	struct nics_account account;
};

/*
 * Run plan->warm_up batches of a variant, then plan->batches within variant_turns_profiled(), which
 * is what a profiler shall count; samples, mean, evict_kib and slice_ms mean nothing. No clock is
 * read: what is done is the same each time. Errors: as above; ENODATA where a batch was not full.
 * Thread: control.
 */
int lockstep_count(struct run *r, const struct lockstep_plan *plan, const char *variant,
	struct lockstep_counted *counted, struct err *e);
