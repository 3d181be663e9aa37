/* Create a packet pool with the memory that mp-alloc chooses: DPDK's own, anonymous, external pages
 * in a separate heap, external buffers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/pool_memory.h"

#include "base/err.h"
#include "memory/extmem_device.h"
#include "memory/extmem_pin.h"
#include "memory/memory_lock.h"
#include "memory/pool_ops.h"

#include <rte_common.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>
#include <rte_memory.h>
#include <rte_memzone.h>

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEAP_NAME "extmem"
/*
 * Size of the pool's own structures: the caches of every possible lcore, and DPDK's overhead per
 * piece of memory.
 */
#define OWN_BYTES (RTE_MAX_LCORE * sizeof(struct rte_mempool_cache) + (UINT64_C(1) << 20))
#define ZONE_BYTES (RTE_PGSIZE_2M - 256) /* one page, less DPDK's header in front */
#define XBUF_MOST RTE_ALIGN_FLOOR(UINT16_MAX, RTE_CACHE_LINE_SIZE) /* bytes of an external buffer */
#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT 26
#endif

/* Return the bytes of free hugepages. */
static uint64_t
hugepages_free(void)
{
	uint64_t bytes = 0;
	glob_t found;

	if (!rte_eal_has_hugepages())
		return 0;
	if (glob("/sys/kernel/mm/hugepages/hugepages-*kB/free_hugepages", 0, NULL, &found) != 0)
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		unsigned long long kb = 0, n = 0;
		FILE *f = fopen(found.gl_pathv[i], "r");

		if (f == NULL)
			continue;
		if (fscanf(f, "%llu", &n) == 1 &&
			sscanf(found.gl_pathv[i], "/sys/kernel/mm/hugepages/hugepages-%llukB",
				&kb) == 1)
			bytes += n * kb * 1024;
		fclose(f);
	}
	globfree(&found);
	return bytes;
}

/* Return the size of an element, with header and trailer. */
static uint32_t
element_bytes(const struct pool_memory_ask *ask)
{
	return rte_mempool_calc_obj_size((uint32_t)sizeof(struct rte_mbuf) +
			(ask->how == POOL_XBUF ? 0 : ask->bytes),
		0, NULL);
}

/* Return the size of a pool's buffers, which do not cross pages. */
static uint64_t
buffer_bytes(const struct pool_memory_ask *ask, uint64_t page)
{
	const uint64_t piece = pool_ops_lays_out(ask->ops) ? pool_ops_bucket() : page;
	const uint64_t element = element_bytes(ask);

	return element <= piece ? (ask->n / (piece / element) + 1) * piece
				: ask->n * RTE_ALIGN_CEIL(element, piece);
}

/* Return the size of a pool with its own structures, in whole pages. */
static uint64_t
bytes_needed(const struct pool_memory_ask *ask, uint64_t page)
{
	const uint64_t own = OWN_BYTES + UINT64_C(16) * ask->n;

	return RTE_ALIGN_CEIL(own + buffer_bytes(ask, page), page);
}

/* Fill e with one line: how much memory a pool needs, how much is missing, what to change. */
static void
shortage_say(const struct pool_memory_ask *ask, struct err *e)
{
	const double mib = 1024 * 1024;
	const uint64_t apart = ask->how == POOL_XBUF ? (uint64_t)ask->n * ask->bytes : 0;
	double need = (double)(bytes_needed(ask, RTE_PGSIZE_2M) + apart) / mib,
	       have = (double)hugepages_free() / mib;
	struct rte_malloc_socket_stats stats;

	if (rte_malloc_get_socket_stats((int)ask->socket, &stats) == 0)
		have += (double)stats.heap_freesz_bytes / mib;
	if (have < need)
		err_set(e, ENOMEM,
			"pool %s: %u buffers need %.1f MiB on socket %u, %.1f MiB are missing: use a lower "
			"--total-num-mbufs or --mbuf-size, or more memory: -m MIB, --socket-mem, more hugepages",
			ask->name, ask->n, need, ask->socket, need - have);
	else
		err_set(e, ENOMEM,
			"pool %s: %u buffers need %.1f MiB on socket %u, %.1f MiB are free but fragmented or used "
			"by others: use a lower --total-num-mbufs, or more memory: -m MIB, --socket-mem, more hugepages",
			ask->name, ask->n, need, ask->socket, have);
}

/*
 * Fill e for a failed mapping. EAGAIN: mappings are locked (mlockall(2), MCL_FUTURE), and the limit
 * is reached.
 */
static void
mapping_say(const struct pool_memory_ask *ask, size_t bytes, int code, struct err *e)
{
	char limit[MEMORY_LOCK_CHARS];

	if (code == EAGAIN && memory_lock_limit(limit)[0] != '\0')
		err_set(e, code, "pool %s: %u buffers need %.1f MiB: %s, or use --no-mlockall",
			ask->name, ask->n, (double)bytes / (1024 * 1024), limit);
	else
		err_set(e, code,
			"pool %s: %u buffers need %.1f MiB from the kernel: %s; use a lower "
			"--total-num-mbufs or --mbuf-size",
			ask->name, ask->n, (double)bytes / (1024 * 1024), strerror(code));
}

static void
failure_say(const struct pool_memory_ask *ask, int code, struct err *e)
{
	if (code == ENOMEM)
		shortage_say(ask, e);
	else if (code == EEXIST)
		err_set(e, EEXIST,
			"pool %s exists already: does another process use this --file-prefix?",
			ask->name);
	else
		err_set(e, code, "Creation of mbuf pool for socket %u failed: %s", ask->socket,
			rte_strerror(code));
}

static struct pool_area *
area_add(struct pool_areas *p)
{
	struct pool_area *more = realloc(p->area, (p->n + 1) * sizeof(*more));

	if (more == NULL)
		return NULL;
	p->area = more;
	more[p->n] = (struct pool_area){ 0 };
	return &more[p->n++];
}

/* The result of mapping a pool's memory for the devices. */
struct reach {
	int code; /* errno of the first device that cannot access it; 0: none */
	char device[RTE_ETH_NAME_MAX_LEN];
};

/* Return the IOVA of a chunk: virtual or physical; a scattered pool has no physical one. */
static rte_iova_t
chunk_iova(const struct rte_mempool_memhdr *chunk)
{
	return rte_eal_iova_mode() == RTE_IOVA_VA ? (uintptr_t)chunk->addr : chunk->iova;
}

/* Map a chunk of anonymous memory for the devices. ENOTSUP: the device needs no mapping. */
static void
chunk_map(struct rte_mempool *mp, void *opaque, struct rte_mempool_memhdr *chunk, unsigned int i)
{
	const rte_iova_t iova = chunk_iova(chunk);
	struct reach *reach = opaque;
	struct rte_eth_dev_info info;
	uint16_t port;

	if (rte_extmem_register(chunk->addr, chunk->len, NULL, 0, (size_t)sysconf(_SC_PAGESIZE)) !=
			0 ||
		iova == RTE_BAD_IOVA)
		return;
	RTE_ETH_FOREACH_DEV(port)
		if (rte_eth_dev_info_get(port, &info) == 0 &&
			rte_dev_dma_map(info.device, chunk->addr, iova, chunk->len) != 0 &&
			rte_errno != ENOTSUP && reach->code == 0) {
			reach->code = rte_errno;
			snprintf(reach->device, sizeof(reach->device), "%s",
				rte_dev_name(info.device));
		}
}

static void
chunk_unmap(struct rte_mempool *mp, void *opaque, struct rte_mempool_memhdr *chunk, unsigned int i)
{
	const rte_iova_t iova = chunk_iova(chunk);
	struct rte_eth_dev_info info;
	uint16_t port;

	RTE_ETH_FOREACH_DEV(port)
		if (iova != RTE_BAD_IOVA && rte_eth_dev_info_get(port, &info) == 0)
			rte_dev_dma_unmap(info.device, chunk->addr, iova, chunk->len);
	rte_extmem_unregister(chunk->addr, chunk->len);
}

/* Create a pool without memory; flags: RTE_MEMPOOL_F_*. */
static struct rte_mempool *
create_empty(const struct pool_memory_ask *ask, unsigned int flags)
{
	return rte_mempool_create_empty(ask->name, ask->n,
		(unsigned int)sizeof(struct rte_mbuf) + ask->bytes, ask->cache,
		sizeof(struct rte_pktmbuf_pool_private), (int)ask->socket, flags);
}

/* Make the pool's elements mbufs; bytes: the size of each buffer, with headroom. Returns mp. */
static struct rte_mempool *
fill(struct rte_mempool *mp, uint16_t bytes)
{
	/* Without it DPDK takes the size of an element, which is rounded up, for 16 bits. */
	struct rte_pktmbuf_pool_private private = { .mbuf_data_room_size = bytes };

	rte_pktmbuf_pool_init(mp, &private);
	rte_mempool_obj_iter(mp, rte_pktmbuf_init, NULL);
	return mp;
}

/* Refuse memory that a device cannot access: it could not receive into it. */
static bool
devices_reach(struct rte_mempool *mp, struct err *e)
{
	struct reach reach = { 0 };
	char limit[MEMORY_LOCK_CHARS];

	rte_mempool_mem_iter(mp, chunk_map, &reach);
	if (reach.code == 0)
		return true;
	limit[0] = '\0';
	if (reach.code == ENOMEM)
		memory_lock_limit(limit);
	err_set(e, reach.code, "pool %s: %s cannot reach its memory: %s%s%s", mp->name,
		reach.device, strerror(reach.code), limit[0] != '\0' ? ": " : "", limit);
	rte_mempool_mem_iter(mp, chunk_unmap, NULL);
	return false;
}

/*
 * Replaces rte_mempool_populate_anon(), which fails if memory cannot be locked, even if devices do
 * not need that.
 */
static struct rte_mempool *
create_anon(struct pool_areas *p, const struct pool_memory_ask *ask, struct err *e)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = buffer_bytes(ask, page);
	struct rte_mempool *mp =
		create_empty(ask, ask->scattered ? RTE_MEMPOOL_F_NO_IOVA_CONTIG : 0);
	struct pool_area *area = area_add(p);
	int ret = mp == NULL ? rte_errno : ENOMEM;
	void *addr;

	if (mp == NULL || area == NULL)
		goto fail;
	addr = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE,
		-1, 0);
	if (addr == MAP_FAILED) {
		mapping_say(ask, bytes, errno, e);
		goto fail;
	}
	area->addr = addr;
	area->bytes = bytes;
	if (memory_lock_pages(addr, bytes, e) != 0) {
		err_context(e, "pool %s", ask->name);
		goto fail;
	}
	ret = -rte_mempool_set_ops_byname(mp, ask->ops, NULL);
	if (ret != 0)
		goto fail;
	ret = rte_mempool_populate_virt(mp, addr, bytes, page, NULL, NULL);
	if (ret == (int)ask->n) {
		if (devices_reach(fill(mp, ask->bytes), e))
			return mp;
	}
	ret = ret < 0 ? -ret : ENOMEM;
fail:
	rte_mempool_free(mp);
	rte_errno = ret;
	return NULL;
}

/*
 * Pack buffers across page boundaries, which do not matter if IOVAs are virtual addresses. DPDK
 * keeps each buffer within a page: with small pages each takes one, and all map to the same cache
 * set.
 */
static struct rte_mempool *
create_packed(struct pool_areas *p, const struct pool_memory_ask *ask)
{
	struct rte_mempool *mp = create_empty(ask, RTE_MEMPOOL_F_NO_IOVA_CONTIG);
	struct pool_area *area = area_add(p);
	const struct rte_memzone *zone;
	char name[RTE_MEMZONE_NAMESIZE];
	int ret = mp == NULL ? rte_errno : ENOMEM;

	if (mp == NULL || area == NULL)
		goto fail;
	snprintf(name, sizeof(name), "%s_packed", ask->name);
	zone = rte_memzone_reserve_aligned(name,
		(size_t)ask->n * (mp->header_size + mp->elt_size + mp->trailer_size),
		(int)ask->socket, 0, RTE_MEMPOOL_ALIGN);
	if (zone == NULL)
		goto fail;
	area->zone = zone;
	ret = -rte_mempool_set_ops_byname(mp, ask->ops, NULL);
	if (ret != 0)
		goto fail;
	ret = rte_mempool_populate_iova(mp, zone->addr, zone->iova, zone->len, NULL, NULL);
	/*
	 * The flag only made DPDK ignore page boundaries: the IOVAs are contiguous and usable for
	 * devices.
	 */
	mp->flags &= ~(RTE_MEMPOOL_F_NO_IOVA_CONTIG | RTE_MEMPOOL_F_NON_IO);
	if (ret == (int)ask->n)
		return fill(mp, ask->bytes);
	ret = ret < 0 ? -ret : ENOMEM;
fail:
	rte_mempool_free(mp);
	rte_errno = ret;
	return NULL;
}

static struct rte_mempool *
create_native(struct pool_areas *p, const struct pool_memory_ask *ask)
{
	if (!rte_eal_has_hugepages() && rte_eal_iova_mode() == RTE_IOVA_VA &&
		!pool_ops_lays_out(ask->ops))
		return create_packed(p, ask);
	return rte_pktmbuf_pool_create_by_ops(ask->name, ask->n, ask->cache, 0, ask->bytes,
		(int)ask->socket, ask->ops);
}

/* Map memory and add it to the heap. Returns 0 or a positive errno value; e may have details. */
static int
heap_grow(struct pool_areas *p, const struct pool_memory_ask *ask, size_t page, int flags,
	struct err *e)
{
	const size_t bytes = bytes_needed(ask, page);
	const size_t n = bytes / page;
	rte_iova_t *iova = calloc(n, sizeof(*iova));
	struct pool_area *area;
	void *addr;
	int ret = ENOMEM;

	if (iova == NULL)
		return ENOMEM;
	addr = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE | flags, -1,
		0);
	if (addr == MAP_FAILED) {
		if (flags == 0)
			mapping_say(ask, bytes, errno, e);
		goto out;
	}
	if (flags == 0 && memory_lock_pages(addr, bytes, e) != 0) {
		ret = -err_context(e, "pool %s", ask->name);
		munmap(addr, bytes);
		goto out;
	}
	for (size_t i = 0; i < n; i++) {
		volatile char *at = RTE_PTR_ADD(addr, i * page);

		*at = 0; /* allocates the physical page */
		iova[i] = rte_mem_virt2iova((const void *)(uintptr_t)at);
	}
	if (rte_malloc_heap_memory_add(HEAP_NAME, addr, bytes, iova, (unsigned int)n, page) != 0) {
		ret = rte_errno;
		munmap(addr, bytes);
		goto out;
	}
	area = area_add(p);
	if (area != NULL) {
		area->addr = addr;
		area->bytes = bytes;
		area->in_heap = true;
		ret = 0;
	}
out:
	free(iova);
	return ret;
}

static struct rte_mempool *
create_xmem(struct pool_areas *p, const struct pool_memory_ask *ask, struct err *e)
{
	static const size_t huge[] = { RTE_PGSIZE_2M, RTE_PGSIZE_1G };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int ret = ENOMEM;

	if (rte_malloc_heap_get_socket(HEAP_NAME) < 0 && rte_malloc_heap_create(HEAP_NAME) != 0)
		return NULL;
	if (ask->how == POOL_XMEM)
		ret = heap_grow(p, ask, page, 0, e);
	for (size_t i = 0; ask->how == POOL_XMEMHUGE && ret != 0 && i < RTE_DIM(huge); i++)
		ret = heap_grow(p, ask, huge[i],
			MAP_HUGETLB | (int)(rte_log2_u64(huge[i]) << MAP_HUGE_SHIFT), e);
	if (ret != 0) {
		rte_errno = ret;
		return NULL;
	}
	return rte_pktmbuf_pool_create_by_ops(ask->name, ask->n, ask->cache, 0, ask->bytes,
		rte_malloc_heap_get_socket(HEAP_NAME), ask->ops);
}

/* Call rte_pktmbuf_pool_create_extbuf() with the mempool driver, which it has no argument for. */
static struct rte_mempool *
create_extbuf(const struct pool_memory_ask *ask, const struct rte_pktmbuf_extmem *zones,
	unsigned int n_zones)
{
	char before[RTE_MEMPOOL_OPS_NAMESIZE];
	struct rte_mempool *mp;
	int code;

	snprintf(before, sizeof(before), "%s", rte_mbuf_best_mempool_ops());
	rte_mbuf_set_user_mempool_ops(ask->ops);
	mp = rte_pktmbuf_pool_create_extbuf(ask->name, ask->n, ask->cache, 0, ask->bytes,
		(int)ask->socket, zones, n_zones);
	code = rte_errno;
	rte_mbuf_set_user_mempool_ops(before);
	rte_errno = code;
	return mp;
}

/*
 * Reserve memory for one zone of buffers, and add it to the pool's areas. In small pages the first
 * buffer begins with a page, so that some fit whatever their length. On failure rte_errno says why.
 */
static int
zone_reserve(struct pool_areas *p, const struct pool_memory_ask *ask, uint16_t element,
	unsigned int i, struct rte_pktmbuf_extmem *z)
{
	struct pool_area *area = area_add(p);
	const struct rte_memzone *zone;
	char name[RTE_MEMZONE_NAMESIZE];
	size_t before, fit;
	uint8_t *start;

	snprintf(name, sizeof(name), "%s_xb_%u", ask->name, i);
	zone = rte_memzone_reserve(name, ZONE_BYTES, (int)ask->socket, RTE_MEMZONE_IOVA_CONTIG);
	if (area == NULL || zone == NULL) {
		rte_errno = area == NULL ? ENOMEM : rte_errno;
		return -1;
	}
	area->zone = zone;
	start = zone->hugepage_sz < RTE_PGSIZE_2M
		? RTE_PTR_ALIGN_CEIL(zone->addr, zone->hugepage_sz)
		: zone->addr;
	before = RTE_PTR_DIFF(start, zone->addr);
	fit = extmem_pin_fitting(zone->hugepage_sz, start, ZONE_BYTES - before, element);
	*z = (struct rte_pktmbuf_extmem){ start, zone->iova + before, fit * element, element };
	return 0;
}

static struct rte_mempool *
create_xbuf(struct pool_areas *p, const struct pool_memory_ask *ask)
{
	const uint16_t element =
		(uint16_t)RTE_ALIGN_CEIL((uint32_t)ask->bytes, RTE_CACHE_LINE_SIZE);
	struct rte_pktmbuf_extmem *zones = NULL, *longer;
	struct pool_memory_ask more = *ask;
	struct rte_mempool *mp = NULL;
	unsigned int n_zones = 0;
	uint64_t buffers = 0;

	while (buffers < ask->n) {
		longer = realloc(zones, (n_zones + 1) * sizeof(*zones));
		if (longer == NULL) {
			rte_errno = ENOMEM;
			goto out;
		}
		zones = longer;
		if (zone_reserve(p, ask, element, n_zones, &zones[n_zones]) != 0)
			goto out;
		buffers += zones[n_zones].buf_len / element;
		n_zones++;
	}
	more.n = extmem_pin_enough(p->area[p->n - 1].zone->hugepage_sz, zones, n_zones, ask->n);
	mp = create_extbuf(&more, zones, n_zones);
out:
	free(zones);
	return mp;
}

int
pool_memory_device_check(enum pool_alloc how, const char *devargs, struct err *e)
{
	static const char *const words[] = { "native", "anon", "xmem", "xmemhuge", "xbuf" };
	char name[RTE_ETH_NAME_MAX_LEN];
	const char *silent;

	if (how == POOL_NATIVE || how == POOL_XBUF)
		return 0;
	silent = devargs != NULL ? extmem_device_silent(devargs) ? devargs : NULL
				 : extmem_device_silenced(name);
	if (silent == NULL)
		return 0;
	return err_set(e, EOPNOTSUPP,
		"--mp-alloc=%s: %s shares only DPDK's own memory with its peer and could not transmit: use --mp-alloc=native or xbuf",
		words[how], silent);
}

int
pool_memory_ops_check(const struct pool_memory_ask *ask, struct err *e)
{
	if (ask->how != POOL_NATIVE && pool_ops_lays_out(ask->ops))
		return err_set(e, EINVAL,
			"pool %s: mempool driver %s works only with DPDK's own memory: use --mp-alloc=native",
			ask->name, ask->ops);
	return pool_ops_fit(ask->ops, element_bytes(ask), e);
}

struct rte_mempool *
pool_memory_create(struct pool_areas *p, const struct pool_memory_ask *wanted, struct err *e)
{
	struct pool_memory_ask rounded = *wanted;
	const struct pool_memory_ask *ask = &rounded;
	const unsigned int n_areas = p->n;
	struct rte_mempool *mp = NULL;
	int code;

	if (pool_memory_device_check(ask->how, NULL, e) != 0 || pool_memory_ops_check(ask, e) != 0)
		return NULL;
	if (ask->how == POOL_XBUF && ask->bytes > XBUF_MOST) {
		err_set(e, ERANGE, "mbuf-size %u: expected at most %u bytes with --mp-alloc=xbuf",
			ask->bytes, XBUF_MOST);
		return NULL;
	}
	rounded.n = pool_ops_round(ask->ops, ask->n, element_bytes(ask));
	rte_errno = 0;
	switch (ask->how) {
	case POOL_NATIVE: mp = create_native(p, ask); break;
	case POOL_ANON: mp = create_anon(p, ask, e); break;
	case POOL_XMEM:
	case POOL_XMEMHUGE: mp = create_xmem(p, ask, e); break;
	case POOL_XBUF: mp = create_xbuf(p, ask); break;
	}
	if (mp != NULL) {
		p->anonymous = ask->how == POOL_ANON;
		return mp;
	}
	/* ENOBUFS: there is memory for some of the buffers only. */
	code = rte_errno != 0 && rte_errno != ENOBUFS ? rte_errno : ENOMEM;
	pool_memory_areas_free(p, n_areas);
	if (e->code == 0)
		failure_say(ask, code, e);
	return NULL;
}

void
pool_memory_free(const struct pool_areas *p, struct rte_mempool *mp)
{
	if (mp != NULL && p->anonymous)
		rte_mempool_mem_iter(mp, chunk_unmap, NULL);
	rte_mempool_free(mp);
}

void
pool_memory_areas_free(struct pool_areas *p, unsigned int from)
{
	while (p->n > from) {
		const struct pool_area *area = &p->area[--p->n];

		if (area->zone != NULL)
			rte_memzone_free(area->zone);
		if (area->addr != NULL &&
			(!area->in_heap ||
				rte_malloc_heap_memory_remove(HEAP_NAME, area->addr, area->bytes) ==
					0))
			munmap(area->addr, area->bytes);
	}
	if (p->n > 0)
		return;
	free(p->area);
	p->area = NULL;
	if (rte_malloc_heap_get_socket(HEAP_NAME) >= 0)
		rte_malloc_heap_destroy(HEAP_NAME);
}
