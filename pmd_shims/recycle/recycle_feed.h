/* All pairs that feed one Rx queue with sent mbufs; control can replace them while the lcore runs
 * them, and the lcore itself can choose among them by where its packets go. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"
#include "pmd_shims/recycle/recycle.h"
#include "pmd_shims/recycle/recycle_traffic.h"

#include <rte_branch_prediction.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

enum {
	RECYCLE_PAIRS_MAX = RECYCLE_TRAFFIC_FED, /* that feed at a time */
	RECYCLE_WHY = 160,
	RECYCLE_LOOK = 64,    /* polls between two looks at the clock */
	RECYCLE_HISTORY = 16, /* changes: the last but for the one that is being written */
};

/* One pair of a feed as it was asked for; NULL pair: refused, why tells. */
struct recycle_feed_pair {
	struct recycle_ends ends;
	struct recycle *pair;
	char why[RECYCLE_WHY];
};

/* A change of who feeds: bits of pairs. */
struct recycle_change {
	uint64_t tsc, from, to;
};

/* Changes so far, the last ones at their number modulo RECYCLE_HISTORY. Written by the lcore. */
struct recycle_history {
	counter n;
	struct {
		counter tsc, from, to;
	} change[RECYCLE_HISTORY];
};

struct recycle_pairs {
	unsigned int n, n_bound;
	/* what the lcore runs; where it chooses, its own */
	struct recycle *bound[RECYCLE_PAIRS_MAX];
	enum recycle_mode mode;
	/* of the engine: by each pair's transmit queue, how many packets; NULL: nobody chooses */
	const uint64_t *sent;
	unsigned int polls; /* the lcore's, as is traffic */
	struct recycle_traffic traffic;
	struct recycle_history history;
	_Atomic(uint32_t) feeds; /* bits: pairs that run; written by the lcore where it chooses */
	struct recycle_feed_pair pair[]; /* n of them */
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

/* The pairs to be. */
struct recycle_feed_want {
	const struct recycle_ends *ends; /* n of them */
	unsigned int n;
	enum recycle_mode mode; /* RECYCLE_OFF: none is bound */
	/*
	 * NULL: all feed, RECYCLE_PAIRS_MAX at most. Else the lcore chooses among up to
	 * RECYCLE_TRAFFIC_QUEUES by what sent[i], which it writes, says of pair i, and begins with
	 * pair first.
	 */
	const uint64_t *sent;
	unsigned int first;
	const struct shim_layouts *known; /* as for recycle_bind() */
};

/* An empty feed on a socket; NULL when memory is short. Thread: control. */
struct recycle_feed *recycle_feed_open(int socket);

/* Unbind all and free; NULL is fine. The lcore no longer runs it. Thread: control. */
void recycle_feed_close(struct recycle_feed *f);

/*
 * Replace the pairs by others, which are bound here; one that is refused stays, with its reason.
 * live: an lcore runs the feed, and this waits until it uses the new ones. Counts of the old ones
 * are kept as the feed's own. Errors: EINVAL for too many, ENOMEM, ETIMEDOUT when the lcore does not
 * poll (then it goes on with the old ones). Thread: control.
 */
int recycle_feed_set(struct recycle_feed *f, const struct recycle_feed_want *want, bool live,
	struct err *e);

/*
 * Put back the mbufs that the pairs keep for the next time. Thread: control, when the lcore has
 * stopped.
 */
void recycle_feed_rest(const struct recycle_feed *f);

/* The pairs now. n: how many. Thread: control. */
const struct recycle_feed_pair *recycle_feed_pairs(const struct recycle_feed *f, unsigned int *n);

/* Bits: which of them run. Thread: any that keeps control from replacing them. */
uint32_t recycle_feed_feeds(const struct recycle_feed *f);

/* Whether the lcore chooses. Thread: control. */
bool recycle_feed_chooses(const struct recycle_feed *f);

/* The last changes, the latest last. Returns how many there are now in change[]. Thread: control. */
unsigned int recycle_feed_history(const struct recycle_feed *f,
	struct recycle_change change[RECYCLE_HISTORY]);

/* As the last recycle_feed_set() had it. */
enum recycle_mode recycle_feed_mode(const struct recycle_feed *f);

/* The counters now. Thread: control. */
struct recycle_total recycle_feed_total(const struct recycle_feed *f);

/* The same of one of its pairs; all 0 of one that was refused. Thread: control. */
struct recycle_total recycle_feed_pair_total(const struct recycle_feed_pair *p);

/*
 * Look where packets went, at time now of TSC, and choose who feeds. Thread: the lcore that owns the
 * queues.
 */
void recycle_feed_look(struct recycle_pairs *p, uint64_t now);

/* The same at the time it is. */
void recycle_feed_look_now(struct recycle_pairs *p);

/* Run every pair once. Returns mbufs moved. Thread: the lcore that owns the queues. */
static inline uint16_t
recycle_feed_run(struct recycle_feed *f)
{
	/* Pairs with the release in recycle_feed_set(). */
	struct recycle_pairs *p = atomic_load_explicit(&f->wanted, memory_order_acquire);
	uint16_t moved = 0;

	/* Pairs with the acquire in taken_up(). */
	if (unlikely(p != atomic_load_explicit(&f->used, memory_order_relaxed)))
		atomic_store_explicit(&f->used, p, memory_order_release);
	for (unsigned int i = 0; i < p->n_bound; i++)
		moved += recycle_run(p->bound[i]);
	if (unlikely(p->sent != NULL) && unlikely(++p->polls % RECYCLE_LOOK == 0))
		recycle_feed_look_now(p);
	return moved;
}
