/* A packet pool with pinned external buffers: receive queues fill a region of external memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct extmem;
struct extmems;
struct rte_mempool;

/*
 * A pool of packet buffers of so many bytes each, headroom included, that lie in the region: as
 * many as fit, most at most, or the few more that it takes for the last one to end in the page
 * where it begins. The same pool as before when that has such buffers. Errors: EBUSY while other
 * buffers of it are out, ENOSPC for less than least, ENOMEM. The region's until it is deleted or
 * cut otherwise.
 */
struct rte_mempool *extmem_pin(struct extmem *m, uint16_t bytes, unsigned int least,
	unsigned int most, unsigned int cache, struct err *e);

/*
 * Remember which region, if any, ports receive into: the one that this pool lies in; NULL: none
 * does. Thread: control.
 */
void extmem_pin_received(struct extmems *all, const struct rte_mempool *pool);
