/* Append to a recording's file: one write(2) per line or chunk, so that a killed process leaves no
 * incomplete one; FILE.1 is the last full file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"
#include "base/plain_file.h"
#include "record/record_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define READER_MS 1000 /* timeout for a full pipe */

/* Return the name of an older file; number 0 is the newest, PATH itself. */
static const char *
part_name(char to[PATH_MAX], const char *path, unsigned int number)
{
	if (number == 0)
		snprintf(to, PATH_MAX, "%s", path);
	else
		snprintf(to, PATH_MAX, "%s.%u", path, number);
	return to;
}

/* True if a capture or a recording of any process writes the file. */
static bool
is_written(const char *path)
{
	const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const bool written = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return written;
}

/*
 * Check that the names of older files are free, or regular files that no program writes: others
 * must not be renamed.
 */
static int
parts_check(const struct record_file *f, struct err *e)
{
	char name[PATH_MAX];
	struct stat st;

	for (unsigned int i = 1; i <= f->older; i++) {
		if (lstat(part_name(name, f->real, i), &st) != 0)
			continue;
		if (!S_ISREG(st.st_mode))
			return err_set(e, EEXIST,
				"%s is not a regular file; move it away, a full recording file gets its name",
				name);
		if (is_written(name))
			return err_set(e, EBUSY,
				"cannot rename %s: another capture or recording writes it", name);
	}
	return 0;
}

/*
 * Set the real path of the open file (symbolic links resolved); older files are stored beside it.
 */
static int
place(struct record_file *f, struct err *e)
{
	char *real = realpath(f->path, NULL);
	size_t n = real != NULL ? strlen(real) : 0;

	if (n == 0 || n >= sizeof(f->real)) {
		free(real);
		return err_set(e, n > 0 ? ENAMETOOLONG : errno, "%s: %s", f->path,
			strerror(n > 0 ? ENAMETOOLONG : errno));
	}
	memcpy(f->real, real, n + 1);
	free(real);
	return parts_check(f, e);
}

int
record_file_open(struct record_file *f, const char *path, unsigned int how, uint64_t limit,
	unsigned int older, struct err *e)
{
	mode_t type;
	int ret = 0;

	memset(f, 0, sizeof(*f));
	f->fd = -1;
	f->older = older;
	if (strlen(path) >= sizeof(f->path))
		return err_set(e, ENAMETOOLONG,
			"%.64s...: path too long, expected fewer than %zu bytes", path,
			sizeof(f->path));
	memcpy(f->path, path, strlen(path) + 1);
	f->fd = plain_file_write(path, how, &type, e);
	if (f->fd < 0)
		return f->fd;
	f->files = 1;
	f->regular = type == S_IFREG;
	f->limit = f->regular ? limit : 0;
	if (f->limit > 0)
		ret = place(f, e);
	if (ret != 0)
		record_file_close(f);
	return ret;
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

/* Append all of data, or nothing. */
static int
append(struct record_file *f, const void *data, size_t n, struct err *e)
{
	struct pollfd room = { .fd = f->fd, .events = POLLOUT };
	const char *from = data;
	size_t done = 0;

	while (done < n) {
		ssize_t got = write(f->fd, from + done, n - done);

		if (got < 0 && errno == EAGAIN && poll(&room, 1, READER_MS) > 0)
			continue;
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			int code = got < 0 ? errno : EIO;

			/* Devices cannot be truncated; readers skip the incomplete data. */
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

/* True if the path still names the open file. */
static bool
is_there(const struct record_file *f)
{
	struct stat own, there;

	return fstat(f->fd, &own) == 0 && lstat(f->real, &there) == 0 &&
		own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

/* Rotate: rename FILE to FILE.1, FILE.1 to FILE.2 and so on; the oldest is replaced. */
static int
shift(const struct record_file *f, struct err *e)
{
	char from[PATH_MAX], to[PATH_MAX];

	if (!is_there(f))
		return err_set(e, ESTALE, "%s was replaced by another file during the recording",
			f->real);
	if (parts_check(f, e) != 0)
		return -e->code;
	for (unsigned int i = f->older; i > 0; i--)
		if (rename(part_name(from, f->real, i - 1), part_name(to, f->real, i)) != 0 &&
			(errno != ENOENT || i == 1))
			return err_set(e, errno, "cannot rename %s to %s: %s", from, to,
				strerror(errno));
	return 0;
}

/* Open a new file; the previous one is closed only after success. */
static int
begin(struct record_file *f, struct err *e)
{
	mode_t type;
	int fd = plain_file_write(f->real, PLAIN_FILE_OVERWRITE | PLAIN_FILE_DERIVED, &type, e);

	if (fd < 0)
		return fd;
	close(f->fd);
	f->fd = fd;
	return 0;
}

/* Truncate the file, because no older files are kept. */
static int
empty(const struct record_file *f, struct err *e)
{
	if (ftruncate(f->fd, 0) != 0 || lseek(f->fd, 0, SEEK_SET) != 0)
		return err_set(e, errno, "cannot empty %s: %s", f->path, strerror(errno));
	return 0;
}

static int
next(struct record_file *f, struct err *e)
{
	int ret = f->older > 0 ? shift(f, e) : empty(f, e);

	if (ret == 0 && f->older > 0)
		ret = begin(f, e);
	if (ret != 0)
		return ret;
	f->bytes = 0;
	f->files++;
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

	/* Do not rotate a file that contains only its heads. */
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
