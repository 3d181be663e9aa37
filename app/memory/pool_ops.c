/* Mempool drivers (mempool ops): which are available, which element sizes they support, and their
 * contiguous blocks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/pool_ops.h"

#include "base/base.h"
#include "base/err.h"
#include "base/text.h"

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Samples: an element that moves from the driver to a cache during a count is counted twice. */
#define SURPLUS_LOOKS 16
#define BUCKET "bucket"
/* The size of a bucket without its header of one cache line. */
#define BUCKET_BYTES (RTE_DRIVER_MEMPOOL_BUCKET_SIZE_KB * UINT32_C(1024) - RTE_CACHE_LINE_SIZE)

/*
 * The mempool drivers in software. Hardware drivers are left to the platform's choice, because they
 * end the process if the hardware is missing.
 */
static const struct {
	const char *name;
	bool one; /* without locks: only one lcore may get, or only one may put */
} drivers[] = {
	{ "ring_mp_mc", false },
	{ "ring_sp_sc", true },
	{ "ring_mp_sc", true },
	{ "ring_sp_mc", true },
	{ "ring_mt_hts", false },
	{ "ring_mt_rts", false },
	{ "stack", false },
	{ "lf_stack", false },
	{ BUCKET, false },
};

static const struct rte_mempool_ops *
ops_find(const char *name)
{
	const struct rte_mempool_ops_table *t = &rte_mempool_ops_table;

	for (unsigned int i = 0; i < t->num_ops; i++)
		if (strcmp(t->ops[i].name, name) == 0)
			return &t->ops[i];
	return NULL;
}

const char *
pool_ops_at(unsigned int i)
{
	for (size_t k = 0; k < ARRAY_SIZE(drivers); k++)
		if (ops_find(drivers[k].name) != NULL && i-- == 0)
			return drivers[k].name;
	return NULL;
}

bool
pool_ops_software(const char *name)
{
	for (size_t k = 0; k < ARRAY_SIZE(drivers); k++)
		if (strcmp(drivers[k].name, name) == 0)
			return true;
	return false;
}

const char *
pool_ops_registered(unsigned int i)
{
	const struct rte_mempool_ops_table *t = &rte_mempool_ops_table;
	const char *name;
	unsigned int software = 0;

	for (; (name = pool_ops_at(software)) != NULL; software++)
		if (software == i)
			return name;
	i -= software;
	for (unsigned int k = 0; k < t->num_ops; k++)
		if (!pool_ops_software(t->ops[k].name) && i-- == 0)
			return t->ops[k].name;
	return NULL;
}

bool
pool_ops_one_lcore(const char *name)
{
	for (size_t k = 0; k < ARRAY_SIZE(drivers); k++)
		if (strcmp(drivers[k].name, name) == 0)
			return drivers[k].one;
	return false;
}

int
pool_ops_check(const char *name, struct err *e)
{
	struct text names = { 0 };
	const char *other;
	int ret = 0;

	/* Before EAL registers the drivers, nothing can be checked. */
	if (rte_mempool_ops_table.num_ops == 0 || strcmp(name, POOL_OPS_DEFAULT) == 0)
		return 0;
	for (unsigned int i = 0; (other = pool_ops_at(i)) != NULL && strcmp(name, other) != 0; i++)
		text_add(&names, ", %s", other);
	if (other == NULL)
		ret = err_set(e, ENOENT,
			"mempool driver \"%s\": expected one of " POOL_OPS_DEFAULT "%s", name,
			names.bytes != NULL ? names.bytes : "");
	free(names.bytes);
	return ret;
}

const char *
pool_ops_name(const struct rte_mempool *mp)
{
	return rte_mempool_get_ops(mp->ops_index)->name;
}

/* Count the available elements; rte_mempool_avail_count() would limit the result to the size. */
static uint64_t
count(const struct rte_mempool *mp)
{
	uint64_t n = rte_mempool_get_ops(mp->ops_index)->get_count(mp);

	for (unsigned int i = 0; mp->cache_size > 0 && i < RTE_MAX_LCORE; i++)
		n += mp->local_cache[i].len;
	return n;
}

uint64_t
pool_ops_surplus(const struct rte_mempool *mp)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < SURPLUS_LOOKS && least > mp->size; i++)
		least = RTE_MIN(least, count(mp));
	return least - RTE_MIN(least, (uint64_t)mp->size);
}

bool
pool_ops_lays_out(const char *name)
{
	const struct rte_mempool_ops *ops = ops_find(name);

	return ops != NULL && ops->calc_mem_size != NULL;
}

bool
pool_ops_has_blocks(const char *name)
{
	const struct rte_mempool_ops *ops = ops_find(name);

	return ops != NULL && ops->get_info != NULL && ops->dequeue_contig_blocks != NULL;
}

unsigned int
pool_ops_block(const struct rte_mempool *mp)
{
	struct rte_mempool_info info;

	if (!pool_ops_has_blocks(pool_ops_name(mp)) || rte_mempool_ops_get_info(mp, &info) != 0)
		return 1;
	return RTE_MAX(info.contig_block_size, 1u);
}

uint32_t
pool_ops_stride(const struct rte_mempool *mp)
{
	return mp->header_size + mp->elt_size + mp->trailer_size;
}

uint32_t
pool_ops_bucket(void)
{
	const uint32_t built = RTE_DRIVER_MEMPOOL_BUCKET_SIZE_KB * UINT32_C(1024);

	return rte_eal_has_hugepages() ? built : RTE_MIN(built, (uint32_t)sysconf(_SC_PAGESIZE));
}

/* Return the room for elements in a bucket, whose first cache line is the driver's header. */
static uint32_t
room(void)
{
	return pool_ops_bucket() - RTE_CACHE_LINE_SIZE;
}

int
pool_ops_fit(const char *name, uint32_t bytes, struct err *e)
{
	if (strcmp(name, BUCKET) != 0)
		return 0;
	if (bytes > room())
		return err_set(e, ERANGE,
			"mempool driver bucket: elements of %u bytes: expected at most %u, as a bucket has %u%s",
			bytes, room(), pool_ops_bucket(),
			rte_eal_has_hugepages() ? "" : " without huge pages");
	if (room() / bytes > POOL_OPS_BLOCK_MAX)
		return err_set(e, ERANGE,
			"mempool driver bucket: elements of %u bytes: expected at least %u, as a bucket holds at most %u elements",
			bytes, room() / (POOL_OPS_BLOCK_MAX + 1) + 1, POOL_OPS_BLOCK_MAX);
	return 0;
}

unsigned int
pool_ops_round(const char *name, unsigned int n, uint32_t bytes)
{
	const unsigned int block = strcmp(name, BUCKET) == 0 ? room() / bytes : 1;
	unsigned int blocks = (n + block - 1) / block;

	if (block > 1 && rte_is_power_of_2(blocks))
		blocks++;
	return blocks * block;
}

uint32_t
pool_ops_element(unsigned int n)
{
	const uint32_t bytes = n == 0 ? 0
				      : RTE_ALIGN_FLOOR(room() / n, (uint32_t)RTE_CACHE_LINE_SIZE);

	return bytes != 0 && room() / bytes == n ? bytes : 0;
}

uint16_t
pool_ops_buffer(unsigned int n)
{
	const uint32_t mbuf = (uint32_t)sizeof(struct rte_mbuf);

	/* Try every size: with DPDK's padding, the element size does not grow monotonically. */
	for (uint32_t bytes = RTE_MIN(pool_ops_element(n), (uint32_t)UINT16_MAX);
		bytes > RTE_PKTMBUF_HEADROOM; bytes--)
		if (room() / rte_mempool_calc_obj_size(mbuf + bytes, 0, NULL) == n)
			return (uint16_t)bytes;
	return 0;
}
