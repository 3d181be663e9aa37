/* Read and write whole files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/device/port_file.h"

#include "base/err.h"
#include "base/plain_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX (64u << 20)

/* The size of the file, which is rewound; 0 with e filled. */
static size_t
length_of(FILE *f, const char *path, struct err *e)
{
	long n = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;

	if (n > 0 && n <= (long)FILE_BYTES_MAX && fseek(f, 0, SEEK_SET) == 0)
		return (size_t)n;
	if (n == 0)
		err_set(e, EINVAL, "%s: file is empty", path);
	else if (n > (long)FILE_BYTES_MAX)
		err_set(e, EFBIG, "%s: file of %ld bytes: expected at most %u", path, n,
			FILE_BYTES_MAX);
	else
		err_set(e, EIO, "%s: %s", path, strerror(errno));
	return 0;
}

uint8_t *
port_file_read(const char *path, size_t *n, struct err *e)
{
	FILE *f = plain_file_read(path, e);
	uint8_t *data = NULL;

	if (f == NULL)
		return NULL;
	*n = length_of(f, path, e);
	if (*n > 0) {
		data = calloc(1, *n + PORT_FILE_SPARE);
		if (data == NULL)
			err_set(e, ENOMEM, "%s: no memory for %zu bytes", path, *n);
	}
	if (data != NULL && fread(data, 1, *n, f) != *n) {
		err_set(e, EIO, "%s: file became shorter while it was being read", path);
		free(data);
		data = NULL;
	}
	fclose(f);
	return data;
}

int
port_file_write(const char *path, const void *data, size_t n, struct err *e)
{
	return plain_file_whole(path, PLAIN_FILE_OVERWRITE, data, n, e);
}
