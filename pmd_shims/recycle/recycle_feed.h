/* All pairs that feed one Rx queue with sent mbufs; control can replace them while the lcore runs
 * them, and the lcore itself can choose among them by where its packets go. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/autotune.h"
#include "base/stat.h"
#include "memory/pool.h"
#include "pmd_shims/recycle/recycle.h"
#include "pmd_shims/recycle/recycle_window.h"

#include <rte_branch_prediction.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

/* Which transmit queues feed a receive queue: those that recently sent its packets. Pure functions:
 * samples and times in, a set of queues out. */

enum {
	RECYCLE_TRAFFIC_QUEUES = 32, /* candidates at most, a bit each */
	RECYCLE_TRAFFIC_FED = 8,     /* candidates that feed at a time, at most */
	RECYCLE_TRAFFIC_CHANGES = 4, /* changes per second, at most */
	RECYCLE_TRAFFIC_HZ = 50,     /* samples per second */
	RECYCLE_TRAFFIC_LEAST = 128, /* packets that a sample needs to be significant */
	RECYCLE_TRAFFIC_JOIN = 32,   /* a queue joins if it sent at least 1 of 32 packets */
	RECYCLE_TRAFFIC_LEAVE = 128, /* a queue is idle if it sent less than 1 of 128 packets */
	RECYCLE_TRAFFIC_IDLE = 50,   /* it leaves after this many idle samples in a row */
};

struct recycle_traffic {
	unsigned int n;                          /* candidates */
	uint32_t can;                            /* bits: candidates that can feed */
	uint32_t feeds;                          /* bits: candidates that feed */
	bool begun;                              /* there was a sample, so before is valid */
	uint64_t hz, next;                       /* clock frequency; time of the next sample */
	uint64_t before[RECYCLE_TRAFFIC_QUEUES]; /* counts at the last significant sample */
	uint16_t idle[RECYCLE_TRAFFIC_QUEUES];   /* idle samples in a row */
	/* Feeding candidates, most packets first; those with similar numbers keep their order. */
	uint8_t order[RECYCLE_TRAFFIC_FED];
	unsigned int n_order;
	/* times of the last changes; change i is at i modulo RECYCLE_TRAFFIC_CHANGES */
	uint64_t changed[RECYCLE_TRAFFIC_CHANGES];
	uint64_t n_changes;
};

/*
 * Begin with n candidates, of which those in the bits can may feed; candidate first feeds if it
 * can. hz: frequency of the clock. Counts begin with the first sample.
 */
void recycle_traffic_begin(struct recycle_traffic *t, unsigned int n, uint32_t can,
	unsigned int first, uint64_t hz);

/*
 * Take a sample if one is due at time now. sent: packets of the receive queue that each candidate
 * has sent in total. A candidate with a share of the packets begins to feed; one with almost none
 * for a second stops feeding. If all places are taken, a candidate replaces one with less than half
 * its packets. feeds changes at most RECYCLE_TRAFFIC_CHANGES times a second. Returns true if it
 * changed; order is updated whenever there was enough traffic.
 */
bool recycle_traffic_sample(struct recycle_traffic *t, const uint64_t *sent, uint64_t now);

/*
 * Whether mode RECYCLE_CONTIG_AUTO uses blocks: candidate 0 is the driver's own refill, candidate 1
 * is blocks. A poll's cost is the time from one recycle_feed_run() to the next, so it includes
 * refill, receive, the engine's work, transmit, and the release of sent mbufs. If the lcore has
 * several streams, it also includes theirs.
 */
struct recycle_tuning {
	struct autotune autotune;
	const counter *rx;  /* packets received from the queue */
	uint64_t rx_before; /* its value at the last sample of the clock */
	uint64_t began;     /* time of the last sample of the clock */
};

/*
 * Account for the poll that ended at now. Returns true if blocks are to be used from now on.
 * Thread: the lcore that owns the queues.
 */
bool recycle_tuning_poll(struct recycle_tuning *t, uint64_t now);

enum {
	RECYCLE_PAIRS_MAX = RECYCLE_TRAFFIC_FED, /* pairs that feed at a time */
	RECYCLE_WHY = 160,
	RECYCLE_LOOK = 64,    /* polls between two reads of the clock, a power of two */
	RECYCLE_HISTORY = 16, /* changes kept, one of which may be incomplete */
};

/* One requested pair of a feed. pair: NULL if it was refused; why has the reason. */
struct recycle_feed_pair {
	struct recycle_ends ends;
	struct recycle *pair;
	char why[RECYCLE_WHY];
};

/* A change of the set of feeding pairs; from, to: a bit for each pair. */
struct recycle_change {
	uint64_t tsc, from, to;
};

/* The last changes; change i is at i modulo RECYCLE_HISTORY. n: so far. Written by the lcore. */
struct recycle_history {
	counter n;
	struct {
		counter tsc, from, to;
	} change[RECYCLE_HISTORY];
};

struct recycle_pairs {
	unsigned int n, n_bound;
	/* pairs that the lcore runs; written by the lcore if it chooses among them */
	struct recycle *bound[RECYCLE_PAIRS_MAX];
	enum recycle_mode mode;
	bool chooses; /* the lcore chooses among the pairs: by sent or by tuning */
	bool watched; /* it chooses, or there is a window */
	/* written by the lcore: it reads the clock if no bit of look is set in polls */
	unsigned int polls, look;
	/* the engine's counts of packets sent by each pair's Tx queue; NULL: not by traffic */
	const uint64_t *sent;
	struct recycle_traffic traffic; /* written by the lcore */
	struct recycle_tuning *tuning;  /* written by the lcore; NULL: not by cost */
	struct recycle_history history;
	struct recycle_window window; /* of the Rx queue; written by the lcore */
	_Atomic(uint32_t) feeds;      /* bits: pairs that run; written by the lcore if it chooses */
	struct recycle_feed_pair pair[]; /* n of them */
};

/* Counts since recycle_feed_open(), including pairs that were replaced. */
#define RECYCLE_TOTAL(name, line, unit, help) uint64_t name;
struct recycle_total {
	RECYCLE_COUNTS(RECYCLE_TOTAL)
	POOL_BLOCKS_COUNTS(RECYCLE_TOTAL)
	/* Levels of the window, as struct recycle_feed_window has them; STAT_NONE: not read. */
	uint64_t window, armed, in_flight, working_set;
};

/* Rows for struct recycle_total: the counts in the order of their lists, then the levels. */
extern const struct stat_table recycle_feed_stats;

struct recycle_feed {
	_Atomic(struct recycle_pairs *) published; /* written by control */
	_Atomic(struct recycle_pairs *) used;      /* written by the lcore */
	struct recycle_total before;               /* counts of replaced pairs; control only */
	int socket;
};

/* A request for pairs. */
struct recycle_feed_request {
	const struct recycle_ends *ends; /* n of them */
	unsigned int n;
	enum recycle_mode mode; /* RECYCLE_OFF: none is bound */
	/*
	 * NULL: all pairs feed, at most RECYCLE_PAIRS_MAX. Otherwise the lcore chooses among up to
	 * RECYCLE_TRAFFIC_QUEUES pairs by sent[i], the packets sent by pair i, which the lcore
	 * counts; it begins with pair first.
	 */
	const uint64_t *sent;
	unsigned int first;
	const counter *rx; /* mode RECYCLE_CONTIG_AUTO: packets received from the queue */
	/*
	 * WINDOW_OFF, WINDOW_AUTO, or descriptors to keep armed: mode RECYCLE_RING only; burst:
	 * most packets that one receive call returns
	 */
	uint16_t window, burst;
	const struct shim_layouts *known; /* as for recycle_bind() */
};

/* Make an empty feed in the memory of a socket; NULL if memory is short. Thread: control. */
struct recycle_feed *recycle_feed_open(int socket);

/*
 * Unbind all pairs and free the feed; NULL is fine. The lcore must no longer run it. Thread:
 * control.
 */
void recycle_feed_close(struct recycle_feed *f);

/*
 * Bind new pairs and replace the old ones. A refused pair is kept in the list with its reason.
 * live: an lcore runs the feed; wait until it uses the new pairs. Counts of old pairs are added to
 * the feed's total. Errors: EINVAL for too many pairs, ENOMEM, ETIMEDOUT if the lcore does not poll
 * (the old pairs remain in use). Thread: control.
 */
int recycle_feed_set(struct recycle_feed *f, const struct recycle_feed_request *request, bool live,
	struct err *e);

/*
 * Return the mbufs that the pairs keep for their next run to their pools, and arm the Rx ring in
 * full if it has a window. Thread: control, after the lcore has stopped.
 */
void recycle_feed_rest(const struct recycle_feed *f);

/* The current pairs; *n: their number. Thread: control. */
const struct recycle_feed_pair *recycle_feed_pairs(const struct recycle_feed *f, unsigned int *n);

/* Bits of the pairs that run. Thread: any, while control does not replace the pairs. */
uint32_t recycle_feed_feeds(const struct recycle_feed *f);

/* True if the lcore chooses among the pairs by traffic. Thread: control. */
bool recycle_feed_chooses(const struct recycle_feed *f);

/*
 * What mode RECYCLE_CONTIG_AUTO measured; NULL in other modes, or if no block can be used. Thread:
 * control.
 */
const struct autotune *recycle_feed_tuning(const struct recycle_feed *f);

/*
 * The window of the Rx queue; false: there is none, or no lcore runs it. The values are approximate
 * while the lcore runs. Thread: any, while control does not replace the pairs or stop a port.
 */
struct recycle_feed_window {
	bool automatic;
	uint16_t size, ring;    /* descriptors to keep armed, and of the ring */
	uint16_t armed;         /* descriptors armed after the last run */
	unsigned int in_flight; /* mbufs in the Tx queues of the pairs */
	/* bytes of the mbufs armed and in flight, with the first cache line of each packet */
	uint64_t working_set;
};
bool recycle_feed_window(const struct recycle_feed *f, struct recycle_feed_window *w);

/* Copy the last changes to change[], the latest last. Returns their number. Thread: control. */
unsigned int recycle_feed_history(const struct recycle_feed *f,
	struct recycle_change change[RECYCLE_HISTORY]);

/* The mode of the last recycle_feed_set(). */
enum recycle_mode recycle_feed_mode(const struct recycle_feed *f);

/* The feed's counts since it was opened, without levels. Thread: control. */
struct recycle_total recycle_feed_total(const struct recycle_feed *f);

/* The counts of one pair; all 0 for a refused one. Thread: control. */
struct recycle_total recycle_feed_pair_total(const struct recycle_feed_pair *p);

/*
 * Choose the feeding pairs, by the packets that each Tx queue has sent or by cost. now: TSC.
 * Thread: the lcore that owns the queues.
 */
void recycle_feed_look(struct recycle_pairs *p, uint64_t now);

/* Call recycle_feed_look() with the current TSC. Thread: the lcore that owns the queues. */
void recycle_feed_look_now(struct recycle_pairs *p);

/*
 * Use the pairs that control has published: the driver gets back the free slots that the old ones
 * hid. Thread: the lcore that owns the queues.
 */
void recycle_feed_switch(struct recycle_feed *f, struct recycle_pairs *p);

/* Run every pair once. Returns mbufs moved. Thread: the lcore that owns the queues. */
static inline uint16_t
recycle_feed_run(struct recycle_feed *f)
{
	/* Pairs with the release in recycle_feed_set(). */
	struct recycle_pairs *p = atomic_load_explicit(&f->published, memory_order_acquire);
	uint16_t moved = 0;

	if (unlikely(p != atomic_load_explicit(&f->used, memory_order_relaxed)))
		recycle_feed_switch(f, p);
	for (unsigned int i = 0; i < p->n_bound; i++)
		moved += recycle_run(p->bound[i]);
	if (likely(!p->watched))
		return moved;
	if (unlikely(recycle_window_due(&p->window)))
		recycle_window_check(&p->window, p->bound, p->n_bound);
	if (p->chooses && unlikely((++p->polls & p->look) == 0))
		recycle_feed_look_now(p);
	return moved;
}
