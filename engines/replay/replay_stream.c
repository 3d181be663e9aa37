/* Read a file up to the size that it had, and unpack gzip as far as that is possible. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/replay/replay_stream.h"

#include "base/interrupt.h"

#include <rte_byteorder.h>
#include <rte_common.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define GZIP_ONLY 16 /* added to zlib's windowBits */

struct replay_stream {
	FILE *file;
	uint64_t left; /* bytes of the file that were not read */
	const struct interrupt *interrupt;
	z_stream z;
	bool packed;
	bool within; /* a member of a gzip file, of which there may be several */
	bool ended, stopped;
	bool doubtful; /* see replay_stream_doubtful() */
	size_t at, n;  /* out[at..n) is what was not read */
	char why[160]; /* empty: nothing */
	uint8_t in[64 * 1024], out[64 * 1024];
	char stdio[64 * 1024]; /* without a buffer, it reads byte by byte */
};

bool
replay_stream_is_pcap(uint32_t word)
{
	static const uint32_t micro = 0xa1b2c3d4, nano = 0xa1b23c4d;

	return word == micro || word == rte_bswap32(micro) || word == nano ||
		word == rte_bswap32(nano);
}

/* End the stream, for this reason, with zlib's word on it; each may be NULL. */
static void
end(struct replay_stream *s, const char *why, const char *word)
{
	s->ended = true;
	if (why != NULL)
		snprintf(s->why, sizeof(s->why), "%s%s%s%s", why, word != NULL ? " (" : "",
			word != NULL ? word : "", word != NULL ? ")" : "");
}

/* Read bytes of the file. Returns 0 at its end. */
static size_t
file_read(struct replay_stream *s, void *to, size_t n)
{
	const int fd = fileno(s->file);
	struct stat st;
	ssize_t got;

	n = (size_t)RTE_MIN((uint64_t)n, s->left);
	do
		got = n > 0 ? read(fd, to, n) : 0;
	while (got < 0 && errno == EINTR);
	if (got < 0)
		end(s, "read error", strerror(errno));
	else if (got == 0 && s->left > 0)
		end(s, "the file became shorter while it was read", NULL);
	else if (got == 0 && fstat(fd, &st) == 0 && (off_t)lseek(fd, 0, SEEK_CUR) < st.st_size)
		end(s, "the file grew while it was read", NULL);
	s->left -= got > 0 ? (uint64_t)got : 0;
	return got > 0 ? (size_t)got : 0;
}

/* Say what zlib found. */
static void
error_name(struct replay_stream *s)
{
	static const struct {
		const char *word, *why;
	} checks[] = {
		{ "incorrect data check", "the checksum of its gzip data is wrong" },
		{ "incorrect length check", "the length of its gzip data is wrong" },
	};

	for (size_t i = 0; i < RTE_DIM(checks); i++)
		if (s->z.msg != NULL && strcmp(s->z.msg, checks[i].word) == 0) {
			s->doubtful = true;
			end(s, checks[i].why, NULL);
			return;
		}
	end(s, "its gzip data is damaged", s->z.msg);
}

/* Begin the next member of a gzip file. False: none follows. Other bytes there are ignored, as gzip does. */
static bool
member_begin(struct replay_stream *s)
{
	static const uint8_t magic[2] = { 0x1f, 0x8b };

	if (s->z.avail_in < sizeof(magic)) {
		if (s->z.avail_in > 0)
			memmove(s->in, s->z.next_in, s->z.avail_in);
		s->z.next_in = s->in;
		s->z.avail_in +=
			(uInt)file_read(s, s->in + s->z.avail_in, sizeof(s->in) - s->z.avail_in);
	}
	s->within = s->z.avail_in >= sizeof(magic) &&
		memcmp(s->z.next_in, magic, sizeof(magic)) == 0 && inflateReset(&s->z) == Z_OK;
	return s->within;
}

/* Unpack until out[] is full. What zlib wrote before an error is kept. */
static size_t
unpack(struct replay_stream *s)
{
	int ret = Z_OK;

	s->z.next_out = s->out;
	s->z.avail_out = sizeof(s->out);
	while (!s->ended && s->z.avail_out > 0) {
		if (!s->within && !member_begin(s)) {
			end(s, NULL, NULL);
			break;
		}
		if (s->z.avail_in == 0) {
			s->z.next_in = s->in;
			s->z.avail_in = (uInt)file_read(s, s->in, sizeof(s->in));
		}
		if (s->z.avail_in == 0) {
			end(s, s->why[0] == '\0' ? "its gzip data is incomplete" : NULL, NULL);
			break;
		}
		ret = inflate(&s->z, Z_NO_FLUSH);
		s->within = ret != Z_STREAM_END;
		if (ret != Z_OK && ret != Z_STREAM_END && ret != Z_BUF_ERROR)
			error_name(s);
	}
	return sizeof(s->out) - s->z.avail_out;
}

/* True if the stream has not ended; looks for a signal. */
static bool
goes_on(struct replay_stream *s)
{
	if (!s->ended && s->interrupt != NULL && interrupt_pending(s->interrupt))
		s->stopped = s->ended = true;
	return !s->ended;
}

/* Have bytes in out[]. Returns false at the end. */
static bool
fill(struct replay_stream *s)
{
	if (s->at < s->n)
		return true;
	s->at = s->n = 0;
	if (!goes_on(s))
		return false;
	s->n = s->packed ? unpack(s) : file_read(s, s->out, sizeof(s->out));
	s->ended = s->ended || s->n == 0;
	return s->n > 0;
}

size_t
replay_stream_read(struct replay_stream *s, void *to, size_t n)
{
	size_t done = 0;

	while (done < n && fill(s)) {
		const size_t part = RTE_MIN(n - done, s->n - s->at);

		memcpy((uint8_t *)to + done, s->out + s->at, part);
		s->at += part;
		done += part;
	}
	return done;
}

size_t
replay_stream_peek(struct replay_stream *s, void *to, size_t n)
{
	/* A file's first bytes come at once, and zlib fills out[] as far as it can. */
	const size_t there = fill(s) ? RTE_MIN(n, s->n - s->at) : 0;

	memcpy(to, s->out + s->at, there);
	return there;
}

const char *
replay_stream_why(const struct replay_stream *s)
{
	return s->why[0] != '\0' ? s->why : NULL;
}

bool
replay_stream_doubtful(const struct replay_stream *s)
{
	return s->doubtful;
}

bool
replay_stream_stopped(const struct replay_stream *s)
{
	return s->stopped;
}

static ssize_t
stdio_read(void *cookie, char *to, size_t n)
{
	struct replay_stream *s = cookie;

	/* Without a copy. */
	if (!s->packed && s->at == s->n)
		return goes_on(s) ? (ssize_t)file_read(s, to, n) : 0;
	/* What is there: stdio asks for its whole buffer. */
	return (ssize_t)(fill(s) ? replay_stream_read(s, to, RTE_MIN(n, s->n - s->at)) : 0);
}

FILE *
replay_stream_stdio(struct replay_stream *s)
{
	FILE *f = fopencookie(s, "r", (cookie_io_functions_t){ .read = stdio_read });

	if (f != NULL)
		setvbuf(f, s->stdio, _IOFBF, sizeof(s->stdio));
	return f;
}

struct replay_stream *
replay_stream_open(FILE *file, uint64_t bytes, const struct interrupt *interrupt)
{
	struct replay_stream *s = calloc(1, sizeof(*s));
	uint8_t magic[2];

	if (s == NULL) {
		fclose(file);
		errno = ENOMEM;
		return NULL;
	}
	s->file = file;
	s->left = bytes;
	s->interrupt = interrupt;
	if (pread(fileno(file), magic, sizeof(magic), 0) != sizeof(magic) || magic[0] != 0x1f ||
		magic[1] != 0x8b)
		return s;
	if (inflateInit2(&s->z, MAX_WBITS + GZIP_ONLY) != Z_OK) {
		replay_stream_close(s);
		errno = ENOMEM;
		return NULL;
	}
	s->packed = true;
	return s;
}

void
replay_stream_close(struct replay_stream *s)
{
	if (s == NULL)
		return;
	if (s->packed)
		inflateEnd(&s->z);
	fclose(s->file);
	free(s);
}
