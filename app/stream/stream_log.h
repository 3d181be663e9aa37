/* Timed polls of a stream, for recordings: how many cycles they take, and packets moved poll by
 * poll. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define STREAM_LOG_CELLS 240    /* cells of a histogram of cycles, 8 per power of two */
#define STREAM_LOG_POLLS 65536u /* kept until the control side fetches them; a power of two */

/* Which polls are timed. */
enum stream_timed {
	STREAM_TIMED_ALL = 1 << 0,   /* all, into busy_cycles: record-core-cycles */
	STREAM_TIMED_LOG = 1 << 1,   /* as the log says, into the log: a recording */
	STREAM_TIMED_LIMIT = 1 << 2, /* none; but each asks how many packets are left for it */
	/* none; but the passes of the lcore, whose first stream it is: record-hw-counters */
	STREAM_TIMED_HARDWARE = 1 << 3,
};

/* A poll that had packets. Little endian, this is also the record of the burst file. */
struct stream_log_poll {
	uint64_t tsc;    /* when it began */
	uint32_t cycles; /* TSC cycles until it ended, at most UINT32_MAX */
	uint16_t rx, tx; /* packets received and sent in it, at most UINT16_MAX */
};
static_assert(sizeof(struct stream_log_poll) == 16, "the burst file's record");

/* What is known of timed polls at one moment, or the difference of two. */
struct stream_log_copy {
	uint64_t polls, rx, tx, cycles, lost;
	uint64_t cell[STREAM_LOG_CELLS]; /* polls by their cycles, see stream_log_cell() */
};

/* Of one stream; its worker writes unless said otherwise. */
struct stream_log {
	atomic_uint every; /* of so many polls with packets one is timed, 1: all; control writes */
	atomic_bool keep;  /* and kept in poll[]; control writes, poll[] before it */
	struct stream_log_poll *poll;     /* STREAM_LOG_POLLS of them, or NULL */
	alignas(CACHE_PAIR) uint64_t now; /* TSC at which the poll began that is timed; 0: none */
	uint64_t rx_before, tx_before;    /* the stream's counts then */
	uint32_t skip;                    /* polls that are not timed before the next one is */
	uint64_t tail_seen;               /* of tail, when there was last no room */
	counter polls, rx, tx, cycles;    /* of the polls that were timed and not kept */
	counter cell[STREAM_LOG_CELLS];   /* of those, by their cycles */
	counter lost;                     /* polls to be kept that found no room in poll[] */
	counter head;                     /* polls put into poll[] */
	alignas(CACHE_PAIR) counter tail; /* polls taken out; the reader writes */
	/* sums of those; the reader writes: a worker has better things to do */
	struct stream_log_copy fetched;
};

/*
 * A log without room for polls on that socket, timing one poll of every; NULL: no memory. Thread:
 * control.
 */
struct stream_log *stream_log_new(unsigned int every, int socket);

/* Free it; NULL is fine. Its worker is gone. Thread: control. */
void stream_log_free(struct stream_log *log);

/*
 * Time one poll of every from now on, and keep those polls. What was kept before and not fetched is
 * forgotten. Returns 0, or -ENOMEM: as before. Thread: control, also while the worker runs; nobody
 * fetches meanwhile.
 */
int stream_log_keep(struct stream_log *log, unsigned int every, int socket);

/* Time one poll of every, keep none. Thread: control. */
void stream_log_time(struct stream_log *log, unsigned int every);

/*
 * Count a poll, or keep it: it began at log->now, took cycles and moved packets. Thread: the
 * stream's worker.
 */
void stream_log_add(struct stream_log *log, uint64_t cycles, uint64_t rx, uint64_t tx);

/*
 * Fetch up to max of the oldest polls kept, which count from then on. Returns how many. Thread: one
 * at a time, not the worker.
 */
unsigned int stream_log_fetch(struct stream_log *log, struct stream_log_poll *to, unsigned int max);

/* to = the log's statistics now; to -= base. Thread: who fetches. */
void stream_log_read(struct stream_log_copy *to, const struct stream_log *log);
void stream_log_subtract(struct stream_log_copy *to, const struct stream_log_copy *base);

/* The cell of so many cycles, and the fewest cycles of a cell. */
unsigned int stream_log_cell(uint32_t cycles);
uint32_t stream_log_cell_least(unsigned int cell);

/*
 * Cycles that at least permille/1000 of the polls do not exceed: the middle of the cell, 6 % off at
 * most; 0: no polls.
 */
uint32_t stream_log_quantile(const struct stream_log_copy *c, unsigned int permille);
