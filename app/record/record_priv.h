/* The parts of the recorder: its state, the head of a recording, its files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/err.h"
#include "base/hdr.h"
#include "base/plain_file.h"
#include "record/record_sample.h"

#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file of a recording: only complete lines or chunks are written, it is rotated at a size limit, and a full disk does not damage it. */

/* The start of every file: the header, then the begin line of the current run. */
enum record_file_head { RECORD_FILE_HEADER, RECORD_FILE_RUN, RECORD_FILE_HEADS };

struct record_file {
	char path[PATH_MAX - 16]; /* as it was given */
	char real[PATH_MAX - 16]; /* real path of the newest file; older ones append .1, .2, ... */
	int fd;                   /* -1: closed */
	bool regular;             /* false: device or pipe, without rotation */
	uint64_t bytes, total;    /* length of this file; of all files */
	uint64_t limit;           /* maximum bytes per file; 0: no rotation */
	unsigned int older;       /* number of older files to keep */
	unsigned int files;       /* number of files created */
	struct record_file_part {
		void *data;
		size_t bytes;
	} head[RECORD_FILE_HEADS]; /* owned */
};

/* How to open a file whose name derives from the recording's. */
static inline unsigned int
record_derived(bool overwrite)
{
	return PLAIN_FILE_DERIVED | (overwrite ? PLAIN_FILE_OVERWRITE : 0);
}

/*
 * Create the file. how: as for plain_file_write(). limit: maximum bytes per file, 0: no rotation;
 * older: number of full files to keep. Both are ignored for devices and pipes. Errors: as
 * plain_file_write(); ENAMETOOLONG; EEXIST FILE.1 or so exists and is not a regular file; EBUSY: it is written.
 * Thread: one at a time, all of this file.
 */
int record_file_open(struct record_file *f, const char *path, unsigned int how, uint64_t limit,
	unsigned int older, struct err *e);

/*
 * Write data[0..n) and repeat it at the start of each later file. n 0: do not repeat the previous
 * data any more. Errors: ENOMEM, and as record_file_write().
 */
int record_file_head(struct record_file *f, enum record_file_head which, const void *data, size_t n,
	struct err *e);

/*
 * Append n bytes, after rotation if the file would exceed its limit. A partial write is undone.
 * Errors: of write(2) and rename(2), with the path; EEXIST as record_file_open(); ESTALE the path
 * names another file now; EAGAIN the reader of a pipe read nothing for a second.
 */
int record_file_write(struct record_file *f, const void *data, size_t n, struct err *e);

/* Close the file and free the heads; f may be closed already. */
void record_file_close(struct record_file *f);

/* The lines of a recording: program and machine, setup of a run, changed settings, statistics of an interval or a run. */

/* The lines with statistics of streams, ports and pools in an interval or in a whole run. */

/* Polls of one stream in the whole run: in the burst file, and lost. */
struct record_kept {
	uint64_t kept, lost;
};

/*
 * Return the line of type interval, or end (totals of the run), with the differences d over dt_ns.
 * kept: by stream, NULL: no burst file. Thread: any, during the run.
 */
struct record_line record_json_line(const char *type, const struct run *r,
	const struct record_plan *plan, const struct record_at *at, uint64_t dt_ns,
	const struct record_sample *d, const struct record_kept *kept);

#define RECORD_HEAD_VERSION 2 /* format version, in every header */

/*
 * Return the line of type header, the first one of every file: versions, machine, clocks, ports,
 * engine and settings. version: of the program; id: name of the recording. Thread: control.
 */
struct record_line record_head_line(const struct run *r, const struct record_plan *plan,
	const char *version, const char *id);

/*
 * Return the line of type begin for a run: engine, settings, streams and ports with their burst
 * functions. late: the run started before the recording. Thread: control.
 */
struct record_line record_head_begin(const struct run *r, const struct record_plan *plan,
	const struct record_at *at, bool late);

/* Return the line of type set: the new value of a setting. Thread: control. */
struct record_line record_head_set(const struct run *r, const struct record_at *at,
	const char *name);

/* Return the line of type stop: the recording ended on request. */
struct record_line record_head_stop(const struct record_at *at);

/* State shared by the recorder's thread and control, and its operations; the caller holds the lock. */

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

/* Errors as plain_file_check(): FILE.bursts is not empty and overwrite is false, or it is a link. */
int record_bursts_check(const char *path, bool overwrite, struct err *e);

/* Write the last chunk and close the file. */
void record_bursts_close(struct record_bursts *b);

/* The log of histograms: those of the engine, stream by stream, in HdrHistogram's format. */

#define RECORD_TIMES_SUFFIX ".hlog"

struct record_times {
	struct record_file file;
	bool open;
	uint64_t start_ns; /* CLOCK_MONOTONIC when the log's time was 0 */
	uint64_t lines;    /* of intervals */
	/* Of this run: each histogram of each stream at the last line; room for two more. */
	struct hdr_copy *last, *room;
};

/*
 * Create FILE.hlog. id: name of the recording. Errors: as record_file_open(), ENOMEM. Thread: one at a time, all of this file.
 */
int record_times_open(struct record_times *t, const char *path, bool overwrite, uint64_t limit,
	unsigned int older, const char *version, const char *id, struct err *e);

/* Errors as plain_file_check(): FILE.hlog is not empty and overwrite is false, or it is a link. */
int record_times_check(const char *path, bool overwrite, struct err *e);

/*
 * Start a run: write a comment with its number, and read all histograms. Errors: ENOMEM; as
 * record_file_write().
 */
int record_times_begin(struct record_times *t, struct run *r, unsigned int number, struct err *e);

/*
 * Write what the recorded streams have counted since the last call or the begin of the run: a line
 * for each histogram that is not empty. begin_ns, end_ns: CLOCK_MONOTONIC. Errors: ENOMEM; as
 * record_file_write().
 */
int record_times_interval(struct record_times *t, struct run *r, const struct record_plan *plan,
	uint64_t begin_ns, uint64_t end_ns, struct err *e);

/* Close the file; it may be closed already. */
void record_times_close(struct record_times *t);

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
	bool on;
	unsigned int number; /* of the last recording; 0: none yet */
	/*
	 * Used by both threads, under lock. Only control changes plan. While the recording is on,
	 * failed changes only from false to true.
	 */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct record_plan plan;
	struct record_file file;
	struct record_bursts bursts;
	struct record_times times;
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
