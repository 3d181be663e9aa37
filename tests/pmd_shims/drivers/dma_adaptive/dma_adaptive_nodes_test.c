/* Which node memory lies on: ranges laid over each other against an array of pages, and a table that
 * changes under a reader. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/dma_adaptive/dma_adaptive_nodes.h"

#include "fixtures/skip.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGES = 64, PAGE = 4096, KERNEL_BYTES = 6 << 20 };

static struct dma_adaptive_nodes table;

static int
find(uint64_t address)
{
	struct dma_adaptive_nodes_hit hit = { 0 };

	return dma_adaptive_nodes_find(&table, &hit, address);
}

static int
set(uint64_t page, uint64_t pages, int node)
{
	return dma_adaptive_nodes_set(&table, page * PAGE, pages * PAGE, node);
}

static int
clear(void **state)
{
	memset(&table, 0, sizeof(table));
	return 0;
}

TEST(refused)
{
	assert_int_equal(find(0), -1);
	assert_int_equal(set(0, 0, 0), -EINVAL);
	assert_int_equal(set(0, 1, 64), -EINVAL);
	assert_int_equal(set(0, 1, -3), -EINVAL);
	assert_int_equal(dma_adaptive_nodes_set(&table, UINT64_MAX - 1, 2, 0), -EINVAL);
	for (int i = 0; i < DMA_ADAPTIVE_NODES_MAX; i++)
		assert_int_equal(set(2 * (uint64_t)i + 1, 1, 0), 0);
	assert_int_equal(set(0, 1, 1), -ENOSPC);
	assert_int_equal(find(0), -1);
	assert_int_equal(find(PAGE), 0);
	/* what joins ranges makes room */
	assert_int_equal(set(2, 1, 0), 0);
	assert_int_equal(table.n, DMA_ADAPTIVE_NODES_MAX - 1);
	assert_int_equal(find(PAGE * UINT64_C(2) * DMA_ADAPTIVE_NODES_MAX - PAGE), 0);
}

TEST(random_ranges)
{
	struct dma_adaptive_nodes_hit hit = { 0 };
	int page[PAGES];

	memset(page, -1, sizeof(page));
	for (int round = 0; round < 5000; round++) {
		unsigned int begin = (unsigned int)rand() % PAGES;
		unsigned int n = 1 + (unsigned int)rand() % (PAGES - begin);
		int node = rand() % 4 - 1;

		uint32_t ranges = 0;
		uint64_t mask = 0;

		assert_int_equal(set(begin, n, node), 0);
		for (unsigned int i = begin; i < begin + n; i++)
			page[i] = node;
		for (unsigned int i = 0; i < PAGES; i++) {
			/* Neighbours of one node are one range. */
			ranges += page[i] >= 0 && (i == 0 || page[i - 1] != page[i]);
			mask |= page[i] >= 0 ? UINT64_C(1) << page[i] : 0;
		}
		assert_int_equal(table.n, ranges);
		assert_int_equal(dma_adaptive_nodes_mask(&table), mask);
		for (unsigned int i = 0; i < PAGES; i++) {
			uint64_t address =
				(i * 7 % PAGES) * UINT64_C(4096) + (unsigned int)rand() % PAGE;

			assert_int_equal(dma_adaptive_nodes_find(&table, &hit, address),
				page[i * 7 % PAGES]);
		}
	}
}

/* Of memory that was touched the kernel knows the node, of the rest it does not. */
TEST(kernel)
{
	uint8_t *memory = mmap(NULL, KERNEL_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t begin = (uintptr_t)memory;
	int ret;

	assert_true(memory != MAP_FAILED);
	memset(memory, 1, KERNEL_BYTES);
	ret = dma_adaptive_nodes_set(&table, begin, KERNEL_BYTES, DMA_NODE_KERNEL);
	if (ret == -ENOSYS || ret == -EPERM)
		skip_because("no move_pages(2) here");
	assert_int_equal(ret, 0);
	assert_true(find(begin) >= 0);
	assert_true(find(begin + KERNEL_BYTES - 1) >= 0);
	assert_int_equal(find(begin + KERNEL_BYTES), -1);
	assert_int_equal(munmap(memory, KERNEL_BYTES), 0);
	assert_int_equal(dma_adaptive_nodes_set(&table, begin, KERNEL_BYTES, DMA_NODE_KERNEL), 0);
	assert_int_equal(find(begin), -1);
}

static _Atomic(bool) over;

static void *
change(void *arg)
{
	while (!over) {
		set(0, 8, 1);
		set(1, 2, 2);
		set(4, 2, 3);
		set(0, 8, 2);
		set(3, 1, DMA_NODE_FORGET);
	}
	return NULL;
}

/* Page 7 is on node 1 or 2, or for a moment not known, whatever the others are; page 9 always on 9. */
TEST(while_it_changes)
{
	struct dma_adaptive_nodes_hit hit = { 0 };
	pthread_t writer;

	set(9, 1, 9);
	assert_int_equal(pthread_create(&writer, NULL, change, NULL), 0);
	for (uint32_t first = table.version; table.version - first < 20000;) {
		int node = dma_adaptive_nodes_find(&table, &hit, 7 * PAGE);

		if (node != -1 && node != 1 && node != 2)
			fail_msg("page 7 on node %d", node);
		node = dma_adaptive_nodes_find(&table, &hit, 9 * PAGE);
		if (node != -1 && node != 9)
			fail_msg("page 9 on node %d", node);
	}
	over = true;
	pthread_join(writer, NULL);
	assert_int_equal(dma_adaptive_nodes_find(&table, &hit, 9 * PAGE), 9);
}

TESTS(.before = clear);
