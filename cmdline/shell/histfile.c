/* The history file: one command per line, kept between sessions, readable by its owner alone. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/shell/histfile.h"

#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define BYTES_MAX (4 << 20) /* of a file that is read: more is not a history of ours */

struct histfile {
	int fd;
	char *last; /* line added last */
};

/* Make the directories above path. */
static void
make_folders(const char *path)
{
	char *copy = strdup(path), *slash;

	if (copy == NULL)
		return;
	for (slash = strchr(copy + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0700);
		*slash = '/';
	}
	free(copy);
}

/* The file's text, *n bytes that end with a newline, the caller's to free; NULL with errno set. */
static char *
read_all(int fd, size_t *n)
{
	struct stat st;
	char *text;
	ssize_t got;

	if (fstat(fd, &st) < 0)
		return NULL;
	if (!S_ISREG(st.st_mode) || st.st_size > BYTES_MAX) {
		errno = EFBIG;
		return NULL;
	}
	text = malloc((size_t)st.st_size + 1);
	if (text == NULL)
		return NULL;
	got = pread(fd, text, (size_t)st.st_size, 0);
	*n = got > 0 ? (size_t)got : 0;
	if (*n > 0 && text[*n - 1] != '\n')
		text[(*n)++] = '\n';
	return text;
}

/* The last lines of a text, and how many it has in all. */
static char *
last_lines(char *text, size_t n, unsigned int *lines)
{
	char *at = text + n, *from = text;

	*lines = 0;
	while (at > text) {
		at--;
		if (*at == '\n' && ++*lines == HISTFILE_LINES + 1)
			from = at + 1;
	}
	return from;
}

/* Write what is kept beside the file and put it in its place; on failure the old file stays. */
static void
shorten(struct histfile *h, const char *path, const char *text, size_t n)
{
	const size_t path_n = strlen(path);
	char *beside = malloc(path_n + sizeof(".new"));
	int fd = -1;

	if (beside == NULL)
		return;
	memcpy(beside, path, path_n);
	memcpy(beside + path_n, ".new", sizeof(".new"));
	fd = open(beside, O_RDWR | O_APPEND | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0 && write(fd, text, n) == (ssize_t)n && rename(beside, path) == 0) {
		close(h->fd);
		h->fd = fd;
	} else if (fd >= 0) {
		close(fd);
		unlink(beside);
	}
	free(beside);
}

void
histfile_default(char *path, size_t bytes)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state != NULL && state[0] == '/')
		snprintf(path, bytes, "%s/zcfwd/history", state);
	else if (home != NULL && home[0] == '/')
		snprintf(path, bytes, "%s/.local/state/zcfwd/history", home);
	else
		path[0] = '\0';
}

/*
 * Tell of each line, n bytes in all that end with a newline, and remember the last one. Lines with
 * a NUL byte are no commands.
 */
static void
lines_tell(struct histfile *h, char *text, size_t n, void (*each)(void *ctx, const char *line),
	void *ctx)
{
	char *line = text, *end;

	for (; line < text + n; line = end + 1) {
		end = memchr(line, '\n', (size_t)(text + n - line));
		*end = '\0';
		if (end == line || strlen(line) < (size_t)(end - line))
			continue;
		each(ctx, line);
		free(h->last);
		h->last = strdup(line);
	}
}

struct histfile *
histfile_open(const char *path, void (*each)(void *ctx, const char *line), void *ctx, struct err *e)
{
	struct histfile *h = calloc(1, sizeof(*h));
	char *text = NULL, *kept;
	unsigned int lines;
	size_t n, kept_n;
	char end;

	if (h != NULL) {
		make_folders(path);
		h->fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
		if (h->fd >= 0)
			text = read_all(h->fd, &n);
	}
	if (text == NULL) {
		err_set(e, errno, "no history is kept: cannot use %s: %s", path, strerror(errno));
		histfile_close(h);
		return NULL;
	}
	/* A line cut short must not swallow the next. */
	if (n > 0 && pread(h->fd, &end, 1, (off_t)n - 1) == 0 && write(h->fd, "\n", 1) < 0)
		n = 0;
	kept = last_lines(text, n, &lines);
	kept_n = n - (size_t)(kept - text);
	if (lines > 2 * HISTFILE_LINES)
		shorten(h, path, kept, kept_n);
	lines_tell(h, kept, kept_n, each, ctx);
	free(text);
	return h;
}

void
histfile_close(struct histfile *h)
{
	if (h == NULL)
		return;
	if (h->fd >= 0)
		close(h->fd);
	free(h->last);
	free(h);
}

void
histfile_add(struct histfile *h, const char *line)
{
	struct iovec parts[] = { { (void *)(uintptr_t)line, strlen(line) }, { "\n", 1 } };

	if (h == NULL || (h->last != NULL && strcmp(h->last, line) == 0))
		return;
	free(h->last);
	h->last = strdup(line);
	if (writev(h->fd, parts, 2) < 0)
		return;
}
