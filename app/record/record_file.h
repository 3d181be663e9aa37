/* A file that a recording grows: whole pieces only, a new file at a size, and none of it lost to a
 * full disk. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* What every file begins with: the header, then what tells of the run under way. */
enum record_file_head { RECORD_FILE_HEADER, RECORD_FILE_RUN, RECORD_FILE_HEADS };

struct record_file {
	char path[PATH_MAX - 16]; /* as it was given */
	char real[PATH_MAX - 16]; /* of the newest; older ones have .1, .2, ... behind it */
	int fd;                   /* -1: closed */
	bool regular;             /* else a device or a pipe, which take what they are given */
	uint64_t bytes, total;    /* of this file; of all */
	uint64_t limit;           /* bytes from which on the next file is begun; 0: never */
	unsigned int older;       /* files kept beside the newest */
	unsigned int files;       /* begun */
	struct record_file_part {
		void *data;
		size_t bytes;
	} head[RECORD_FILE_HEADS]; /* ours */
};

/*
 * Begin the file, empty; overwrite: even if it has content. limit: bytes, 0: it grows as long as the disk has room; older: how many
 * full ones are kept. What is no regular file has neither. Errors: as plain_file_write();
 * ENAMETOOLONG; EEXIST: something that is no file of a recording has the name of an older one.
 * Thread: one at a time, all of this file.
 */
int record_file_open(struct record_file *f, const char *path, bool overwrite, uint64_t limit,
	unsigned int older, struct err *e);

/*
 * Write data, that is this file's head now and that of all to come. n 0: forget what was. Errors:
 * ENOMEM, and as record_file_write().
 */
int record_file_head(struct record_file *f, enum record_file_head which, const void *data, size_t n,
	struct err *e);

/*
 * Add n bytes, in the next file when this one would grow beyond its limit. What could be written in
 * part only is taken back. Errors: of write(2) and rename(2), with the path; EEXIST, as
 * record_file_open(), and ESTALE when another file has its name: then the file ends where it did.
 * EAGAIN: who reads a pipe took nothing for a second.
 */
int record_file_write(struct record_file *f, const void *data, size_t n, struct err *e);

/* Close it and free the heads; a closed one is fine. */
void record_file_close(struct record_file *f);
