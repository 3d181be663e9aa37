/* The handle of a receive queue: all pairs that feed it with sent mbufs. Control can replace them
 * while the lcore runs them, and the lcore itself can choose among them by where its packets go. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/recycle.h"
#include "pmd_shims/recycle/recycle_traffic.h"
#include "pmd_shims/recycle/recycle_window.h"

#include <rte_spinlock.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	RECYCLE_LOOK = 64,    /* polls between two reads of the clock, a power of two */
	RECYCLE_HISTORY = 16, /* changes kept, one of which may be incomplete */
};

/* One requested pair. pair: NULL if it was refused; reason and why tell. */
struct recycle_feed_pair {
	struct recycle_ends ends;
	struct recycle *pair;
	enum zcfwd_recycle_reason reason;
	char why[ZCFWD_RECYCLE_TEXT];
};

/* The last changes; change i is at i modulo RECYCLE_HISTORY. n: so far. Written by the lcore. */
struct recycle_history {
	shim_counter n;
	struct {
		shim_counter tsc, from, to;
	} change[RECYCLE_HISTORY];
};

struct recycle_pairs {
	unsigned int n, n_bound;
	/* pairs that the lcore runs; written by the lcore if it chooses among them */
	struct recycle *bound[ZCFWD_RECYCLE_FEEDING];
	bool watched; /* the lcore chooses, or there is a window */
	/* written by the lcore: it reads the clock once in RECYCLE_LOOK polls */
	unsigned int polls;
	/* packets sent by each pair's Tx queue, counted by the program; NULL: all pairs feed */
	const uint64_t *sent;
	struct recycle_traffic traffic; /* written by the lcore */
	struct recycle_history history;
	struct recycle_window window; /* of the Rx queue; written by the lcore */
	_Atomic(uint32_t) feeds;      /* bits: pairs that run; written by the lcore if it chooses */
	struct recycle_feed_pair pair[]; /* n of them */
};

/* The values of zcfwd_recycle_stats(). */
#define RECYCLE_VALUE(name, unit, help) uint64_t name;
struct recycle_total {
	ZCFWD_RECYCLE_STATS(RECYCLE_VALUE, RECYCLE_VALUE)
};

struct zcfwd_recycle {
	_Atomic(void *) lcore;                     /* the thread that runs the handle; NULL: none */
	_Atomic(struct recycle_pairs *) published; /* written by control */
	/* written by the lcore, or by control while there is none, with the lock held */
	_Atomic(struct recycle_pairs *) used;
	bool paused;         /* written by the lcore */
	rte_spinlock_t lock; /* an lcore begins or stops, control changes pairs without one */
	struct recycle_total before; /* counts of replaced pairs; control only */
	struct watch_queue *rx;      /* whose owner the handle is */
	struct zcfwd_recycle_queue queue;
	struct zcfwd_recycle_options options; /* of the last zcfwd_recycle_bind() */
	int socket;
};

/* Add the counters of all pairs to *t. Thread: control. */
void recycle_pairs_add(struct recycle_total *t, const struct recycle_pairs *p);

/*
 * Choose the feeding pairs by the packets that each Tx queue has sent. now: TSC. Thread: the lcore
 * that owns the queues.
 */
void recycle_look(struct recycle_pairs *p, uint64_t now);
