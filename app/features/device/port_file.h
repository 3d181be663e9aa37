/* Read and write whole files: input that commands pass to drivers, and output of drivers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct err;

/* Zero bytes after a file: drivers that search for the end of a string may read past the file. */
#define PORT_FILE_SPARE 64

/*
 * Read a regular file: *n bytes, at least 1, followed by PORT_FILE_SPARE zero bytes. The caller
 * frees the result. NULL with e filled: errors of plain_file_read(), EINVAL empty, EFBIG above 64
 * MiB, ENOMEM, EIO. Thread: control, for all of this file.
 */
uint8_t *port_file_read(const char *path, size_t *n, struct err *e);

/* Write n bytes to a file. Errors of plain_file_whole(). */
int port_file_write(const char *path, const void *data, size_t n, struct err *e);
