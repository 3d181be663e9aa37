/* Lines from a pipe or a file, with a signal ending the wait. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/grammar.h"

#include <stddef.h>

struct interrupt;

struct reader {
	int fd;                      /* the caller's */
	struct interrupt *interrupt; /* ends the wait; NULL: nothing does */
	size_t at, n;                /* bytes of buffer that were returned, that are filled */
	char buffer[LINE_BYTES];
};

/*
 * Read the next line into line[LINE_BYTES], without its newline and a carriage return before that;
 * the last one may lack the newline. Returns 1, or 0 at the end of the input, -EINTR when
 * interrupt_pending(), -E2BIG when the line did not fit and -EILSEQ when it has a NUL byte
 * (its begin is in line, the next call goes on behind it), -EFBIG when it goes on for more than a MiB
 * after that, as a device's zeros do, else -errno.
 */
int reader_line(struct reader *r, char *line);
