/* mlx5: pools whose buffers lie in several memory regions. Each element gets the key of its buffer's region,
 * and a buffer without a known key is never armed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/rig.h"
#include "fixtures/unit.h"
#include "pmd_shims/recycle/mlx5/mlx5.h"
#include "pmd_shims/recycle/pair.h"
#include "pmd_shims/recycle/shim.h"

#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { AREAS = 3, BYTES = 2 << 20, SIZE = RTE_MBUF_DEFAULT_BUF_SIZE, POLLS = 2000 };

/* Memory in which a pool lies; every second piece, so that none touches the next. */
static struct {
	void *memory[2 * AREAS];
	struct rte_mempool *usual;
} regions;

static int
by_address(const void *a, const void *b)
{
	const char *const *one = a, *const *other = b;

	return *one < *other ? -1 : *one > *other;
}

/* In the order of addresses, as the driver's table is. */
static void
memory_get(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(regions.memory); i++) {
		regions.memory[i] = rte_malloc(NULL, BYTES, 4096);
		assert_non_null(regions.memory[i]);
	}
	qsort(regions.memory, ARRAY_SIZE(regions.memory), sizeof(regions.memory[0]), by_address);
	regions.usual = operations.pool;
}

static void
memory_put(void)
{
	rte_mempool_free(operations.pool);
	for (size_t i = 0; i < ARRAY_SIZE(regions.memory); i++)
		rte_free(regions.memory[i]);
	operations.pool = regions.usual;
}

/* A pool whose buffers are external memory. */
static void
pinned_pool(void)
{
	struct rte_pktmbuf_extmem areas[AREAS];

	memory_get();
	for (size_t i = 0; i < AREAS; i++)
		areas[i] = (struct rte_pktmbuf_extmem){ .buf_ptr = regions.memory[2 * i],
			.buf_iova = rte_malloc_virt2iova(regions.memory[2 * i]),
			.buf_len = BYTES,
			.elt_size = SIZE };
	operations.pool = rte_pktmbuf_pool_create_extbuf("areas", AREAS * (BYTES / SIZE), 0, 0,
		SIZE, SOCKET_ID_ANY, areas, AREAS);
	assert_non_null(operations.pool);
}

/* Make a pool of at most n mbufs that lie in these pieces of memory. Returns how many there are. */
static unsigned int
chunked_make(unsigned int n)
{
	struct rte_mempool *mp = rte_mempool_create_empty("chunks", n,
		sizeof(struct rte_mbuf) + SIZE, 0, sizeof(struct rte_pktmbuf_pool_private),
		SOCKET_ID_ANY, 0);

	assert_non_null(mp);
	rte_pktmbuf_pool_init(mp, NULL);
	for (size_t i = 0; i < AREAS; i++)
		assert_true(rte_mempool_populate_iova(mp, regions.memory[2 * i],
				    (uintptr_t)regions.memory[2 * i], BYTES, NULL, NULL) > 0);
	operations.pool = mp;
	return rte_mempool_obj_iter(mp, rte_pktmbuf_init, NULL);
}

/* A pool whose mbufs themselves lie in several pieces of memory, as many as fit. */
static void
chunked_pool(void)
{
	unsigned int n;

	memory_get();
	n = chunked_make(AREAS * BYTES / SIZE);
	rte_mempool_free(operations.pool);
	assert_int_equal(chunked_make(n), n);
}

/* Packets of all kinds through pairs that arm by keys. */
static void
forward(operation *deed)
{
	rig_start(256, 32, 0);
	rig_bind();
	for (uint16_t p = 0; p < RIG_PORTS; p++) {
		assert_ptr_equal(rig.pair[p]->rx.ops, &mlx5_keyed_rx_ops);
		assert_int_equal(rig.pair[p]->rx.regions, AREAS);
	}
	rig_poll(POLLS, deed);
	print_message("# %llu moved of %llu sent\n", (unsigned long long)rig_moved(),
		(unsigned long long)rig.sent);
	if (deed == operation_plain)
		assert_true(rig_moved() * 100 > rig.sent * 90);
	for (uint16_t p = 0; p < RIG_PORTS; p++)
		rig_faults(p, 0);
	rig_finish();
}

static void
pinned(void)
{
	pinned_pool();
	forward(operation_plain);
	forward(operation_shared);
	forward(operation_from_another_pool);
	memory_put();
}

static void
chunked(void)
{
	chunked_pool();
	forward(operation_plain);
	forward(operation_cloned);
	forward(operation_anything_of_pools);
	memory_put();
}

/* The queue's number of regions, plus 1. */
static uint16_t *
keys_number(uint16_t port)
{
	return (uint16_t *)(void *)((char *)rte_eth_fp_ops[port].rxq.data[0] + MLX5_RX_BUILT->keys);
}

/* The pointer to the queue's table, and the key of the region that the last entry has. */
static uint32_t *
last_key(uint16_t port)
{
	char *table;

	memcpy(&table, (char *)keys_number(port) + 8, sizeof(table));
	return (uint32_t *)(void *)(table + (*keys_number(port) - 1) * 20 + 16);
}

/* A region whose key the driver does not know: the pair is refused, and names a buffer of it. */
static void
unknown_key(void)
{
	struct zcfwd_recycle_error e;

	chunked_pool();
	rig_start(256, 32, 0);
	/* The ring is armed out of the first pieces of memory; what the table lacks is not in it. */
	for (uint16_t n = AREAS; n > 0; n--) {
		(*keys_number(0))--;
		if (rig_pair(0, ZCFWD_RECYCLE_MODE_RING, &e) != NULL)
			fail_msg("bound with %u regions", n - 1);
		assert_int_equal(e.code, ENOTSUP);
		assert_non_null(strstr(e.text, "of pool chunks"));
		if (strstr(e.text, "has no key for the memory region of buffer 0x") != NULL)
			break;
		assert_non_null(strstr(e.text, "are not those of its table"));
	}
	*keys_number(0) = AREAS + 1;
	rig_bind();
	rig_poll(100, operation_plain);
	rig_finish();
	memory_put();
}

/* A table that is not the one that the driver arms by. */
static void
wrong_table(void)
{
	struct zcfwd_recycle_error e;
	uint32_t keys[AREAS];

	pinned_pool();
	rig_start(256, 32, 0);
	for (uint16_t i = 0; i < AREAS; i++, (*keys_number(0))--) {
		keys[i] = *last_key(0);
		*last_key(0) ^= 1;
	}
	*keys_number(0) = AREAS + 1;
	assert_null(rig_pair(0, ZCFWD_RECYCLE_MODE_RING, &e));
	assert_int_equal(e.code, ENOTSUP);
	assert_non_null(strstr(e.text, "pool areas lie in 3 memory regions, and keys of"));
	for (uint16_t i = 0; i < AREAS; i++, (*keys_number(0))--)
		*last_key(0) = keys[i];
	*keys_number(0) = AREAS + 1;
	rig_bind();
	rig_poll(100, operation_plain);
	rig_finish();
	memory_put();
}

/* A region that the driver forgets while the pair runs: its buffers go to the pool, and nothing is lost. */
static void
forgotten_key(void)
{
	const struct recycle_count *count;

	chunked_pool();
	rig_start(256, 32, 0);
	rig_bind();
	count = recycle_count(rig.pair[0]);
	rig_poll(POLLS, operation_plain);
	assert_int_equal(shim_counted(&count->freed), 0);
	for (unsigned int i = 0; i < 50; i++) {
		/* All regions but that of the last entry, then none. */
		*keys_number(0) = i % 2 == 0 ? AREAS : 1;
		for (unsigned int k = 0; k < 8; k++)
			recycle_run(rig.pair[0]);
		*keys_number(0) = AREAS + 1;
		rig_poll(20, operation_plain);
	}
	assert_true(shim_counted(&count->freed) > 0);
	for (uint16_t p = 0; p < RIG_PORTS; p++)
		rig_faults(p, 0);
	rig_finish();
	memory_put();
}

int
main(void)
{
	static const struct rig_case cases[] = {
		{ "pinned", pinned, RIG_ALL_MLX5, NULL, NULL },
		{ "chunked", chunked, RIG_ALL_MLX5, NULL, NULL },
		{ "unknown_key", unknown_key, RIG_ALL_MLX5, NULL, NULL },
		{ "wrong_table", wrong_table, RIG_ALL_MLX5, NULL, NULL },
		{ "forgotten_key", forgotten_key, RIG_ALL_MLX5, NULL, NULL },
	};

	return rig_main(cases, ARRAY_SIZE(cases));
}
