/* A file of a recording: only complete lines or chunks are written, it is rotated at a size limit,
 * and a full disk does not damage it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

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

/*
 * Create the file; overwrite: truncate a file that is not empty. limit: maximum bytes per file, 0:
 * no rotation; older: number of full files to keep. Both are ignored for devices and pipes. Errors:
 * as plain_file_write(); ENAMETOOLONG; EEXIST FILE.1 or so exists and is not a regular file.
 * Thread: one at a time, all of this file.
 */
int record_file_open(struct record_file *f, const char *path, bool overwrite, uint64_t limit,
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
