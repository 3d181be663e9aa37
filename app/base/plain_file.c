/* Open a file that a command names: without blocking (a FIFO), never while a capture or recording
 * writes it, and with its old content until the new one is complete. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/plain_file.h"

#include "base/base.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40 /* that follow each other, as in the kernel */
#define OPEN_FLAGS (O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

static int
cannot_open(const char *path, struct err *e)
{
	const int code = errno;
	struct stat st;

	if (code == ENXIO && stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
		return err_set(e, code, "cannot write %s: the pipe has no reader", path);
	if (code == ELOOP && lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
		return err_set(e, code, "cannot write %s: expected a regular file, not a link",
			path);
	return err_set(e, code, "cannot write %s: %s", path, strerror(code));
}

static int
content_check(const char *path, unsigned int how, const struct stat *st, struct err *e)
{
	if (!S_ISREG(st->st_mode))
		return 0;
	if ((how & PLAIN_FILE_DERIVED) != 0 && st->st_nlink > 1)
		return err_set(e, EMLINK,
			"cannot write %s: the file has %ju names (hard links): remove this one",
			path, (uintmax_t)st->st_nlink);
	if ((how & (PLAIN_FILE_OVERWRITE | PLAIN_FILE_APPEND)) != 0 || st->st_size == 0)
		return 0;
	return err_set(e, EEXIST,
		"%s exists already: use another name, or \"overwrite\" to replace it", path);
}

int
plain_file_check(const char *path, unsigned int how, struct err *e)
{
	struct stat st;

	if ((how & PLAIN_FILE_DERIVED) != 0 && lstat(path, &st) == 0 && S_ISLNK(st.st_mode)) {
		errno = ELOOP;
		return cannot_open(path, e);
	}
	return stat(path, &st) == 0 ? content_check(path, how, &st, e) : 0;
}

/* Check the type of an open file, lock a regular one and check its content. */
static int
take(int fd, const char *path, unsigned int how, struct stat *st, struct err *e)
{
	if (fstat(fd, st) != 0)
		return err_set(e, errno, "cannot write %s: %s", path, strerror(errno));
	if (!S_ISREG(st->st_mode) && !S_ISCHR(st->st_mode) && !S_ISFIFO(st->st_mode))
		return err_set(e, ENODEV, "cannot write %s: expected a file, a pipe or a terminal",
			path);
	/* Other errors mean a file system without locks, which is accepted. */
	if (S_ISREG(st->st_mode) && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return err_set(e, EBUSY, "cannot write %s: another capture or recording writes it",
			path);
	return content_check(path, how, st, e);
}

int
plain_file_write(const char *path, unsigned int how, mode_t *type, struct err *e)
{
	const int links = (how & PLAIN_FILE_DERIVED) != 0 ? O_NOFOLLOW : 0;
	int fd = open(path, O_WRONLY | O_CREAT | OPEN_FLAGS | links, 0644), ret;
	struct stat st;

	if (fd < 0)
		return cannot_open(path, e);
	ret = take(fd, path, how, &st, e);
	if (ret == 0 && S_ISREG(st.st_mode) && ftruncate(fd, 0) != 0)
		ret = err_set(e, errno, "cannot empty %s: %s", path, strerror(errno));
	*type = st.st_mode & S_IFMT;
	if (ret == 0)
		return fd;
	close(fd);
	return ret;
}

/* Put a file's name into the folder of another path. Returns false if that is too long. */
static bool
in_folder(char to[PATH_MAX], const char *path, const char *file)
{
	const char *slash = file[0] == '/' ? NULL : strrchr(path, '/');
	const int folder = slash != NULL ? (int)(slash + 1 - path) : 0;

	return snprintf(to, PATH_MAX, "%.*s%s", folder, path, file) < PATH_MAX;
}

/* Follow the links that a path names, also to a file that does not exist yet. */
static int
links_follow(char to[PATH_MAX], const char *path, struct err *e)
{
	char from[PATH_MAX], target[PATH_MAX];
	bool fits = snprintf(to, PATH_MAX, "%s", path) < PATH_MAX;

	for (unsigned int i = 0; i < LINKS_MAX && fits; i++) {
		const ssize_t n = readlink(to, target, sizeof(target) - 1);

		if (n < 0)
			return 0;
		target[n] = '\0';
		memcpy(from, to, sizeof(from));
		fits = in_folder(to, from, target);
	}
	errno = fits ? ELOOP : ENAMETOOLONG;
	return err_set(e, errno, "cannot write %.64s...: %s", path, strerror(errno));
}

/* Create a file for the new content, with the mode and the owner of the old one. */
static int
beside_make(struct plain_file *f, const struct stat *old, struct err *e)
{
	uint64_t number = 0;
	char file[32];

	do {
		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return err_set(e, errno, "getrandom: %s", strerror(errno));
		snprintf(file, sizeof(file), ".zcfwd-%016" PRIx64, number);
		if (!in_folder(f->beside, f->name, file))
			return err_set(e, ENAMETOOLONG, "cannot write %s: %s", f->name,
				strerror(ENAMETOOLONG));
		f->fd = open(f->beside,
			O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY,
			old != NULL ? 0600 : 0644);
	} while (f->fd < 0 && errno == EEXIST);
	f->apart = true;
	/* The folder may be closed to those who may write the old file. */
	if (f->fd < 0 && old != NULL && (errno == EACCES || errno == EPERM || errno == EROFS)) {
		f->beside[0] = '\0';
		f->fd = memfd_create("zcfwd answer", MFD_CLOEXEC);
		if (f->fd >= 0)
			return 0;
	}
	if (f->fd < 0)
		return err_set(e, errno, "cannot write %s: %s%s", f->name,
			old != NULL ? "cannot create a file beside it: " : "", strerror(errno));
	/*
	 * The mode comes last, because a new owner clears bits. EPERM: only root may keep another
	 * owner, and some file systems have neither.
	 */
	if (old != NULL &&
		((fchown(f->fd, old->st_uid, old->st_gid) != 0 && errno != EPERM) ||
			(fchmod(f->fd, old->st_mode & 07777) != 0 && errno != EPERM))) {
		err_set(e, errno, "cannot write %s: %s", f->beside, strerror(errno));
		close(f->fd);
		unlink(f->beside);
		return -e->code;
	}
	return 0;
}

static bool
is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int
append_begin(struct plain_file *f, struct err *e)
{
	struct stat st;
	int ret;

	f->fd = open(f->name, O_WRONLY | O_APPEND | OPEN_FLAGS);
	if (f->fd < 0 && errno == ENOENT) {
		f->fd = open(f->name, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | OPEN_FLAGS, 0644);
		f->made = f->fd >= 0;
	}
	if (f->fd < 0)
		return cannot_open(f->name, e);
	ret = take(f->fd, f->name, PLAIN_FILE_APPEND, &st, e);
	if (ret != 0)
		close(f->fd);
	return ret;
}

int
plain_file_begin(struct plain_file *f, const char *path, unsigned int how, struct err *e)
{
	struct stat st, old;
	const bool exists = stat(path, &st) == 0;
	mode_t type;
	int ret;

	f->fd = f->old = -1;
	f->made = f->apart = false;
	f->beside[0] = f->name[0] = '\0';
	if (links_follow(f->name, path, e) != 0)
		return -e->code;
	/* A name in /proc/self/fd may lead to an open file that has no path any more. */
	if (exists && (!S_ISREG(st.st_mode) || stat(f->name, &old) != 0 || !is_same(&st, &old))) {
		f->fd = plain_file_write(path, how, &type, e);
		return f->fd < 0 ? f->fd : 0;
	}
	if ((how & PLAIN_FILE_APPEND) != 0)
		return append_begin(f, e);
	f->old = open(f->name, O_WRONLY | O_NOFOLLOW | OPEN_FLAGS);
	if (f->old < 0 && errno != ENOENT)
		return cannot_open(f->name, e);
	ret = f->old >= 0 ? take(f->old, f->name, how, &old, e) : 0;
	if (ret == 0)
		ret = beside_make(f, f->old >= 0 ? &old : NULL, e);
	if (ret != 0 && f->old >= 0)
		close(f->old);
	return ret;
}

/* Copy the new content into the old file. */
static int
content_copy(const struct plain_file *f, struct err *e)
{
	char text[4096];
	int error = ftruncate(f->old, 0) == 0 ? 0 : errno;
	ssize_t n;

	for (off_t at = 0; error == 0 && (n = pread(f->fd, text, sizeof(text), at)) != 0; at += n)
		error = n < 0 ? errno : plain_file_put(f->old, text, (size_t)n);
	return error == 0 ? 0 : err_set(e, error, "cannot write %s: %s", f->name, strerror(error));
}

/* Give the new content the file's name. */
static int
name_give(const struct plain_file *f, struct err *e)
{
	struct stat old, now;

	if (f->old < 0) {
		if (renameat2(AT_FDCWD, f->beside, AT_FDCWD, f->name, RENAME_NOREPLACE) == 0)
			return 0;
		/* Some file systems cannot rename like that. */
		if ((errno == EINVAL || errno == ENOSYS) && lstat(f->name, &now) != 0 &&
			rename(f->beside, f->name) == 0)
			return 0;
		return err_set(e, errno == EINVAL ? EEXIST : errno, "cannot write %s: %s", f->name,
			errno == EEXIST || errno == EINVAL ? "another file has this name now"
							   : strerror(errno));
	}
	if (fstat(f->old, &old) != 0 || lstat(f->name, &now) != 0 || !is_same(&old, &now))
		return err_set(e, ESTALE, "cannot write %s: another file has this name now",
			f->name);
	if (f->beside[0] == '\0')
		return content_copy(f, e);
	if (rename(f->beside, f->name) == 0)
		return 0;
	/* EBUSY: a mount point */
	if (errno != EBUSY)
		return err_set(e, errno, "cannot write %s: %s", f->name, strerror(errno));
	if (content_copy(f, e) != 0)
		return -e->code;
	unlink(f->beside);
	return 0;
}

int
plain_file_end(struct plain_file *f, bool keep, struct err *e)
{
	/* Some file systems report a failure at close(2), which must come before the new name. */
	const int open_still = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
	struct stat st;
	bool bad = keep && f->old >= 0 && (open_still < 0 || fsync(f->fd) != 0) && errno != EINVAL;
	int error = bad ? errno : 0, ret = 0;

	if (!keep && f->made && fstat(f->fd, &st) == 0 && st.st_size == 0)
		unlink(f->name);
	if (close(f->fd) != 0 && error == 0)
		error = errno;
	f->fd = open_still;
	if (keep && error != 0)
		ret = err_set(e, error, "cannot write %s: %s", f->name, strerror(error));
	else if (keep && f->apart)
		ret = name_give(f, e);
	if (f->fd >= 0)
		close(f->fd);
	if (f->beside[0] != '\0' && (!keep || ret != 0))
		unlink(f->beside);
	if (f->old >= 0 && close(f->old) != 0 && keep && ret == 0)
		ret = err_set(e, errno, "cannot write %s: %s", f->name, strerror(errno));
	return ret;
}

int
plain_file_put(int fd, const void *data, size_t n)
{
	const char *at = data;

	while (n > 0) {
		const ssize_t done = write(fd, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? errno : EIO;
		at += done;
		n -= (size_t)done;
	}
	return 0;
}

int
plain_file_whole(const char *path, unsigned int how, const void *data, size_t n, struct err *e)
{
	struct plain_file f;
	int error;

	if (plain_file_begin(&f, path, how, e) != 0)
		return -e->code;
	error = plain_file_put(f.fd, data, n);
	if (plain_file_end(&f, error == 0, e) != 0)
		return -e->code;
	return error == 0 ? 0 : err_set(e, error, "%s: %s", path, strerror(error));
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
