/* A packet pool with pinned external buffers: receive queues fill a region of external memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct extmem;
struct extmems;
struct rte_mempool;

/*
 * Return a pool of packet buffers in the region: as many as fit, at most `most` (slightly more, so
 * that the last buffer does not cross a page). bytes: size of a buffer with headroom. An existing
 * pool with such buffers is returned again. The region owns the pool until it is deleted or cut in
 * another way. EBUSY: other buffers of the region are in use; ENOSPC: fewer than `least` buffers;
 * ENOMEM.
 */
struct rte_mempool *extmem_pin(struct extmem *m, uint16_t bytes, unsigned int least,
	unsigned int most, unsigned int cache, struct err *e);

/*
 * Mark the region of this pool as the one that ports receive into; pool NULL: none. Thread:
 * control.
 */
void extmem_pin_received(struct extmems *all, const struct rte_mempool *pool);
