/* Locks one byte of a file per process, at the offset of the process's number. Open file
 * description locks are released with the last descriptor: at exec or death, but not if a forked
 * child exits. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/processes/ring_process.h"

#include "base/err.h"

#include <rte_eal.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct flock
byte_of(ring_number number)
{
	return (struct flock){ .l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = (off_t)number,
		.l_len = 1 };
}

static int
lock(struct ring_process *own, const char *path, int flags, ring_number number, struct err *e)
{
	struct flock byte = byte_of(number);
	int ret = 0;

	own->fd = open(path, O_RDWR | O_CLOEXEC | flags, 0600);
	if (own->fd < 0)
		return err_set(e, errno, "%s: %s", path, strerror(errno));
	if (fcntl(own->fd, F_OFD_SETLK, &byte) != 0) {
		ret = err_set(e, errno, "%s: cannot lock: %s", path, strerror(errno));
		close(own->fd);
		return ret;
	}
	own->number = number;
	return 0;
}

void
ring_process_path(char *path)
{
	snprintf(path, PATH_MAX, "%s/zcfwd_pipeline", rte_eal_get_runtime_dir());
}

int
ring_process_found(struct ring_process *own, const char *path, struct err *e)
{
	int ret;

	if (unlink(path) != 0 && errno != ENOENT)
		return err_set(e, errno, "%s: %s", path, strerror(errno));
	ret = lock(own, path, O_CREAT | O_EXCL, RING_PRIMARY, e);
	if (ret == 0)
		snprintf(own->path, sizeof(own->path), "%s", path);
	return ret;
}

int
ring_process_join(struct ring_process *own, const char *path, _Atomic(ring_number) *count,
	struct err *e)
{
	return lock(own, path, 0, atomic_fetch_add(count, 1) + 1, e);
}

void
ring_process_leave(struct ring_process *own)
{
	if (own->path[0] != '\0')
		unlink(own->path);
	if (own->number != 0)
		close(own->fd);
	memset(own, 0, sizeof(*own));
}

bool
ring_process_lives(const struct ring_process *own, ring_number number)
{
	struct flock byte = byte_of(number);

	/* F_OFD_GETLK does not report locks of the same descriptor. */
	if (number == own->number)
		return true;
	return fcntl(own->fd, F_OFD_GETLK, &byte) != 0 || byte.l_type != F_UNLCK;
}
