/* Memory of a packet pool, by mp-alloc: DPDK's own, anonymous, external pages in a heap of their
 * own, external buffers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct rte_mempool;
struct rte_memzone;

/* The setting mp-alloc has a word for each. */
enum pool_alloc { POOL_NATIVE, POOL_ANON, POOL_XMEM, POOL_XMEMHUGE, POOL_XBUF };

/* Memory that a pool's buffers live in and that the pool does not free itself. */
struct pool_area {
	void *addr; /* of anon, xmem, xmemhuge; else NULL */
	size_t bytes;
	bool in_heap;                   /* of xmem, xmemhuge */
	const struct rte_memzone *zone; /* of xbuf; else NULL */
};

/* All of it. Zero at the beginning. */
struct pool_areas {
	struct pool_area *area;
	unsigned int n;
	bool anonymous; /* mp-alloc=anon: devices were told of the memory and have to forget it */
};

struct pool_memory_ask {
	const char *name;
	unsigned int n, cache; /* buffers */
	uint16_t bytes;        /* of one buffer, headroom included */
	unsigned int socket;
	enum pool_alloc how;
	bool scattered;  /* of anon: devices may find a buffer's pages anywhere */
	const char *ops; /* mempool driver */
};

/*
 * Create a pool of packet buffers; areas of memory of its own are added to p. Returns NULL with e
 * filled: ENOMEM with what is missing and what to change; EPERM with the limit on locked memory, where
 * devices need it locked; EEXIST when the name is taken; as
 * pool_memory_device_check() and pool_ops_fit(); what DPDK said.
 */
struct rte_mempool *pool_memory_create(struct pool_areas *p, const struct pool_memory_ask *ask,
	struct err *e);

/*
 * Refuse pools in memory that EAL has from elsewhere (anon, xmem, xmemhuge) beside a device that
 * would be silent then: one that is there, or, with devargs, one that is to be attached.
 * EOPNOTSUPP. Source: extmem_device.h.
 */
int pool_memory_device_check(enum pool_alloc how, const char *devargs, struct err *e);

/* Free a pool; NULL is fine. Nobody may hold one of its buffers. */
void pool_memory_free(const struct pool_areas *p, struct rte_mempool *mp);

/* Give back the areas of p from number from on, once their pools are freed. */
void pool_memory_areas_free(struct pool_areas *p, unsigned int from);
