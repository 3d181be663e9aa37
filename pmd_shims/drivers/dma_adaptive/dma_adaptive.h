/* dma_adaptive, a DMA device over another one: short copies are the CPU's, long ones the engine's,
 * completions come in order. What a program may ask and tell it beside the dmadev API. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/dma_adaptive/dma_adaptive_nodes.h" /* DMA_NODE_KERNEL, DMA_NODE_FORGET */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* From this length on, in bytes, a copy is the engine's. 0: all are; UINT32_MAX: none is. */
struct dma_min_len {
	/* the calling lcore, source, destination and engine are on one NUMA node, or not known */
	uint32_t near;
	/* they are on several */
	uint32_t far;
};

/* What a vchan did, ever. Written by the thread that has it. */
struct dma_adaptive_stats {
	_Atomic(uint64_t) cpu_copies;
	_Atomic(uint64_t) cpu_bytes;
	_Atomic(uint64_t) dma_copies; /* with those of fenced */
	_Atomic(uint64_t) dma_bytes;
	_Atomic(uint64_t) fenced;     /* short, but behind a fence: the engine's */
	_Atomic(uint64_t) far_copies; /* between the two thresholds, and min_len.far decided */
	_Atomic(uint64_t) full;       /* refused, as the ring was full */
	_Atomic(uint64_t) errors;     /* jobs that failed */
};

/*
 * Is it there, and one of these? dev, vchan: as in the dmadev API, here and below. Thread: any, all
 * of this file.
 */
bool dma_adaptive_is(int16_t dev);

/* The device below; -1: dev is none of these. */
int16_t dma_adaptive_engine(int16_t dev);

/*
 * The thresholds of a vchan, which lives as long as the device does, whether it is set up or not.
 * 0; -ENODEV: not one of these, -EINVAL: no such vchan.
 */
int dma_adaptive_min_len(int16_t dev, uint16_t vchan, struct dma_min_len *now);

/* Set them, at any time: copies from the next one on go by them. As above. */
int dma_adaptive_set_min_len(int16_t dev, uint16_t vchan, struct dma_min_len want);

/* Read what a vchan did. As above. */
int dma_adaptive_stats(int16_t dev, uint16_t vchan, struct dma_adaptive_stats *to);

/*
 * Memory that DPDK did not allocate, such as a guest's, lies on this node: len bytes from begin on.
 * What was told of them before is forgotten. DMA_NODE_KERNEL asks for every 2 MB of them: pages that
 * nobody has touched are on no node yet. 0; -ENODEV, -EINVAL, -ENOSPC: no room for more ranges.
 */
int dma_adaptive_node_range(int16_t dev, uint64_t begin, uint64_t len, int node);
