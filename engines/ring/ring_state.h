/* State of a pipeline: I/O lcores, workers, and the rings between them. Shared fields name their
 * writer. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/autotune.h"
#include "base/base.h"
#include "engines/engine.h"
#include "engines/ring/processes/ring_process.h"
#include "engines/ring/ring_link.h"

#include <rte_config.h>

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ring_attach;
struct ring_l3fwd;
struct ring_shared;
struct ring_worker;
struct routes;

/* A ring as a producer sees it, with the journal of a worker process for recovery if it dies. */

/*
 * A lock on one end of a ring that several worker processes share: 1 + the index of the worker that
 * holds it; 0: unlocked.
 */
struct ring_end_lock {
	alignas(CACHE_PAIR) atomic_uint by;
};

/*
 * Records what a worker process put into a ring, for recovery if it dies; written only by that
 * worker. See ring_journal.h.
 */
struct ring_journal {
	struct ring_worker *worker;
	struct ring_end_lock *hold; /* lock of the producers' end; NULL: no other producer */
	uint64_t burst_number;      /* the worker's burst that this entry describes */
	uint64_t routed_in;         /* the counter's value before the burst */
	uint32_t tail;              /* the ring's producer tail before the burst */
	uint32_t put;               /* packets put in; valid when not open */
	bool open;                  /* being put: all packets since tail are this worker's */
};

/* A ring into which an lcore puts packets, with a lower bound of its free slots. */
struct ring_out {
	struct ring_link *link;
	unsigned int room;
	unsigned int stream;       /* index of the stream at the other end */
	struct ring_journal *note; /* journal of a worker in another process; else NULL */
};

/* In the order of the settings' choices. */
enum ring_mode { RING_AUTO, RING_COPY, RING_ZC, RING_COMPRESSED };
enum ring_stage { RING_NONE, RING_MACSWAP, RING_L3FWD, RING_BUSY };
enum ring_spread { RING_SPREAD_AUTO, RING_SPREAD_QUEUE, RING_SPREAD_FLOW, RING_SPREAD_ANY };

/* A ring from which a worker takes packets. */
struct ring_feed {
	struct ring_link *in;
	struct ring_out *out; /* the ring back to the same stream */
	struct stream *stream;
	uint8_t *hop; /* stage l3fwd: index in outs by destination port, 0..L3_NO_PORT; else NULL */
	/* lock of the consumers' end, if workers of other processes share the ring; else NULL */
	struct ring_end_lock *hold;
};

/* A worker's counters; written only by the worker. */
struct ring_worker_count {
	counter packets, bursts, idle; /* idle: polls without packets */
	counter cycles;                /* in polls with packets, while record-core-cycles is on */
	counter stage_cycles;          /* the part of cycles that the stage took */
	counter timed;                 /* packets in these polls */
};

/* A worker's counters for one stream. */
struct ring_worker_stream {
	counter routed_out; /* packets received by this stream and sent by another one */
	counter routed_in;  /* packets received by another stream and sent by this one */
	counter lost;       /* packets that a dead worker held; written by the control thread */
};

/* How much of ring_worker_stream has been added to a stream's counters. */
struct ring_folded {
	uint64_t routed_out, routed_in, lost;
};

/* Where the current burst of a worker process is. */
enum ring_hand {
	RING_HAND_SLOTS,    /* in slots of the feed's ring, until it has been put into the next */
	RING_HAND_COPIED,   /* copied to the worker's buffer */
	RING_HAND_IN_PLACE, /* in slots of the feed's ring, where it remains */
};

/* A worker. Written by the worker unless stated otherwise. */
struct ring_worker {
	unsigned int lcore, index;
	struct ring_pipeline *pipeline;
	uint16_t burst;
	struct ring_feed *feeds;
	unsigned int n_feeds;
	struct ring_out *outs; /* each ring once */
	unsigned int n_outs;
	alignas(CACHE_PAIR) struct ring_worker_count count;
	struct ring_worker_stream *per_stream; /* [n_streams] */
	struct hw_counters *hw;                /* for an lcore that is not an I/O lcore as well */
	/* The fields up to done are used if workers run in other processes. */
	/* the process that owns this slot, 0: free; written when it is claimed and released */
	_Atomic(ring_number) holder;
	_Atomic(int32_t) pid;         /* in the process's own PID namespace, for display only */
	struct ring_journal *journal; /* one per element of outs */
	/* the number of the current burst, and the counter's value before it */
	uint64_t burst_number, routed_out;
	/* The current burst, for recovery if the worker dies; see ring_journal.h. */
	/* the feed that the burst is from, NULL: no burst. Written after the fields below */
	struct ring_feed *hand;
	enum ring_hand hand_is;
	/* before the burst, RING_HAND_COPIED: consumer tail of the feed's ring; RING_HAND_IN_PLACE:
	 * index up to which packets were passed on */
	uint32_t hand_at;
	uint16_t hand_n; /* packets, if in place or if workers share the feed's ring; else unused */
	counter beats;   /* polls, with or without packets */
	counter deaths;  /* processes that died with this slot; written by the control thread */
	atomic_bool done; /* the worker has finished: it puts no more packets into rings */
	alignas(CACHE_PAIR) struct rte_mbuf *buffer[BURST_MAX];
	/* stage l3fwd: index in outs for each packet of the current burst */
	uint8_t which[BURST_MAX];
};

/* The candidates of mode auto: copy or zero-copy in the rings to workers and in those back. */
enum { RING_CANDIDATES = 4 };

/* Counters of an I/O lcore beyond those of its streams; written only by that lcore. */
struct ring_io_count {
	counter rx_cycles, tx_cycles, timed_rx, timed_tx; /* while record-core-cycles is on */
};

struct ring_io {
	unsigned int lcore;
	unsigned int first, n; /* its streams: [first, first + n) of the pipeline's */
	unsigned int n_polled; /* of these, the first ones: their Rx queues are started */
	struct ring_pipeline *pipeline;
	struct ring_worker *own;                  /* the worker on the same lcore, or NULL */
	atomic_bool closed;                       /* it puts no more packets into rings */
	atomic_bool zero_copy_in, zero_copy_back; /* current modes */
	unsigned int polls;
	/* per stream: how much of the workers' counts its counters include */
	struct ring_folded *folded;
	struct ring_out *outs;  /* by stream, then by worker */
	struct ring_out *backs; /* n_backs rings that it empties, by stream */
	unsigned int n_backs;
	alignas(CACHE_PAIR) struct ring_io_count count;
	/* the search for the best candidate for its own streams; written by this lcore */
	struct autotune autotune;
};

/* The pipeline of a run, shared by its streams. */
struct ring_pipeline {
	enum ring_mode mode;
	enum ring_stage stage;
	enum ring_spread spread; /* never auto */
	bool remote;             /* workers run in other processes */
	atomic_bool ending;      /* no slot may be claimed any more; written by I/O lcores */
	atomic_bool abandoned;   /* the primary process has ended; written by secondaries */
	bool wait;               /* the I/O lcore waits if a ring is full; else it drops */
	bool shared;             /* all workers share one ring back per stream */
	unsigned int size;       /* slots per ring */
	uint64_t busy_cycles;    /* per packet */
	struct stream **streams;
	unsigned int n_streams;
	struct ring_io *io;
	unsigned int n_io;
	struct ring_worker *workers;
	unsigned int n_workers;
	/* Rings by stream, then by worker; NULL: no packets go there. */
	struct ring_link **in, **back;
	/* remote workers: locks by stream, of the rings back and of the rings to workers */
	struct ring_end_lock *producer_locks, *consumer_locks;
	struct ring_l3fwd *l3fwd;
};

/* The ring from a stream to a worker, and the ring back. */
static inline struct ring_link **
ring_in(const struct ring_pipeline *p, unsigned int stream, unsigned int worker)
{
	return &p->in[stream * p->n_workers + worker];
}

static inline struct ring_link **
ring_back(const struct ring_pipeline *p, unsigned int stream, unsigned int worker)
{
	return &p->back[stream * p->n_workers + worker];
}

/* The configuration of ring_pipeline that outlives runs: routes, and sharing between processes. */

struct ring_config {
	const struct routes *routes; /* for stage l3fwd, read at start */
	struct ring_shared *shared;  /* where secondaries find the pipeline; NULL: not shared */
	struct ring_process process; /* this process */
	struct ring_attach *attach;  /* state of a secondary; NULL: this is the primary */
};
