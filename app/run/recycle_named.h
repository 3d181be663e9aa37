/* The operator's choice of Tx queues that feed Rx queues in runs that recycle, and applying it to
 * the streams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"

#include <stdbool.h>

struct err;
struct stream;

enum { RECYCLE_NAMED_MAX = 64 };

/* All zero: each stream pairs its own two queues. */
struct recycle_named {
	struct recycle_ends pair[RECYCLE_NAMED_MAX];
	unsigned int n;
	bool traffic; /* lcores choose the pairs by traffic at run time; then n is 0 */
};

/*
 * Let a Tx queue feed an Rx queue, instead of another Rx queue; lcores stop choosing by traffic.
 * ENOSPC: too many pairs; named is unusable then. Thread: control, for all of this file.
 */
int recycle_named_add(struct recycle_named *named, const struct recycle_ends *ends, struct err *e);

/*
 * Set the pairs of the streams' feeds as named and by the mode. n: at least 1. known: as for
 * recycle_bind(). live: lcores run the streams. EINVAL: queues of different lcores; errors of
 * recycle_feed_set(). After an error some streams may have the new pairs and others the old.
 */
int recycle_named_apply(const struct recycle_named *named, struct stream *const *streams,
	unsigned int n, const struct shim_layouts *known, bool live, struct err *e);
