/* dma_adaptive, a DMA device on top of another one, the engine: the CPU makes short copies, the
 * engine long ones, and completions come in order. This is its interface beyond the dmadev API. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/dma_adaptive/dma_adaptive_nodes.h" /* DMA_NODE_KERNEL, _FORGET */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Minimum length of copies made by the engine, in bytes. 0: all; UINT32_MAX: none. */
struct dma_min_len {
	/* if calling lcore, source, destination and engine are on one NUMA node or unknown ones */
	uint32_t near;
	/* if they are on several NUMA nodes */
	uint32_t far;
};

/* Counts of a vchan since it was created. Written by the thread that uses it. */
struct dma_adaptive_stats {
	_Atomic(uint64_t) cpu_copies;
	_Atomic(uint64_t) cpu_bytes;
	_Atomic(uint64_t) dma_copies; /* includes fenced */
	_Atomic(uint64_t) dma_bytes;
	_Atomic(uint64_t) fenced;     /* short copies made by the engine because of a fence */
	_Atomic(uint64_t) far_copies; /* copies between the thresholds decided by min_len.far */
	_Atomic(uint64_t) full;       /* copies refused because the ring was full */
	_Atomic(uint64_t) errors;     /* jobs that failed */
};

/*
 * True if dev exists and is a dma_adaptive. dev, vchan: as in the dmadev API, for all functions of
 * this file. Thread: any, for all functions of this file.
 */
bool dma_adaptive_is(int16_t dev);

/* The engine below dev; -1: dev is not a dma_adaptive. */
int16_t dma_adaptive_engine(int16_t dev);

/*
 * Read the thresholds of a vchan into *now. A vchan exists as long as the device, even if it is not
 * set up. Returns 0; -ENODEV: not a dma_adaptive; -EINVAL: no such vchan.
 */
int dma_adaptive_min_len(int16_t dev, uint16_t vchan, struct dma_min_len *now);

/*
 * Set the thresholds of a vchan, effective from the next copy on. Returns 0; -ENODEV: not a
 * dma_adaptive; -EINVAL: no such vchan.
 */
int dma_adaptive_set_min_len(int16_t dev, uint16_t vchan, struct dma_min_len want);

/* Read the counts of a vchan. Returns 0; -ENODEV: not a dma_adaptive; -EINVAL: no such vchan. */
int dma_adaptive_stats(int16_t dev, uint16_t vchan, struct dma_adaptive_stats *to);

/*
 * Record the addresses of the copies that the engine has, for dma_adaptive_take_over(), from the
 * next set-up of the vchans on. Does nothing if dev is not a dma_adaptive.
 */
void dma_adaptive_keep(int16_t dev, bool keep);

/*
 * Stop the engine below dev, which does not answer, and let the CPU make the copies that it has not
 * returned, in their order. From now on until the next start the CPU makes all copies. No thread may
 * use dev during the call. Returns 0; -ENODEV: not a dma_adaptive; the engine's error: it did not
 * stop, nothing has changed; -ENOTSUP: lists and fills were among them, or no addresses were
 * recorded: these copies have failed with RTE_DMA_STATUS_USER_ABORT.
 */
int dma_adaptive_take_over(int16_t dev);

/*
 * Set the NUMA node of len bytes at begin, memory that DPDK did not allocate such as a guest's;
 * this replaces earlier settings for it. node: may be DMA_NODE_FORGET or DMA_NODE_KERNEL, which
 * asks the kernel about every 2 MB; untouched pages are on no node yet. Returns 0; -ENODEV: not a
 * dma_adaptive; -EINVAL: no such node or range; -ENOSPC: too many ranges; -ENOMEM.
 */
int dma_adaptive_node_range(int16_t dev, uint64_t begin, uint64_t len, int node);
