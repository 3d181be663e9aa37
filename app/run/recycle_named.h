/* Which transmit queues are to feed which receive queues of a run that recycles: the operator's
 * word, and the pairs that it makes of streams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/recycle_ends.h"

#include <stdbool.h>

struct err;
struct shim_layouts;
struct stream;

enum { RECYCLE_NAMED_MAX = 64 };

/* All zero: each stream's own two queues. */
struct recycle_named {
	struct recycle_ends pair[RECYCLE_NAMED_MAX];
	unsigned int n;
	bool traffic; /* lcores choose by where their packets go; then n is 0 */
};

/*
 * Let a transmit queue feed a receive queue; where it led before, it leads no longer, and no lcore
 * chooses. ENOSPC for too many: then named is of no use any more. Thread: control, all of this file.
 */
int recycle_named_add(struct recycle_named *named, const struct recycle_ends *ends, struct err *e);

/*
 * Give the feeds of the streams, one at least, their pairs, as named and as the mode says. known: as
 * for recycle_bind(). live: lcores run them. EINVAL for queues of different lcores; what recycle_feed_set() says; then some
 * streams may go by it and others as before.
 */
int recycle_named_apply(const struct recycle_named *named, struct stream *const *streams,
	unsigned int n, const struct shim_layouts *known, bool live, struct err *e);
