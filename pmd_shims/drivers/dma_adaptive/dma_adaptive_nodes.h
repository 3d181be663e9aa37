/* Which NUMA node memory lies on: a table of ranges that lcores read while it changes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* Said in the place of a node. */
enum {
	DMA_NODE_FORGET = -1, /* nobody knows any more */
	DMA_NODE_KERNEL = -2, /* where the kernel has the pages now */
};

enum { DMA_ADAPTIVE_NODES_MAX = 1024 };

struct dma_adaptive_nodes_range {
	_Atomic(uint64_t) begin, end;
	_Atomic(int) node;
};

/* By address; what lies between ranges is on no node that anybody knows. */
struct dma_adaptive_nodes {
	_Atomic(uint32_t) version; /* odd while it changes */
	_Atomic(uint32_t) n;
	struct dma_adaptive_nodes_range range[DMA_ADAPTIVE_NODES_MAX];
};

/* What was found last, of the lcore that looks; zeroed: nothing yet. */
struct dma_adaptive_nodes_hit {
	uint64_t begin, len;
	uint32_t version;
	int node;
};

/*
 * Memory of len bytes from begin on lies on node, or as DMA_NODE_FORGET and DMA_NODE_KERNEL say.
 * 0; -EINVAL: no such node or range, -ENOSPC: too many ranges; then all is as before. Thread:
 * control, one at a time.
 */
int dma_adaptive_nodes_set(struct dma_adaptive_nodes *t, uint64_t begin, uint64_t len, int node);

/*
 * Put in all that DPDK has, external heaps too, and what it may yet allocate. Returns and thread as
 * above.
 */
int dma_adaptive_nodes_set_memory(struct dma_adaptive_nodes *t);

/* The nodes in the table: 1 << node each. Thread: control. */
uint64_t dma_adaptive_nodes_mask(const struct dma_adaptive_nodes *t);

/* The node of an address that the last hit does not cover; -1: not known. Thread: hit's. */
int dma_adaptive_nodes_search(const struct dma_adaptive_nodes *t,
	struct dma_adaptive_nodes_hit *hit, uint64_t address);

/* The same of any address. */
static inline int
dma_adaptive_nodes_find(const struct dma_adaptive_nodes *t, struct dma_adaptive_nodes_hit *hit,
	uint64_t address)
{
	if (hit->version == atomic_load_explicit(&t->version, memory_order_relaxed) &&
		address - hit->begin < hit->len)
		return hit->node;
	return dma_adaptive_nodes_search(t, hit, address);
}
