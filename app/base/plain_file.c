/* Open a file that a command names, without blocking (a FIFO), unless a capture or recording
 * already writes it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/plain_file.h"

#include "base/base.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int
cannot_open(const char *path, struct err *e)
{
	const int code = errno;
	struct stat st;

	if (code == ENXIO && stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
		return err_set(e, code, "cannot write %s: the pipe has no reader", path);
	return err_set(e, code, "cannot write %s: %s", path, strerror(code));
}

static int
content_check(const char *path, bool overwrite, const struct stat *st, struct err *e)
{
	if (overwrite || !S_ISREG(st->st_mode) || st->st_size == 0)
		return 0;
	return err_set(e, EEXIST,
		"%s exists already: use another name, or \"overwrite\" to replace it", path);
}

int
plain_file_check(const char *path, bool overwrite, struct err *e)
{
	struct stat st;

	return stat(path, &st) == 0 ? content_check(path, overwrite, &st, e) : 0;
}

/* Lock and empty the file. */
static int
take(int fd, const char *path, bool overwrite, const struct stat *st, struct err *e)
{
	/* Other errors mean a file system without locks, which is accepted. */
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return err_set(e, EBUSY, "cannot write %s: another capture or recording writes it",
			path);
	if (content_check(path, overwrite, st, e) != 0)
		return -e->code;
	if (ftruncate(fd, 0) != 0)
		return err_set(e, errno, "cannot empty %s: %s", path, strerror(errno));
	return 0;
}

int
plain_file_write(const char *path, bool overwrite, mode_t *type, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644), ret = 0;
	struct stat st;

	if (fd < 0)
		return cannot_open(path, e);
	*type = fstat(fd, &st) == 0 ? st.st_mode & S_IFMT : 0;
	if (*type == S_IFREG)
		ret = take(fd, path, overwrite, &st, e);
	else if (*type != S_IFCHR && *type != S_IFIFO)
		ret = err_set(e, ENODEV, "cannot write %s: expected a file, a pipe or a terminal",
			path);
	if (ret == 0)
		return fd;
	close(fd);
	return ret;
}

FILE *
plain_file_read(const char *path, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	FILE *f = NULL;
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
		err_set(e, EINVAL, "%s: expected a regular file", path);
	else if (fd < 0 || (f = fdopen(fd, "r")) == NULL)
		err_set(e, errno, "%s: %s", path, strerror(errno));
	if (f == NULL && fd >= 0)
		close(fd);
	return f;
}

void
plain_file_standard(void)
{
	/* stdout is opened read-only, so that a write error shows that results are lost. */
	static const int modes[] = { O_RDONLY, O_RDONLY, O_RDWR };

	for (int fd = 0; fd < (int)ARRAY_SIZE(modes); fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
			return;
}
