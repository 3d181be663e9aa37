/* All pairs that feed one Rx queue with sent mbufs; control can replace them while the lcore runs
 * them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"
#include "pmd_shims/recycle.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

enum { RECYCLE_PAIRS_MAX = 8, RECYCLE_WHY = 160 };

/* One pair of a feed as it was asked for; NULL pair: refused, why tells. */
struct recycle_feed_pair {
	struct recycle_ends ends;
	struct recycle *pair;
	char why[RECYCLE_WHY];
};

struct recycle_pairs {
	unsigned int n, n_bound;
	/* those that were not refused: what the lcore runs */
	struct recycle *bound[RECYCLE_PAIRS_MAX];
	enum recycle_mode mode;
	struct recycle_feed_pair pair[RECYCLE_PAIRS_MAX];
};

/* What was moved and so on since open, all pairs that ever were. */
struct recycle_total {
	uint64_t moved, topped_up, shared, foreign, freed, from_blocks;
};

/* Its rows. */
extern const struct stat_table recycle_feed_stats;

struct recycle_feed {
	_Atomic(struct recycle_pairs *) wanted; /* written by control */
	_Atomic(struct recycle_pairs *) used;   /* written by the lcore */
	struct recycle_total before;            /* control only: of pairs that are gone */
	int socket;
};

/* An empty feed on a socket; NULL when memory is short. Thread: control. */
struct recycle_feed *recycle_feed_open(int socket);

/* Unbind all and free; NULL is fine. The lcore no longer runs it. Thread: control. */
void recycle_feed_close(struct recycle_feed *f);

/*
 * Replace the pairs by n others (up to RECYCLE_PAIRS_MAX), which are bound here; one that is
 * refused stays, with its reason. live: an lcore runs the feed, and this waits until it uses the
 * new ones. mode RECYCLE_OFF: none is bound. Counts of the old ones are kept as the feed's own.
 * Errors: EINVAL for too many, ENOMEM, ETIMEDOUT when the lcore does not poll (then it goes on with
 * the old ones). Thread: control.
 */
int recycle_feed_set(struct recycle_feed *f, const struct recycle_ends *ends, unsigned int n,
	enum recycle_mode mode, bool live, struct err *e);

/*
 * Put back the mbufs that the pairs keep for the next time. Thread: control, when the lcore has
 * stopped.
 */
void recycle_feed_rest(const struct recycle_feed *f);

/* The pairs now. n: how many. Thread: control. */
const struct recycle_feed_pair *recycle_feed_pairs(const struct recycle_feed *f, unsigned int *n);

/* As the last recycle_feed_set() had it. */
enum recycle_mode recycle_feed_mode(const struct recycle_feed *f);

/* The counters now. Thread: control. */
struct recycle_total recycle_feed_total(const struct recycle_feed *f);

/* Run every pair once. Returns mbufs moved. Thread: the lcore that owns the queues. */
static inline uint16_t
recycle_feed_run(struct recycle_feed *f)
{
	/* Pairs with the release in recycle_feed_set(). */
	struct recycle_pairs *p = atomic_load_explicit(&f->wanted, memory_order_acquire);
	uint16_t moved = 0;

	/* Pairs with the acquire in taken_up(). */
	if (p != atomic_load_explicit(&f->used, memory_order_relaxed))
		atomic_store_explicit(&f->used, p, memory_order_release);
	for (unsigned int i = 0; i < p->n_bound; i++)
		moved += recycle_run(p->bound[i]);
	return moved;
}
