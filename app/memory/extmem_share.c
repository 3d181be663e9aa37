/* Share external memory with secondary processes: a memzone describes each region, a message
 * requests its file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/extmem_share.h"

#include "base/err.h"

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_memzone.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE "zcfwd_extmem"

enum { ANSWER_S = 5 };

static void
zone_name(char *zone, size_t bytes, const char *name)
{
	snprintf(zone, bytes, "xmc_%s", name);
}

const struct extmem_share *
extmem_share_find(const char *name, const struct rte_memzone **zone)
{
	char text[RTE_MEMZONE_NAMESIZE];

	zone_name(text, sizeof(text), name);
	*zone = rte_memzone_lookup(text);
	return *zone != NULL ? (*zone)->addr : NULL;
}

/*
 * Runs on EAL's message thread while the control thread may delete the region. Then it sends no
 * descriptor, or one of another file, which the secondary detects.
 */
static int
answer(const struct rte_mp_msg *asked, const void *peer)
{
	struct rte_mp_msg reply = { .name = MESSAGE };
	const struct rte_memzone *zone;
	const struct extmem_share *share;
	char name[RTE_MP_MAX_PARAM_LEN + 1] = "";

	memcpy(name, asked->param, (size_t)RTE_MIN(asked->len_param, RTE_MP_MAX_PARAM_LEN));
	share = extmem_share_find(name, &zone);
	if (share != NULL && share->fd >= 0) {
		reply.fds[0] = share->fd;
		reply.num_fds = 1;
	}
	return rte_mp_reply(&reply, peer);
}

void
extmem_share_offer(struct extmem *m)
{
	char name[RTE_MEMZONE_NAMESIZE];
	struct extmem_share *share;
	struct stat file = { 0 };

	if (m->type == EXTMEM_ANON || m->type == EXTMEM_GPU ||
		(m->fd >= 0 && fstat(m->fd, &file) != 0) ||
		(rte_mp_action_register(MESSAGE, answer) != 0 && rte_errno != EEXIST))
		return;
	zone_name(name, sizeof(name), m->name);
	m->shared = rte_memzone_reserve(name, sizeof(*share), SOCKET_ID_ANY, 0);
	if (m->shared == NULL)
		return;
	share = m->shared->addr;
	*share = (struct extmem_share){ m->type, m->registered, m->addr, m->bytes, m->mapped,
		m->page, m->fd, file.st_dev, file.st_ino };
}

int
extmem_share_open(const char *name, const struct extmem_share *share, struct err *e)
{
	const struct timespec patience = { .tv_sec = ANSWER_S };
	struct rte_mp_msg ask = { .name = MESSAGE };
	struct rte_mp_reply replies = { 0 };
	struct stat file;
	int fd = -1;

	ask.len_param = snprintf((char *)ask.param, sizeof(ask.param), "%s", name);
	if (rte_mp_request_sync(&ask, &replies, &patience) != 0)
		return err_set(e, rte_errno, "cannot ask the primary process for its file: %s",
			rte_strerror(rte_errno));
	for (int i = 0; i < replies.nb_received; i++)
		if (replies.msgs[i].num_fds == 1)
			fd = replies.msgs[i].fds[0];
	free(replies.msgs);
	if (replies.nb_received == 0)
		return err_set(e, ETIMEDOUT, "no answer from the primary process in %d s",
			ANSWER_S);
	if (fd >= 0 && fstat(fd, &file) == 0 && file.st_dev == share->device &&
		file.st_ino == share->inode)
		return fd;
	if (fd >= 0)
		close(fd);
	return err_set(e, ESTALE, "the primary process has deleted it");
}
