/* Open a file that a command names: without blocking (a FIFO), never while a capture or recording
 * writes it, and with its old content until the new one is complete. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct err;

/* How to open a file for writing: any of these, combined. */
enum {
	PLAIN_FILE_OVERWRITE = 1 << 0, /* a file with content is accepted */
	PLAIN_FILE_DERIVED = 1 << 1,   /* no user typed the name: links are refused */
	PLAIN_FILE_APPEND = 1 << 2,    /* write behind the content; plain_file_begin() only */
};

/*
 * Open a file for writing; create it if missing, lock and truncate a regular file. how:
 * PLAIN_FILE_OVERWRITE, PLAIN_FILE_DERIVED. *type becomes S_IFREG, S_IFCHR or S_IFIFO. The descriptor
 * is non-blocking: a full pipe or terminal gives EAGAIN. Returns the descriptor. EEXIST: the file has
 * content; ENXIO: a pipe without a reader; EBUSY: a capture or recording of any process writes it;
 * ENODEV: another type of file; ELOOP, EMLINK: a link with a derived name; else the errors of open(2)
 * and ftruncate(2).
 */
int plain_file_write(const char *path, unsigned int how, mode_t *type, struct err *e);

/* Check a file as plain_file_write() does, without opening it. EEXIST, ELOOP, EMLINK. */
int plain_file_check(const char *path, unsigned int how, struct err *e);

/*
 * A file that is replaced or created at once. A regular file gets its content beside its name, in the
 * same folder, and its name when that is complete: a command that fails, a full disk or the end of the
 * process leave the old file as it was. Devices and pipes are written directly, and so is a file that
 * is appended to.
 */
struct plain_file {
	int fd;     /* to write to */
	int old;    /* the file that is replaced, locked; -1: none */
	bool made;  /* PLAIN_FILE_APPEND: the file did not exist before */
	bool apart; /* fd has the new content and can be read; else it is the file itself */
	char name[PATH_MAX];   /* links that the user typed are resolved */
	char beside[PATH_MAX]; /* name of the new content; empty: it has none */
};

/*
 * Open the file. how: PLAIN_FILE_OVERWRITE or PLAIN_FILE_APPEND. If no file may be created in the
 * folder of an old file, or the old file is a mount point, the new content is copied into it at the
 * end. Errors: as plain_file_write(); ENAMETOOLONG. Call plain_file_end() after success.
 */
int plain_file_begin(struct plain_file *f, const char *path, unsigned int how, struct err *e);

/*
 * Close the file. keep: it is complete and takes its name; else everything is as before, but for what
 * was appended. Errors, with keep only: EEXIST, ESTALE: another file has the name now; those of
 * fsync(2), close(2) and rename(2). Everything is as before then, too.
 */
int plain_file_end(struct plain_file *f, bool keep, struct err *e);

/* Write n bytes to a file, all or none. Errors: as plain_file_begin(), write(2), plain_file_end(). */
int plain_file_whole(const char *path, unsigned int how, const void *data, size_t n, struct err *e);

/* Write all n bytes. Returns 0, or the positive errno value of write(2). */
int plain_file_put(int fd, const void *data, size_t n);

/*
 * Open a regular file for reading; fclose() it. Returns NULL with e filled: EINVAL for another type
 * of file, else the errors of open(2).
 */
FILE *plain_file_read(const char *path, struct err *e);

/*
 * Open stdin, stdout and stderr on /dev/null if they are closed, before another file gets their
 * numbers and receives the output. stdin is empty, writing to stdout fails, stderr is discarded.
 */
void plain_file_standard(void);
