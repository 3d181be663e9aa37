/* Mode auto of a virtqueue: from the traffic the worker determines the minimum length of copies
 * that are left to the DMA device. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/dma_adaptive/dma_adaptive.h"
#include "stream/threshold_autotune.h"

#include <rte_mbuf.h>

#include <stdbool.h>
#include <stdint.h>

/* State of a virtqueue; all zero: off. */
struct vhost_autotune {
	struct threshold_autotune threshold;
	int16_t dma; /* a dma_adaptive device */
	uint16_t vchan;
	uint32_t in_force; /* threshold in force, bytes */
};

/*
 * Begin with the vchan's threshold for near copies, which is also set for far copies, since a
 * guest's memory is in one place. descriptors: size of the virtqueue. Thread: one that holds the
 * virtqueue's lock, for this function and vhost_autotune_close().
 */
void vhost_autotune_open(struct vhost_autotune *a, int16_t dma, uint16_t vchan,
	unsigned int descriptors);
void vhost_autotune_close(struct vhost_autotune *a);

/* True if the next poll is to be timed. Thread: the worker, as for the functions below. */
static __rte_always_inline bool
vhost_autotune_due(struct vhost_autotune *a)
{
	return threshold_autotune_due(&a->threshold);
}

/* True if the CPU makes all copies; it is then cheaper not to use the DMA device at all. */
static inline bool
vhost_autotune_all_cpu(const struct vhost_autotune *a)
{
	return a->threshold.on && a->in_force == THRESHOLD_NEVER;
}

/* Record the lengths of packets that a poll will copy or has copied. */
void vhost_autotune_lengths(struct vhost_autotune *a, struct rte_mbuf *const *pkts, uint16_t n);

/*
 * Record a timed poll from TSC begin to now, which accepted packets. collected: it completed copies
 * of earlier polls.
 */
void vhost_autotune_poll(struct vhost_autotune *a, uint64_t begin, uint64_t now, uint16_t packets,
	bool collected);
