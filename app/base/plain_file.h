/* Open a file that a command names, without blocking (a FIFO), unless a capture or recording
 * already writes it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct err;

/*
 * Open a file for writing; create it if missing, lock and truncate a regular file. overwrite:
 * accept a file with content. *type becomes S_IFREG, S_IFCHR or S_IFIFO. The descriptor is
 * non-blocking: a full pipe or terminal gives EAGAIN. Returns the descriptor. EEXIST: the file has
 * content; ENXIO: a pipe without a reader; EBUSY: a capture or recording of any process writes it;
 * ENODEV: another type of file; else the errors of open(2) and ftruncate(2).
 */
int plain_file_write(const char *path, bool overwrite, mode_t *type, struct err *e);

/* Check the content of a file as plain_file_write() does, without opening it. EEXIST. */
int plain_file_check(const char *path, bool overwrite, struct err *e);

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
