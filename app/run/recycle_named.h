/* The operator's choice of Tx queues that feed Rx queues in runs that recycle, and applying it to
 * the streams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <zcfwd/recycle.h>

struct err;
struct stream;

/* Values of the setting recycle mode: those of the library, and one that is the program's. */
enum {
	/* contiguous blocks, or the driver's own refill if that is cheaper (recycle_tuning.h) */
	RECYCLE_MODE_CONTIG_AUTO = ZCFWD_RECYCLE_MODE_OFF + 1,
};
#define RECYCLE_MODES \
	[ZCFWD_RECYCLE_MODE_RING] = "ring", [ZCFWD_RECYCLE_MODE_CACHE] = "cache", \
	[ZCFWD_RECYCLE_MODE_BLOCKS] = "contig", [ZCFWD_RECYCLE_MODE_OFF] = "off", \
	[RECYCLE_MODE_CONTIG_AUTO] = "contig_auto"

/* Accepted sources of queue layouts: values of the setting recycle layouts. */
enum { RECYCLE_LAYOUTS_TABLE, RECYCLE_LAYOUTS_CHECK };
#define RECYCLE_LAYOUTS [RECYCLE_LAYOUTS_TABLE] = "table", [RECYCLE_LAYOUTS_CHECK] = "check"

enum { RECYCLE_NAMED_MAX = 64 };

/* An Rx queue and a Tx queue that feeds it. */
struct recycle_queues {
	uint16_t rx_port, rx_queue, tx_port, tx_queue;
};

/* All zero: each stream pairs its own two queues. */
struct recycle_named {
	struct recycle_queues pair[RECYCLE_NAMED_MAX];
	unsigned int n;
	bool traffic; /* lcores choose the pairs by traffic at run time; then n is 0 */
};

/*
 * Let a Tx queue feed an Rx queue, instead of another Rx queue; lcores stop choosing by traffic.
 * ENOSPC: too many pairs; named is unusable then. Thread: control, for all of this file.
 */
int recycle_named_add(struct recycle_named *named, const struct recycle_queues *ends,
	struct err *e);

/*
 * Read "off", "auto" or a number of descriptors into *size. Errors: EINVAL, with e naming the word.
 */
int recycle_window_parse(const char *text, uint16_t *size, struct err *e);

/*
 * Set the pairs of the streams' feeds as named and by the settings. n: at least 1. EINVAL: queues of
 * different lcores; errors of zcfwd_recycle_bind(). After an error some streams may have the new
 * pairs and others the old.
 */
int recycle_named_apply(const struct recycle_named *named, struct stream *const *streams,
	unsigned int n, struct err *e);
