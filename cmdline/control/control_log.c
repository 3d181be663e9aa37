/* Copies the program's log into a pipe that the control thread reads for its clients. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/control/control_log.h"

#include "base/err.h"

#include <rte_log.h>

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Drivers and workers log, too, and must not wait for a client: they write to the stream that they
 * would write to anyway, then to a pipe that is not waited for. The memory is never freed, since
 * another thread may be writing a line.
 */
struct control_log {
	FILE *below; /* what rte_log() wrote to before */
	int ends[2];
	atomic_uint lost; /* lines that the pipe had no room for. Written by any thread. */
};

static ssize_t
log_write(void *cookie, const char *text, size_t bytes)
{
	struct control_log *log = cookie;
	size_t written;

	if (bytes == 0)
		return 0;
	written = fwrite(text, 1, bytes, log->below);
	fflush(log->below);
	if (write(log->ends[1], text, bytes) != (ssize_t)bytes)
		atomic_fetch_add(&log->lost, 1);
	return (ssize_t)written;
}

struct control_log *
control_log_open(struct err *e)
{
	struct control_log *log = calloc(1, sizeof(*log));
	FILE *stream;

	if (log == NULL || pipe2(log->ends, O_CLOEXEC | O_NONBLOCK) != 0) {
		err_set(e, log == NULL ? ENOMEM : errno, "the log cannot be copied: %s",
			strerror(log == NULL ? ENOMEM : errno));
		free(log);
		return NULL;
	}
	log->below = rte_log_get_stream();
	stream = fopencookie(log, "w", (cookie_io_functions_t){ .write = log_write });
	if (stream != NULL) {
		rte_openlog_stream(stream);
		return log;
	}
	close(log->ends[0]);
	close(log->ends[1]);
	free(log);
	err_set(e, ENOMEM, "no memory to copy the log");
	return NULL;
}

void
control_log_close(struct control_log *log)
{
	if (log == NULL)
		return;
	rte_openlog_stream(NULL);
	/* EAL closes its own stream at its end. */
	log->below = stderr;
}

int
control_log_fd(const struct control_log *log)
{
	return log->ends[0];
}

size_t
control_log_read(struct control_log *log, char *text, size_t bytes)
{
	const unsigned int lost = atomic_exchange(&log->lost, 0);
	const ssize_t n = lost == 0 ? read(log->ends[0], text, bytes) : 0;

	if (lost > 0)
		return (size_t)snprintf(text, bytes,
			"zcfwd: %u lines of the log are only in the program's own log\n", lost);
	return n > 0 ? (size_t)n : 0;
}
