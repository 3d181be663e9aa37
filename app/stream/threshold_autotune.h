/* Autotuning of a threshold in bytes below which packets are copied instead of attached or passed
 * to a DMA engine: while forwarding, the worker measures other thresholds besides the current one
 * and keeps the cheapest. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/samples.h"

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include <stdbool.h>
#include <stdint.h>

#define THRESHOLD_NEVER UINT32_MAX /* a threshold: every packet is copied */

enum {
	THRESHOLD_STEPS = 21,     /* number of possible thresholds */
	THRESHOLD_CANDIDATES = 4, /* the current threshold, one below, one above, THRESHOLD_NEVER */
	THRESHOLD_LOOK = 64,      /* polls between two reads of the TSC */
};

/* The autotuning of an lcore's streams, private to its worker. Times are TSC cycles. */
struct threshold_autotune {
	bool on, slicing;
	bool settled; /* no threshold was better in many samples: take only occasional ones */
	uint8_t k;    /* number of the slice in the sample */
	unsigned int step[THRESHOLD_CANDIDATES]; /* of the candidates, 0..THRESHOLD_STEPS-1 */
	uint32_t seen[THRESHOLD_STEPS];          /* packets by threshold_autotune_place() */
	uint32_t warm, least; /* warm-up packets of a slice; packets to measure */
	uint64_t hz, sample_begin, rest_until;
	uint64_t packets, cycles; /* of the slice: all packets; cycles after the warm-up */
	/* costs of this sample, 1/1024 cycles per packet */
	uint32_t cost[THRESHOLD_CANDIDATES];
	uint32_t polls;
	uint32_t eager; /* samples since the start or the last change of the threshold */
	struct samples samples;
};

/*
 * Begin with a threshold in bytes. descs: packets after which earlier packets cause no more cost; a
 * Tx queue frees a sent mbuf within one round of its ring. apart: THRESHOLD_NEVER copies in another
 * way, so always try it. Returns the threshold to begin with. Thread: control, before the run.
 */
uint32_t threshold_autotune_open(struct threshold_autotune *t, uint32_t copy_below,
	unsigned int descs, uint64_t hz, bool apart);

/*
 * Include another stream of the lcore in the autotuning. Thread: the worker, before the first poll.
 */
void threshold_autotune_widen(struct threshold_autotune *t, const struct threshold_autotune *other);

/*
 * Account for a poll from begin until now that received packets. worked: it processed packets, new
 * or earlier ones. Returns the threshold to use from now on. Thread: the worker.
 */
uint32_t threshold_autotune_poll(struct threshold_autotune *t, uint64_t begin, uint64_t now,
	uint32_t packets, bool worked);

/*
 * Return the last step whose threshold does not exceed bytes; thresholds of later steps copy
 * packets of this length.
 */
unsigned int threshold_autotune_place(uint32_t bytes);

/* Return whether to time the poll that begins now. Thread: the worker. */
static __rte_always_inline bool
threshold_autotune_due(struct threshold_autotune *t)
{
	return unlikely(t->slicing) || unlikely(t->on && ++t->polls % THRESHOLD_LOOK == 0);
}

/* Return whether to report packet lengths to threshold_autotune_length(). Thread: the worker. */
static __rte_always_inline bool
threshold_autotune_wants_lengths(const struct threshold_autotune *t)
{
	return unlikely(t->slicing) && t->packets < t->warm;
}

/* Record the length of a packet. Thread: the worker. */
static inline void
threshold_autotune_length(struct threshold_autotune *t, uint32_t bytes)
{
	t->seen[threshold_autotune_place(bytes)]++;
}
