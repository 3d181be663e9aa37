/* Mode auto: while packets flow, the worker tries thresholds beside the one in force, and goes to
 * what costs less. */
#pragma once

#include "engines/common/rounds.h"

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include <stdbool.h>
#include <stdint.h>

#define EXTBUF_NEVER UINT32_MAX /* a threshold: every packet is copied */

enum {
	EXTBUF_STEPS = 18,      /* thresholds there are */
	EXTBUF_TRIAL_WAYS = 3,  /* the threshold in force, one below, one above */
	EXTBUF_TRIAL_LOOK = 64, /* turns between two looks at the clock */
};

/* Of an lcore's streams, its worker's own. Times are TSC cycles. */
struct extbuf_trial {
	bool on, slicing;
	bool settled; /* no threshold was better in many rounds: they come now and then */
	uint8_t k;    /* slice of the round */
	unsigned int step[EXTBUF_TRIAL_WAYS]; /* of the ways, 0..EXTBUF_STEPS-1 */
	uint32_t seen[EXTBUF_STEPS];          /* packets by where they lie between thresholds */
	uint32_t warm, least; /* packets of a slice that do not count, and that have to */
	uint64_t hz, begin, round_begin, rest_until; /* begin: of the slice */
	uint64_t packets, cycles;                    /* of the slice: all; of those that count */
	uint32_t cost[EXTBUF_TRIAL_WAYS];            /* of this round, 1/1024 cycles per packet */
	uint32_t turns;
	uint32_t eager; /* rounds since the start or the last move */
	struct rounds rounds;
};

/*
 * Begin with a threshold in bytes. descs: of the transmit queue, as sent mbufs are freed, and that
 * is paid for, when it has gone round once. Returns the threshold to begin with. Thread: control,
 * before the run.
 */
uint32_t extbuf_trial_open(struct extbuf_trial *t, uint32_t copy_below, unsigned int descs,
	uint64_t hz);

/* The trial is for another stream of the lcore, too. Thread: the worker, before the first turn. */
void extbuf_trial_widen(struct extbuf_trial *t, const struct extbuf_trial *other);

/*
 * A turn lasted from begin until now and received packets. Returns the threshold that is in force
 * from here on. Thread: the worker.
 */
uint32_t extbuf_trial_turn(struct extbuf_trial *t, uint64_t begin, uint64_t now, uint32_t packets);

/*
 * The step that a length lies above or at: packets of step i are copied by all thresholds of later
 * steps.
 */
unsigned int extbuf_trial_place(uint32_t bytes);

/* Whether the turn that begins is to be timed. Thread: the worker. */
static __rte_always_inline bool
extbuf_trial_due(struct extbuf_trial *t)
{
	return unlikely(t->slicing) || unlikely(t->on && ++t->turns % EXTBUF_TRIAL_LOOK == 0);
}

/* Whether lengths of packets are to be noted. Thread: the worker. */
static __rte_always_inline bool
extbuf_trial_wants_lengths(const struct extbuf_trial *t)
{
	return unlikely(t->slicing) && t->packets < t->warm;
}

/* One of them. Thread: the worker. */
static inline void
extbuf_trial_length(struct extbuf_trial *t, uint32_t bytes)
{
	t->seen[extbuf_trial_place(bytes)]++;
}
