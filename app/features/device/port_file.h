/* Whole files that commands hand to drivers, and what drivers gave, written down. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct err;

/* Drivers look for the end of a text, and may look behind the file for it. */
#define PORT_FILE_SPARE 64

/*
 * All of a regular file, *n bytes, at least one, and PORT_FILE_SPARE zero bytes; the caller frees it. NULL with e: as
 * plain_file_read(), EINVAL it is empty, EFBIG above 64 MiB, ENOMEM, EIO. Thread: control, all of
 * this file.
 */
uint8_t *port_file_read(const char *path, size_t *n, struct err *e);

/* Make a file of n bytes. Errors as plain_file_write(), and what write(2) said. */
int port_file_write(const char *path, const void *data, size_t n, struct err *e);
