/* Open a regular file that a command names: refuses what would block (a FIFO) and files that are
 * being written already. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct err;

/*
 * Open a file for writing; a missing one is made, a regular one locked and emptied. overwrite: one
 * that has content, too. type: S_IFREG, S_IFCHR or S_IFIFO. Writing does not wait either: a full pipe or terminal gives EAGAIN. Returns
 * the descriptor; EEXIST: it has content; ENXIO: a pipe without a reader; EBUSY: a capture or a recording, of any process,
 * writes it; ENODEV: neither of the three; else of open(2) and ftruncate(2).
 */
int plain_file_write(const char *path, bool overwrite, mode_t *type, struct err *e);

/* What plain_file_write() would say of the content of a file, without opening it. */
int plain_file_check(const char *path, bool overwrite, struct err *e);

/*
 * Open a regular file for reading; fclose() it. Returns NULL with e filled: EINVAL it is none, else
 * of open(2).
 */
FILE *plain_file_read(const char *path, struct err *e);

/*
 * Give stdin, stdout and stderr something where the caller closed them, before other files get
 * their numbers and what is meant for stdout: no input, a stdout that cannot be written, a stderr
 * that is not kept.
 */
void plain_file_standard(void);
