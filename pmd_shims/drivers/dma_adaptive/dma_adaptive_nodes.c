/* The NUMA node of an address: for DPDK's memory from its segment lists, for other memory as set by
 * the caller or reported by the kernel. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/dma_adaptive/dma_adaptive_nodes.h"

#include <rte_common.h>
#include <rte_memory.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	NODES = 64,            /* bits of a mask */
	KERNEL_STEP = 2 << 20, /* bytes for each page that the kernel is asked about */
	KERNEL_PAGES = 256,    /* pages per call */
};

/* A table under construction. */
struct draft {
	uint32_t n;
	struct {
		uint64_t begin, end;
		int node;
	} range[DMA_ADAPTIVE_NODES_MAX];
};

/* Append a range unless it is empty; merge it with an adjacent range of the same node. */
static int
append(struct draft *d, uint64_t begin, uint64_t end, int node)
{
	if (begin >= end || node < 0)
		return 0;
	if (d->n > 0 && d->range[d->n - 1].end == begin && d->range[d->n - 1].node == node) {
		d->range[d->n - 1].end = end;
		return 0;
	}
	if (d->n == DMA_ADAPTIVE_NODES_MAX)
		return -ENOSPC;
	d->range[d->n].begin = begin;
	d->range[d->n].end = end;
	d->range[d->n].node = node;
	d->n++;
	return 0;
}

/* Append those parts of the old ranges that are in [from, to). */
static int
append_part(struct draft *d, const struct draft *old, uint64_t from, uint64_t to)
{
	int ret = 0;

	for (uint32_t i = 0; i < old->n && ret == 0; i++)
		ret = append(d, RTE_MAX(old->range[i].begin, from), RTE_MIN(old->range[i].end, to),
			old->range[i].node);
	return ret;
}

/* Append the nodes of the pages of [begin, end) as the kernel reports them. */
static int
append_kernel(struct draft *d, uint64_t begin, uint64_t end)
{
	void *page[KERNEL_PAGES];
	int node[KERNEL_PAGES], ret = 0;

	while (begin < end && ret == 0) {
		uint64_t at = begin;
		unsigned long n = 0;

		for (; n < KERNEL_PAGES && at < end;
			at = RTE_ALIGN_FLOOR(at, KERNEL_STEP) + KERNEL_STEP)
			page[n++] = (void *)(uintptr_t)at;
		/* move_pages() without a list of nodes only reports where pages are. */
		if (syscall(SYS_move_pages, 0, n, page, NULL, node, 0) != 0)
			return -errno;
		for (unsigned long i = 0; i < n && ret == 0; i++)
			ret = append(d, (uintptr_t)page[i],
				i + 1 < n ? (uintptr_t)page[i + 1] : RTE_MIN(at, end), node[i]);
		begin = at;
	}
	return ret;
}

/* Make d from old, with one range replaced. */
static int
overlay(struct draft *d, const struct draft *old, uint64_t begin, uint64_t end, int node)
{
	int ret;

	d->n = 0;
	ret = append_part(d, old, 0, begin);
	if (ret == 0)
		ret = node == DMA_NODE_KERNEL ? append_kernel(d, begin, end)
					      : append(d, begin, end, node);
	return ret == 0 ? append_part(d, old, end, UINT64_MAX) : ret;
}

static void
draft_of(struct draft *d, const struct dma_adaptive_nodes *t)
{
	d->n = t->n;
	for (uint32_t i = 0; i < d->n; i++) {
		d->range[i].begin = t->range[i].begin;
		d->range[i].end = t->range[i].end;
		d->range[i].node = t->range[i].node;
	}
}

/* Write the table; the version is odd meanwhile. Pairs with dma_adaptive_nodes_search(). */
static void
publish(struct dma_adaptive_nodes *t, const struct draft *d)
{
	uint32_t version = atomic_load_explicit(&t->version, memory_order_relaxed);

	atomic_store_explicit(&t->version, version + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	for (uint32_t i = 0; i < d->n; i++) {
		atomic_store_explicit(&t->range[i].begin, d->range[i].begin, memory_order_relaxed);
		atomic_store_explicit(&t->range[i].end, d->range[i].end, memory_order_relaxed);
		atomic_store_explicit(&t->range[i].node, d->range[i].node, memory_order_relaxed);
	}
	atomic_store_explicit(&t->n, d->n, memory_order_relaxed);
	atomic_store_explicit(&t->version, version + 2, memory_order_release);
}

int
dma_adaptive_nodes_set(struct dma_adaptive_nodes *t, uint64_t begin, uint64_t len, int node)
{
	struct draft *draft;
	int ret;

	if (len == 0 || begin + len < begin || node < DMA_NODE_KERNEL || node >= NODES)
		return -EINVAL;
	draft = malloc(2 * sizeof(*draft));
	if (draft == NULL)
		return -ENOMEM;
	draft_of(&draft[0], t);
	ret = overlay(&draft[1], &draft[0], begin, begin + len, node);
	if (ret == 0)
		publish(t, &draft[1]);
	free(draft);
	return ret;
}

/* The socket_id of an external list is not a NUMA node, so the kernel is asked. */
static int
set_list(const struct rte_memseg_list *list, void *table)
{
	int node = list->external ? DMA_NODE_KERNEL : list->socket_id;

	return list->len > 0
		? dma_adaptive_nodes_set(table, (uintptr_t)list->base_va, list->len, node)
		: 0;
}

int
dma_adaptive_nodes_set_memory(struct dma_adaptive_nodes *t)
{
	return rte_memseg_list_walk(set_list, t);
}

uint64_t
dma_adaptive_nodes_mask(const struct dma_adaptive_nodes *t)
{
	uint64_t mask = 0;

	for (uint32_t i = 0; i < t->n; i++)
		mask |= UINT64_C(1) << t->range[i].node;
	return mask;
}

/* Fill hit with the range or the gap that contains the address. */
static void
search(const struct dma_adaptive_nodes *t, struct dma_adaptive_nodes_hit *hit, uint64_t address)
{
	uint32_t low = 0,
		 high = RTE_MIN(atomic_load_explicit(&t->n, memory_order_relaxed),
			 (uint32_t)DMA_ADAPTIVE_NODES_MAX);
	uint32_t n = high;
	uint64_t begin = 0, end = UINT64_MAX;

	while (low < high) { /* invariant: ranges before low begin at or before the address */
		uint32_t middle = (low + high) / 2;

		if (atomic_load_explicit(&t->range[middle].begin, memory_order_relaxed) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	hit->node = -1;
	if (low < n)
		end = atomic_load_explicit(&t->range[low].begin, memory_order_relaxed);
	if (low > 0) {
		const struct dma_adaptive_nodes_range *r = &t->range[low - 1];

		begin = atomic_load_explicit(&r->end, memory_order_relaxed);
		if (address < begin) {
			end = begin;
			begin = atomic_load_explicit(&r->begin, memory_order_relaxed);
			hit->node = atomic_load_explicit(&r->node, memory_order_relaxed);
		}
	}
	hit->begin = begin;
	hit->len = end - begin;
}

/* Pairs with publish(): a result that was read during a write is discarded. */
int
dma_adaptive_nodes_search(const struct dma_adaptive_nodes *t, struct dma_adaptive_nodes_hit *hit,
	uint64_t address)
{
	uint32_t version = atomic_load_explicit(&t->version, memory_order_acquire);

	search(t, hit, address);
	atomic_thread_fence(memory_order_acquire);
	if (version % 2 != 0 ||
		atomic_load_explicit(&t->version, memory_order_relaxed) != version) {
		hit->len = 0;
		return -1;
	}
	hit->version = version;
	return hit->node;
}
