/* The file behind a region of external memory, from the primary process to its secondaries: as a
 * descriptor by EAL's own messages, which reach other PID namespaces too. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "memory/extmem_region.h"

struct err;

/* What another process reads of a region, in a memzone named after it. */
struct extmem_share {
	enum extmem_type type;
	bool registered;
	void *addr;
	uint64_t bytes, mapped, page;
	int fd;                 /* in the primary; -1: in EAL's own memory */
	uint64_t device, inode; /* of the file, by which a secondary knows it */
};

/*
 * Primary: let secondaries find m. Without effect for memory that is one process's alone, and where
 * EAL shares none. Sets m->shared. Thread: control.
 */
void extmem_share_offer(struct extmem *m);

/*
 * Secondary: what is offered by that name; zone: where it is written. NULL: there is none. Thread:
 * control.
 */
const struct extmem_share *extmem_share_find(const char *name, const struct rte_memzone **zone);

/*
 * Secondary: a descriptor of the file, which the caller closes; -errno with e filled: what
 * rte_mp_request_sync() says, ESTALE when the primary has deleted the region. Thread: control.
 */
int extmem_share_open(const char *name, const struct extmem_share *share, struct err *e);
