/* The burst file: polls from the workers' logs into chunks of 16 byte records, behind heads that
 * explain themselves. */
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
 * The first bytes of the file, little endian like all of it; JSON follows that describes chunks and
 * records, then chunks.
 */
struct record_bursts_head {
	char magic[8];
	uint32_t version;
	uint32_t bytes; /* of this and the JSON, padded with spaces to a multiple of 16 */
};
static_assert(sizeof(struct record_bursts_head) == 16, "the burst file's head");

enum record_bursts_kind {
	/* payload: the header line of the recording, padded with spaces */
	RECORD_BURSTS_HEADER = 1,
	RECORD_BURSTS_BEGIN, /* the begin line of the run */
	RECORD_BURSTS_POLLS, /* struct stream_log_poll, in the order of time */
};

struct record_bursts_chunk {
	char magic[4]; /* "chnk" */
	uint16_t kind, stream;
	uint32_t run;
	/* of the payload behind this, a multiple of 16; unknown kinds are skipped by it */
	uint32_t bytes;
	/* polls of this stream that found no room, since its last chunk in this run */
	uint64_t lost;
	uint64_t zero;
};
static_assert(sizeof(struct record_bursts_chunk) == 32, "the burst file's chunk");

struct record_bursts {
	struct record_file file;
	bool open;
	struct record_kept *kept; /* of this run, by stream */
	void *room;               /* one chunk of polls in the making */
};

/*
 * Begin FILE.bursts with the header line of the recording. Errors: as record_file_open(), ENOMEM.
 * Thread: one at a time, all of this file.
 */
int record_bursts_open(struct record_bursts *b, const char *path, bool overwrite, uint64_t limit,
	unsigned int older, const struct record_line *header, struct err *e);

/* EEXIST: FILE.bursts has content, and overwrite is false. */
int record_bursts_check(const char *path, bool overwrite, struct err *e);

/* Write what is left in the room and close the file. */
void record_bursts_close(struct record_bursts *b);

/* A run of n streams begins. Errors: ENOMEM, of writing. */
int record_bursts_begin(struct record_bursts *b, const struct record_line *begin, unsigned int run,
	unsigned int n, struct err *e);

/* Write what a stream's log has kept. Errors: of writing. */
int record_bursts_drain(struct record_bursts *b, unsigned int run, unsigned int stream,
	struct stream_log *log, struct err *e);
