/* Mode auto of a virtqueue: the worker finds the length from which on its engine is to copy, on the
 * packets that come. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/dma_adaptive/dma_adaptive.h"
#include "stream/threshold_autotune.h"

#include <rte_mbuf.h>

#include <stdbool.h>
#include <stdint.h>

/* The virtqueue's own; off when all zero. */
struct vhost_autotune {
	struct threshold_autotune threshold;
	int16_t dma; /* a dma_adaptive */
	uint16_t vchan;
	uint32_t in_force; /* bytes */
};

/*
 * Begin with the threshold in force, which becomes that of near and of far: a guest's memory lies in
 * one place. descriptors: of the virtqueue. Thread: one that keeps the worker out, both.
 */
void vhost_autotune_open(struct vhost_autotune *a, int16_t dma, uint16_t vchan,
	unsigned int descriptors);
void vhost_autotune_close(struct vhost_autotune *a);

/* Whether the poll that begins is to be timed. Thread: the worker, all that follow. */
static __rte_always_inline bool
vhost_autotune_due(struct vhost_autotune *a)
{
	return threshold_autotune_due(&a->threshold);
}

/* Whether all copies are the CPU's, which is cheaper at once than by way of the engine's device. */
static inline bool
vhost_autotune_all_cpu(const struct vhost_autotune *a)
{
	return a->threshold.on && a->in_force == THRESHOLD_NEVER;
}

/* Packets that a poll is about to copy, or has copied. */
void vhost_autotune_lengths(struct vhost_autotune *a, struct rte_mbuf *const *pkts, uint16_t n);

/* A poll lasted from begin until now, took in packets, and collected what earlier ones left. */
void vhost_autotune_poll(struct vhost_autotune *a, uint64_t begin, uint64_t now, uint16_t packets,
	bool collected);
