/* Pictures on the shell's terminal, for which clients never wait. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/shell/screen.h"

#include "base/interrupt.h"
#include "base/out_aside.h"
#include "base/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void
screen_open(struct screen *s, struct out *out, struct interrupt *interrupt)
{
	char path[64];

	*s = (struct screen){ .out = out, .interrupt = interrupt };
	/* O_NONBLOCK of the descriptor that exists would be that of other programs on the terminal, too. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(out_file(out)));
	s->fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* True if failures are shown on this terminal, too. */
static bool
shows_failures(const struct screen *s)
{
	struct stat terminal, failures;

	return isatty(STDERR_FILENO) == 1 && fstat(s->fd, &terminal) == 0 &&
		fstat(STDERR_FILENO, &failures) == 0 && terminal.st_rdev == failures.st_rdev;
}

void
screen_begin(struct screen *s)
{
	struct out_reader reader = { .failures = stderr, .format = OUT_TEXT, .screen = &s->size };

	(void)terminal_size(out_file(s->out), &s->size.columns, &s->size.rows);
	s->to = s->fd >= 0 ? open_memstream(&s->bytes, &s->n) : NULL;
	if (s->to == NULL)
		return;
	reader.results = s->to;
	if (shows_failures(s))
		reader.failures = s->to;
	s->aside = out_aside_begin(s->out, &reader);
}

/* Write as much as the terminal takes. Returns the bytes that are left; 0 if it is gone. */
static size_t
write_some(const struct screen *s, size_t left)
{
	const ssize_t n = write(s->fd, s->bytes + s->n - left, left);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? left : 0;
	return left - (size_t)n;
}

void
screen_end(struct screen *s, bool last)
{
	struct pollfd takes = { s->fd, POLLOUT, 0 };
	size_t left;

	if (s->aside != NULL)
		(void)out_aside_end(s->out, s->aside);
	s->aside = NULL;
	if (s->to == NULL)
		return;
	left = fclose(s->to) == 0 ? s->n : 0;
	s->to = NULL;
	while ((left = left > 0 ? write_some(s, left) : 0) > 0)
		if (interrupt_poll(s->interrupt, &takes, 1, -1) < 0 ||
			interrupt_pending(s->interrupt))
			break;
	if (last && left > 0) {
		fwrite(s->bytes + s->n - left, 1, left, out_file(s->out));
		fflush(out_file(s->out));
	}
	free(s->bytes);
	s->bytes = NULL;
}

void
screen_close(struct screen *s)
{
	if (s->fd >= 0)
		close(s->fd);
}
