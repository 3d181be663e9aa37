/* The burst file: polls from the workers' logs as 16-byte records in chunks, after a
 * self-describing header. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "record/record_file.h"
#include "record/record_json.h"
#include "record/record_line.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

struct err;
struct stream_log;

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

/* Start a run of n streams: write its begin line. Errors: ENOMEM; as record_file_write(). */
int record_bursts_begin(struct record_bursts *b, const struct record_line *begin, unsigned int run,
	unsigned int n, struct err *e);

/* Write the polls in a stream's log. Errors: as record_file_write(). */
int record_bursts_drain(struct record_bursts *b, unsigned int run, unsigned int stream,
	struct stream_log *log, struct err *e);
