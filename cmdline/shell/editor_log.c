/* Prints log lines of other threads and of drivers while a line is edited on the same terminal. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/shell/editor_log.h"

#include <rte_log.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The thread that logs clears the edited line and prints at once: a program that dies next has
 * printed its last words. libedit belongs to the thread that edits; that one is woken and draws the
 * line again.
 */
struct editor_log {
	pthread_mutex_t lock;
	FILE *below; /* what rte_log() wrote to before */
	int wake_fd;
	bool shown;
	bool cleared;  /* and not drawn again yet */
	bool mid_line; /* the last log line has no newline so far */
	size_t cursor, end, columns;
};

/*
 * Blanks and newlines alone, which every terminal has. A line of several rows stays where it is:
 * only terminals that can move up could clear it.
 */
static void
clear_line(const struct editor_log *log)
{
	size_t row;

	if (log->end < log->columns) {
		fwrite("\r", 1, 1, log->below);
		for (size_t i = 0; i < log->end; i++)
			fwrite(" ", 1, 1, log->below);
		fwrite("\r", 1, 1, log->below);
		return;
	}
	for (row = log->cursor / log->columns; row <= log->end / log->columns; row++)
		fwrite("\r\n", 1, 2, log->below);
}

static ssize_t
log_write(void *cookie, const char *text, size_t size)
{
	struct editor_log *log = cookie;
	size_t written;

	if (size == 0)
		return 0;
	pthread_mutex_lock(&log->lock);
	if (log->shown && !log->cleared) {
		clear_line(log);
		log->cleared = true;
	}
	written = fwrite(text, 1, size, log->below);
	fflush(log->below);
	log->mid_line = text[size - 1] != '\n';
	if (log->shown)
		eventfd_write(log->wake_fd, 1);
	pthread_mutex_unlock(&log->lock);
	return (ssize_t)written;
}

static bool
same_terminal(void)
{
	struct stat out, err;

	return isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1 &&
		fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &err) == 0 &&
		out.st_rdev == err.st_rdev;
}

struct editor_log *
editor_log_open(void)
{
	const cookie_io_functions_t functions = { .write = log_write };
	struct editor_log *log = same_terminal() ? calloc(1, sizeof(*log)) : NULL;
	FILE *stream;

	if (log == NULL)
		return NULL;
	log->below = rte_log_get_stream();
	log->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	stream = log->wake_fd >= 0 ? fopencookie(log, "w", functions) : NULL;
	if (stream == NULL) {
		if (log->wake_fd >= 0)
			close(log->wake_fd);
		free(log);
		return NULL;
	}
	pthread_mutex_init(&log->lock, NULL);
	rte_openlog_stream(stream);
	return log;
}

void
editor_log_close(struct editor_log *log)
{
	if (log == NULL)
		return;
	rte_openlog_stream(NULL);
	/* The memory is not freed: another thread may be writing a line. */
	pthread_mutex_lock(&log->lock);
	/* EAL closes its own stream at its end. */
	log->below = stderr;
	log->shown = false;
	pthread_mutex_unlock(&log->lock);
}

void
editor_log_shown(struct editor_log *log, size_t cursor, size_t end, size_t columns)
{
	if (log == NULL)
		return;
	pthread_mutex_lock(&log->lock);
	log->shown = true;
	log->cursor = cursor;
	log->end = end;
	log->columns = columns;
	pthread_mutex_unlock(&log->lock);
}

void
editor_log_hidden(struct editor_log *log)
{
	if (log == NULL)
		return;
	pthread_mutex_lock(&log->lock);
	log->shown = log->cleared = false;
	pthread_mutex_unlock(&log->lock);
}

int
editor_log_fd(const struct editor_log *log)
{
	return log != NULL ? log->wake_fd : -1;
}

bool
editor_log_cleared(struct editor_log *log)
{
	eventfd_t count;
	bool cleared;

	if (log == NULL)
		return false;
	pthread_mutex_lock(&log->lock);
	cleared = log->cleared;
	if (cleared && log->mid_line) {
		fwrite("\r\n", 1, 2, log->below);
		fflush(log->below);
	}
	if (cleared)
		log->mid_line = false;
	log->cleared = false;
	eventfd_read(log->wake_fd, &count);
	pthread_mutex_unlock(&log->lock);
	return cleared;
}
