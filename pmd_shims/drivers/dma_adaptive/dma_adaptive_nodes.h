/* The NUMA node of an address: a table of ranges that lcores can read while it changes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* Special values in place of a node. */
enum {
	DMA_NODE_FORGET = -1, /* unknown from now on */
	DMA_NODE_KERNEL = -2, /* the nodes that the kernel reports now */
};

enum { DMA_ADAPTIVE_NODES_MAX = 1024 };

struct dma_adaptive_nodes_range {
	_Atomic(uint64_t) begin, end;
	_Atomic(int) node;
};

/* Ranges sorted by address; the node of memory between ranges is unknown. */
struct dma_adaptive_nodes {
	_Atomic(uint32_t) version; /* odd while it changes */
	_Atomic(uint32_t) n;
	struct dma_adaptive_nodes_range range[DMA_ADAPTIVE_NODES_MAX];
};

/* The last result of an lcore, used as a cache; zeroed: empty. */
struct dma_adaptive_nodes_hit {
	uint64_t begin, len;
	uint32_t version;
	int node;
};

/*
 * Set the node of len bytes at begin; node may be DMA_NODE_FORGET or DMA_NODE_KERNEL. Returns 0, or
 * an error that changes nothing: -EINVAL: no such node or range; -ENOSPC: too many ranges; -ENOMEM;
 * -errno of the kernel. Thread: control, one at a time.
 */
int dma_adaptive_nodes_set(struct dma_adaptive_nodes *t, uint64_t begin, uint64_t len, int node);

/*
 * Add all memory of DPDK: what it has allocated, what it may allocate later, and external heaps.
 * Returns and thread: as for dma_adaptive_nodes_set().
 */
int dma_adaptive_nodes_set_memory(struct dma_adaptive_nodes *t);

/* Mask of the nodes in the table, 1 << node each. Thread: control. */
uint64_t dma_adaptive_nodes_mask(const struct dma_adaptive_nodes *t);

/* Search the node of an address in the table, -1: unknown. Thread: the lcore that owns hit. */
int dma_adaptive_nodes_search(const struct dma_adaptive_nodes *t,
	struct dma_adaptive_nodes_hit *hit, uint64_t address);

/* Find the node of an address, -1: unknown; tries hit first. Thread: the lcore that owns hit. */
static inline int
dma_adaptive_nodes_find(const struct dma_adaptive_nodes *t, struct dma_adaptive_nodes_hit *hit,
	uint64_t address)
{
	if (hit->version == atomic_load_explicit(&t->version, memory_order_relaxed) &&
		address - hit->begin < hit->len)
		return hit->node;
	return dma_adaptive_nodes_search(t, hit, address);
}
