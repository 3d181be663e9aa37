/* State shared by the recorder's thread and control, and its operations; the caller holds the
 * lock. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/err.h"
#include "record/record_file.h"
#include "record/record_head.h"
#include "record/record_sample.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

/* The burst file: polls from the workers' logs as 16-byte records in chunks, after a
 * self-describing header. */

#define RECORD_BURSTS_MAGIC "ZCFWDBST"
#define RECORD_BURSTS_VERSION 1
#define RECORD_BURSTS_SUFFIX ".bursts"

/*
 * The first bytes of the file, little endian like the rest. JSON that describes chunks and records
 * follows, then the chunks.
 */
struct record_bursts_head {
	char magic[8];
	uint32_t version;
	/* Length of this struct and the JSON, padded with spaces to a multiple of 16. */
	uint32_t bytes;
};
static_assert(sizeof(struct record_bursts_head) == 16, "the burst file's head");

enum record_bursts_kind {
	/* payload: the header line of the recording, padded with spaces */
	RECORD_BURSTS_HEADER = 1,
	RECORD_BURSTS_BEGIN, /* the begin line of the run */
	RECORD_BURSTS_POLLS, /* array of struct stream_log_poll, in chronological order */
};

struct record_bursts_chunk {
	char magic[4]; /* "chnk" */
	uint16_t kind, stream;
	uint32_t run;
	/* Length of the payload that follows, a multiple of 16; to skip unknown kinds. */
	uint32_t bytes;
	/* Polls of this stream lost since its last chunk in this run. */
	uint64_t lost;
	uint64_t zero;
};
static_assert(sizeof(struct record_bursts_chunk) == 32, "the burst file's chunk");

struct record_bursts {
	struct record_file file;
	bool open;
	struct record_kept *kept; /* counts of this run, by stream */
	void *room;               /* buffer for one chunk of polls */
};

/*
 * Create FILE.bursts with the header line of the recording. Errors: as record_file_open(), ENOMEM.
 * Thread: one at a time, all of this file.
 */
int record_bursts_open(struct record_bursts *b, const char *path, bool overwrite, uint64_t limit,
	unsigned int older, const struct record_line *header, struct err *e);

/* Return -EEXIST if FILE.bursts is not empty and overwrite is false. */
int record_bursts_check(const char *path, bool overwrite, struct err *e);

/* Write the last chunk and close the file. */
void record_bursts_close(struct record_bursts *b);

/* The current run. */
struct record_run {
	bool on;
	unsigned int number; /* from 1 */
	uint64_t next_ns;    /* time of the next sample */
	/* Samples at the begin of the run, at the last line, now, and their difference. */
	struct record_sample *base, *last, *now, *diff;
};

struct record {
	struct run *run;
	const char *version; /* program version */
	pthread_t thread;
	/* Used by control only. */
	bool on, ever;
	/*
	 * Used by both threads, under lock. Only control changes plan. While the recording is on,
	 * failed changes only from false to true.
	 */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct record_plan plan;
	struct record_file file;
	struct record_bursts bursts;
	struct record_run now;
	uint64_t lines, intervals, skipped, kept, lost;
	bool stop;
	atomic_bool failed;
	struct err why;
};

/*
 * Write a line and free its text. Errors: ENOMEM line.text is NULL; as record_file_write(). Thread:
 * any that holds the lock, all of this file.
 */
int record_state_put(struct record *rec, struct record_line line, struct err *e);

/* Return the present time with the current run, or with run 0. */
struct record_at record_state_at(const struct record *rec);

/*
 * Start to record a run: create logs for its streams, write its begin line and take the first
 * sample. late: the run started earlier. On failure all of it is undone. Errors: ENOMEM; as
 * record_file_write(). Thread: control.
 */
int record_state_begin(struct record *rec, bool late, struct err *e);

/*
 * End the run: write the rest of the logs, the last interval and the totals. Errors: as
 * record_file_write(); then the run is still on. Thread: control.
 */
int record_state_end(struct record *rec, struct err *e);

/*
 * Write the lines and polls that are due. *wake_ns: time of the next call, CLOCK_MONOTONIC. Errors:
 * as record_file_write().
 */
int record_state_step(struct record *rec, uint64_t *wake_ns, struct err *e);

/* Stop recording the run: its streams no longer time polls for the recording. */
void record_state_drop(struct record *rec);
