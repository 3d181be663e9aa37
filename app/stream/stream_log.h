/* Timed polls of a stream, for recordings: their cycles, and the packets of each. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#define STREAM_LOG_CELLS 240    /* cells of a histogram of cycles, 8 per power of two */
#define STREAM_LOG_POLLS 65536u /* size of the ring of polls; a power of two */

/* Which polls are timed. */
enum stream_timed {
	STREAM_TIMED_ALL = 1 << 0,   /* all, added to busy_cycles: record-core-cycles */
	STREAM_TIMED_LOG = 1 << 1,   /* one of every N, added to the log: a recording */
	STREAM_TIMED_LIMIT = 1 << 2, /* none, but each poll applies the packet limit */
	/* none, but the lcore's passes are counted by its first stream: record-hw-counters */
	STREAM_TIMED_HARDWARE = 1 << 3,
};

/* A poll with packets. In little endian, this is also the record of the burst file. */
struct stream_log_poll {
	uint64_t tsc;    /* when it began */
	uint32_t cycles; /* TSC cycles until it ended, at most UINT32_MAX */
	uint16_t rx, tx; /* packets received and sent in it, at most UINT16_MAX */
};
static_assert(sizeof(struct stream_log_poll) == 16, "the burst file's record");

/* A copy of a log's statistics, or the difference of two copies. */
struct stream_log_copy {
	uint64_t polls, rx, tx, cycles, lost;
	uint64_t cell[STREAM_LOG_CELLS]; /* polls by their cycles, see stream_log_cell() */
};

/* The log of one stream; written by its worker unless stated otherwise. */
struct stream_log {
	atomic_uint every; /* time one of every N polls with packets; written by control */
	atomic_bool keep;  /* keep timed polls in poll[]; written by control, after poll */
	struct stream_log_poll *poll;     /* ring of STREAM_LOG_POLLS, or NULL */
	alignas(CACHE_PAIR) uint64_t now; /* TSC at the begin of the timed poll; 0: none */
	uint64_t rx_before, tx_before;    /* the stream's counts at that time */
	uint32_t skip;                    /* polls to skip before the next timed one */
	uint64_t tail_seen;               /* tail when the ring was last found full */
	counter polls, rx, tx, cycles;    /* of timed polls that were not kept */
	counter cell[STREAM_LOG_CELLS];   /* number of those, by their cycles */
	counter lost;                     /* polls lost because poll[] was full */
	counter head;                     /* polls put into poll[] */
	alignas(CACHE_PAIR) counter tail; /* polls taken out; written by the reader */
	/* sums of fetched polls; written by the reader, to save the worker's time */
	struct stream_log_copy fetched;
};

/*
 * Create a log on a socket, without a ring, that times one of every `every` polls. NULL: no memory.
 * Thread: control.
 */
struct stream_log *stream_log_new(unsigned int every, int socket);

/* Free a log; it may be NULL. Its worker has ended. Thread: control. */
void stream_log_free(struct stream_log *log);

/*
 * From now on time one of every `every` polls and keep these. Polls not fetched yet are dropped.
 * Returns 0, or -ENOMEM without a change. Thread: control, also while the worker runs, but not
 * while another thread fetches.
 */
int stream_log_keep(struct stream_log *log, unsigned int every, int socket);

/* From now on time one of every `every` polls and keep none. Thread: control. */
void stream_log_time(struct stream_log *log, unsigned int every);

/*
 * Count or keep a poll that began at log->now. rx, tx: packets received and sent in it. Thread: the
 * stream's worker.
 */
void stream_log_add(struct stream_log *log, uint64_t cycles, uint64_t rx, uint64_t tx);

/*
 * Fetch up to max of the oldest kept polls and add them to the statistics. Returns their number.
 * Thread: one at a time, not the worker.
 */
unsigned int stream_log_fetch(struct stream_log *log, struct stream_log_poll *to, unsigned int max);

/* to = the log's current statistics; to -= base. Thread: the one that fetches. */
void stream_log_read(struct stream_log_copy *to, const struct stream_log *log);
void stream_log_subtract(struct stream_log_copy *to, const struct stream_log_copy *base);

/* Return the cell of a number of cycles, and the smallest number of cycles of a cell. */
unsigned int stream_log_cell(uint32_t cycles);
uint32_t stream_log_cell_least(unsigned int cell);

/*
 * Return the cycles that at least a share of the polls, 0..1, does not exceed: the middle of a cell,
 * at most 6 % off; 0 without polls.
 */
uint32_t stream_log_quantile(const struct stream_log_copy *c, double share);
