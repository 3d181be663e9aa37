/* The primary's answers to a process that asks for the file of a memory: the file, another one, no
 * file, none at all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/extmem_share.h"

#include "base/err.h"
#include "fixtures/unit.h"

#include <rte_eal.h>
#include <rte_errno.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What comes back: so many messages, the last of them with this descriptor; -1: with none. */
static int failure, messages, descriptor;
static char asked[RTE_MP_MAX_PARAM_LEN];

int
rte_mp_request_sync(struct rte_mp_msg *ask, struct rte_mp_reply *replies, const struct timespec *t)
{
	memcpy(asked, ask->param, sizeof(asked));
	*replies = (struct rte_mp_reply){ .nb_sent = 1, .nb_received = messages };
	if (failure != 0) {
		rte_errno = failure;
		return -1;
	}
	replies->msgs = calloc((size_t)messages + 1, sizeof(replies->msgs[0]));
	assert_non_null(replies->msgs);
	if (messages > 0 && descriptor >= 0) {
		replies->msgs[messages - 1].num_fds = 1;
		replies->msgs[messages - 1].fds[0] = descriptor;
	}
	return 0;
}

static int
memory(void)
{
	int fd = memfd_create("zct", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static struct extmem_share
offered(int fd)
{
	struct stat file;

	assert_int_equal(fstat(fd, &file), 0);
	return (struct extmem_share){ .fd = 3, .device = file.st_dev, .inode = file.st_ino };
}

static void
expect(const struct extmem_share *share, int expected, const char *text)
{
	struct err e;

	err_clear(&e);
	assert_int_equal(extmem_share_open("app", share, &e), expected);
	assert_string_equal(asked, "app");
	assert_string_equal(e.text, text);
}

TEST(answers)
{
	const int fd = memory(), other = memory();
	const struct extmem_share share = offered(fd);

	messages = 1;
	descriptor = fd;
	expect(&share, fd, "");
	/* Deleted meanwhile, and its number is another file's: that one is not kept open. */
	descriptor = other;
	expect(&share, -ESTALE, "the primary process has deleted it");
	assert_int_equal(fcntl(other, F_GETFD), -1);
	descriptor = -1;
	expect(&share, -ESTALE, "the primary process has deleted it");
	messages = 0;
	expect(&share, -ETIMEDOUT, "no answer from the primary process in 5 s");
	failure = ENOTSUP;
	expect(&share, -ENOTSUP,
		"cannot ask the primary process for its file: Operation not supported");
	failure = 0;
	close(fd);
}
