/* Share external memory with secondary processes: the file's descriptor is passed by EAL's
 * multi-process messages, which also work across PID namespaces. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "memory/extmem_buffers.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct rte_memzone;

/* The description of a region for other processes, in a memzone named after it. */
struct extmem_share {
	enum extmem_type type;
	bool registered;
	void *addr;
	uint64_t bytes, mapped, page;
	int fd;                 /* descriptor in the primary; -1: EAL's own memory */
	uint64_t device, inode; /* identify the file in a secondary */
};

/*
 * In a secondary, return a descriptor of the region's file; the caller closes it. ESTALE: the
 * primary has deleted the region; ETIMEDOUT; errors of rte_mp_request_sync(). Thread: control.
 */
int extmem_share_open(const char *name, const struct extmem_share *share, struct err *e);

/*
 * In a secondary, return the description of the region of that name and its memzone; NULL: there is
 * none. Thread: control.
 */
const struct extmem_share *extmem_share_find(const char *name, const struct rte_memzone **zone);

/*
 * In the primary, let secondaries find m and set m->shared. No effect for memory that cannot be
 * shared, or if EAL does not support secondaries. Thread: control.
 */
void extmem_share_offer(struct extmem *m);
