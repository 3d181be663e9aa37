/* Pairs of queues that the operator named for the engine recycle_mbufs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle_ends.h"

#include <stdbool.h>

struct err;
struct stream;

enum { RECYCLE_NAMED_MAX = 64 };

/* n 0: each stream's own two queues, where its packets really flow. The engine's configuration. */
struct recycle_named {
	struct recycle_ends pair[RECYCLE_NAMED_MAX];
	unsigned int n;
};

/*
 * Let a transmit queue feed a receive queue; where it led before, it leads no longer. ENOSPC for
 * too many: then named is of no use any more. Thread: control, all of this file.
 */
int recycle_named_add(struct recycle_named *named, const struct recycle_ends *ends, struct err *e);

/*
 * As apply() of struct engine: give the feeds of the streams their pairs, as named and as the mode
 * says. EINVAL for queues of different lcores; what recycle_feed_set() says.
 */
int recycle_named_apply(struct stream *const *streams, unsigned int n, const void *config,
	bool live, struct err *e);
