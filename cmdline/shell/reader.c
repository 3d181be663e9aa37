/* Lines from a pipe or a file, with a signal ending the wait. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/shell/reader.h"

#include "base/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/* Bytes of a line that did not fit or has a NUL byte, after which the input is no text. */
#define LOST_MAX (1024 * 1024)

/* Wait for input and read it. Returns the bytes read, 0 at the end, -errno. */
static int
fill(struct reader *r)
{
	struct pollfd input = { r->fd, POLLIN, 0 };
	ssize_t n;
	int ret;

	for (;;) {
		ret = interrupt_poll(r->interrupt, &input, 1, -1);
		if (ret < 0)
			return ret;
		if (interrupt_pending(r->interrupt))
			return -EINTR;
		n = read(r->fd, r->buffer, sizeof(r->buffer));
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0)
			return -errno;
		r->at = 0;
		r->n = (size_t)n;
		return (int)n;
	}
}

int
reader_line(struct reader *r, char *line)
{
	size_t n = 0, lost = 0;
	int ret = 1, got;

	line[0] = '\0';
	for (;;) {
		char c;

		if (r->at == r->n) {
			got = fill(r);
			if (got < 0)
				return got;
			if (got == 0 && n == 0)
				return ret == 1 ? 0 : ret;
			if (got == 0)
				break;
		}
		c = r->buffer[r->at++];
		if (c == '\n')
			break;
		if (n == LINE_BYTES - 1 && ret == 1)
			ret = -E2BIG;
		if (c == '\0' && ret == 1)
			ret = -EILSEQ;
		if (ret == 1)
			line[n++] = c;
		else if (++lost > LOST_MAX)
			return -EFBIG;
	}
	if (n > 0 && line[n - 1] == '\r')
		n--;
	line[n] = '\0';
	return ret;
}
