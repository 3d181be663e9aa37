/* Autotuning of a threshold in bytes below which packets are copied, instead of being attached or left
 * to a DMA engine: while they flow, the worker measures thresholds beside the one in force, and keeps
 * what costs less. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/samples.h"

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include <stdbool.h>
#include <stdint.h>

#define THRESHOLD_NEVER UINT32_MAX /* a threshold: every packet is copied */

enum {
	THRESHOLD_STEPS = 21, /* thresholds there are */
	THRESHOLD_CANDIDATES =
		4,           /* the threshold in force, one below, one above; THRESHOLD_NEVER */
	THRESHOLD_LOOK = 64, /* polls between two looks at the clock */
};

/* Of an lcore's streams, its worker's own. Times are TSC cycles. */
struct threshold_autotune {
	bool on, slicing;
	bool settled; /* no threshold was better in many samples: they come now and then */
	uint8_t k;    /* slice of the sample */
	unsigned int step[THRESHOLD_CANDIDATES]; /* of the candidates, 0..THRESHOLD_STEPS-1 */
	uint32_t seen[THRESHOLD_STEPS];          /* packets by where they lie between thresholds */
	uint32_t warm, least; /* packets of a slice that do not count, and that have to */
	uint64_t hz, sample_begin, rest_until;
	uint64_t packets, cycles; /* of the slice: all; of those that count */
	/* of this sample, 1/1024 cycles per packet */
	uint32_t cost[THRESHOLD_CANDIDATES];
	uint32_t polls;
	uint32_t eager; /* samples since the start or the last move */
	struct samples samples;
};

/*
 * Begin with a threshold in bytes. descs: packets after which all that earlier ones cost is paid, as
 * a transmit queue frees sent mbufs when it has gone round once. apart: THRESHOLD_NEVER is another way
 * to copy, and worth a look wherever the threshold is. Returns the threshold to begin with.
 * Thread: control, before the run.
 */
uint32_t threshold_autotune_open(struct threshold_autotune *t, uint32_t copy_below,
	unsigned int descs, uint64_t hz, bool apart);

/*
 * The autotuning is for another stream of the lcore, too. Thread: the worker, before the first
 * poll.
 */
void threshold_autotune_widen(struct threshold_autotune *t, const struct threshold_autotune *other);

/*
 * A poll lasted from begin until now and took in packets. worked: it had those to do, or earlier
 * ones. Returns the threshold that is in force from here on. Thread: the worker.
 */
uint32_t threshold_autotune_poll(struct threshold_autotune *t, uint64_t begin, uint64_t now,
	uint32_t packets, bool worked);

/*
 * The step that a length lies above or at: packets of step i are copied by all thresholds of later
 * steps.
 */
unsigned int threshold_autotune_place(uint32_t bytes);

/* Whether the poll that begins is to be timed. Thread: the worker. */
static __rte_always_inline bool
threshold_autotune_due(struct threshold_autotune *t)
{
	return unlikely(t->slicing) || unlikely(t->on && ++t->polls % THRESHOLD_LOOK == 0);
}

/* Whether lengths of packets are to be noted. Thread: the worker. */
static __rte_always_inline bool
threshold_autotune_wants_lengths(const struct threshold_autotune *t)
{
	return unlikely(t->slicing) && t->packets < t->warm;
}

/* One of them. Thread: the worker. */
static inline void
threshold_autotune_length(struct threshold_autotune *t, uint32_t bytes)
{
	t->seen[threshold_autotune_place(bytes)]++;
}
