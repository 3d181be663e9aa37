/* Autotuning of extbuf's threshold between copying and attaching: while packets flow, the worker
 * measures thresholds beside the one in force, and keeps what costs less. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/samples.h"

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include <stdbool.h>
#include <stdint.h>

#define EXTBUF_NEVER UINT32_MAX /* a threshold: every packet is copied */

enum {
	EXTBUF_STEPS = 18,              /* thresholds there are */
	EXTBUF_AUTOTUNE_CANDIDATES = 3, /* the threshold in force, one below, one above */
	EXTBUF_AUTOTUNE_LOOK = 64,      /* polls between two looks at the clock */
};

/* Of an lcore's streams, its worker's own. Times are TSC cycles. */
struct extbuf_autotune {
	bool on, slicing;
	bool settled; /* no threshold was better in many samples: they come now and then */
	uint8_t k;    /* slice of the sample */
	unsigned int step[EXTBUF_AUTOTUNE_CANDIDATES]; /* of the candidates, 0..EXTBUF_STEPS-1 */
	uint32_t seen[EXTBUF_STEPS]; /* packets by where they lie between thresholds */
	uint32_t warm, least;        /* packets of a slice that do not count, and that have to */
	uint64_t hz, begin, sample_begin, rest_until; /* begin: of the slice */
	uint64_t packets, cycles;                     /* of the slice: all; of those that count */
	/* of this sample, 1/1024 cycles per packet */
	uint32_t cost[EXTBUF_AUTOTUNE_CANDIDATES];
	uint32_t polls;
	uint32_t eager; /* samples since the start or the last move */
	struct samples samples;
};

/*
 * Begin with a threshold in bytes. descs: of the transmit queue, as sent mbufs are freed, and that
 * is paid for, when it has gone round once. Returns the threshold to begin with. Thread: control,
 * before the run.
 */
uint32_t extbuf_autotune_open(struct extbuf_autotune *t, uint32_t copy_below, unsigned int descs,
	uint64_t hz);

/*
 * The autotuning is for another stream of the lcore, too. Thread: the worker, before the first
 * poll.
 */
void extbuf_autotune_widen(struct extbuf_autotune *t, const struct extbuf_autotune *other);

/*
 * A poll lasted from begin until now and received packets. Returns the threshold that is in force
 * from here on. Thread: the worker.
 */
uint32_t extbuf_autotune_poll(struct extbuf_autotune *t, uint64_t begin, uint64_t now,
	uint32_t packets);

/*
 * The step that a length lies above or at: packets of step i are copied by all thresholds of later
 * steps.
 */
unsigned int extbuf_autotune_place(uint32_t bytes);

/* Whether the poll that begins is to be timed. Thread: the worker. */
static __rte_always_inline bool
extbuf_autotune_due(struct extbuf_autotune *t)
{
	return unlikely(t->slicing) || unlikely(t->on && ++t->polls % EXTBUF_AUTOTUNE_LOOK == 0);
}

/* Whether lengths of packets are to be noted. Thread: the worker. */
static __rte_always_inline bool
extbuf_autotune_wants_lengths(const struct extbuf_autotune *t)
{
	return unlikely(t->slicing) && t->packets < t->warm;
}

/* One of them. Thread: the worker. */
static inline void
extbuf_autotune_length(struct extbuf_autotune *t, uint32_t bytes)
{
	t->seen[extbuf_autotune_place(bytes)]++;
}
