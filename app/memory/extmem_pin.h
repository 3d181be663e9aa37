/* A packet pool with pinned external buffers: receive queues fill a region of external memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct extmem;
struct extmems;
struct rte_mempool;
struct rte_pktmbuf_extmem;

/*
 * mlx5 maps only the pages in which a buffer begins, so the last buffer of a piece of memory, and
 * of a pool, must not cross a page. extmem_pin_fitting: return how many buffers of element bytes
 * may be cut from a piece. extmem_pin_enough: return n, or slightly more, for a pool in such
 * pieces. Buffers longer than a page are not examined: extbuf_pages_check() refuses them.
 */
uint64_t extmem_pin_fitting(uint64_t page, const uint8_t *start, uint64_t bytes, uint16_t element);
unsigned int extmem_pin_enough(uint64_t page, const struct rte_pktmbuf_extmem *at,
	unsigned int n_pieces, unsigned int n);

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
