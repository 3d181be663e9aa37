/* Growing a recording's file: one write(2) per piece, so that a kill leaves whole pieces; FILE.1 is the last full one. */
#include "record_file.h"

#include "err.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Begin the file at its path, empty; the one before is closed only once this one stands. */
static int
begin(struct record_file *f, struct err *e)
{
	int fd = open(f->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		return err_set(e, errno, "cannot write %s: %s", f->path, strerror(errno));
	if (f->fd >= 0)
		close(f->fd);
	f->fd = fd;
	f->bytes = 0;
	f->files++;
	return 0;
}

int
record_file_open(struct record_file *f, const char *path, uint64_t limit, unsigned int older,
	struct err *e)
{
	memset(f, 0, sizeof(*f));
	f->fd = -1;
	f->limit = limit;
	f->older = older;
	if (strlen(path) >= sizeof(f->path))
		return err_set(e, ENAMETOOLONG, "%.64s...: want a path below %zu bytes", path,
			sizeof(f->path));
	memcpy(f->path, path, strlen(path) + 1);
	return begin(f, e);
}

void
record_file_close(struct record_file *f)
{
	for (unsigned int i = 0; i < RECORD_FILE_HEADS; i++) {
		free(f->head[i].data);
		f->head[i] = (struct record_file_part){ NULL, 0 };
	}
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

/* All of it, or nothing. */
static int
append(struct record_file *f, const void *data, size_t n, struct err *e)
{
	const char *from = data;
	size_t done = 0;

	while (done < n) {
		ssize_t got = write(f->fd, from + done, n - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			int code = got < 0 ? errno : EIO;

			/* Not every file can be cut: what is left then is the reader's to skip. */
			if (done > 0 && ftruncate(f->fd, (off_t)f->bytes) == 0)
				lseek(f->fd, (off_t)f->bytes, SEEK_SET);
			return err_set(e, code, "%s: %s after %" PRIu64 " bytes", f->path,
				strerror(code), f->bytes);
		}
		done += (size_t)got;
	}
	f->bytes += n;
	f->total += n;
	return 0;
}

/* The name of the file that is so many younger ones away from the newest. */
static const char *
part_name(char to[PATH_MAX], const char *path, unsigned int number)
{
	if (number == 0)
		snprintf(to, PATH_MAX, "%s", path);
	else
		snprintf(to, PATH_MAX, "%s.%u", path, number);
	return to;
}

/* FILE.1 becomes FILE.2 and so on, the oldest goes, FILE becomes FILE.1. */
static int
shift(const struct record_file *f, struct err *e)
{
	char from[PATH_MAX], to[PATH_MAX];

	for (unsigned int i = f->older; i > 0; i--)
		if (rename(part_name(from, f->path, i - 1), part_name(to, f->path, i)) != 0 &&
			(errno != ENOENT || i == 1))
			return err_set(e, errno, "cannot rename %s to %s: %s", from, to,
				strerror(errno));
	return 0;
}

static int
next(struct record_file *f, struct err *e)
{
	int ret = shift(f, e);

	if (ret == 0)
		ret = begin(f, e);
	for (unsigned int i = 0; i < RECORD_FILE_HEADS && ret == 0; i++)
		if (f->head[i].bytes > 0)
			ret = append(f, f->head[i].data, f->head[i].bytes, e);
	return ret;
}

static uint64_t
head_bytes(const struct record_file *f)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < RECORD_FILE_HEADS; i++)
		n += f->head[i].bytes;
	return n;
}

int
record_file_write(struct record_file *f, const void *data, size_t n, struct err *e)
{
	int ret = 0;

	/* A file that would hold nothing but its heads is none. */
	if (f->limit > 0 && f->bytes + n > f->limit && f->bytes > head_bytes(f))
		ret = next(f, e);
	return ret == 0 ? append(f, data, n, e) : ret;
}

int
record_file_head(struct record_file *f, enum record_file_head which, const void *data, size_t n,
	struct err *e)
{
	void *copy = n > 0 ? malloc(n) : NULL;
	int ret;

	if (n > 0 && copy == NULL)
		return err_set(e, ENOMEM, "%s: no memory for %zu bytes", f->path, n);
	ret = n > 0 ? record_file_write(f, data, n, e) : 0;
	if (ret != 0) {
		free(copy);
		return ret;
	}
	free(f->head[which].data);
	if (n > 0)
		memcpy(copy, data, n);
	f->head[which] = (struct record_file_part){ copy, n };
	return 0;
}
