/* Create a packet pool with the memory that mp-alloc chooses: DPDK's own, anonymous, external pages
 * in a separate heap, external buffers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct rte_mempool;
struct rte_memzone;

/* In the order of the words of the setting mp-alloc. */
enum pool_alloc { POOL_NATIVE, POOL_ANON, POOL_XMEM, POOL_XMEMHUGE, POOL_XBUF };

/* Memory of a pool's buffers that rte_mempool_free() does not free. */
struct pool_area {
	void *addr; /* anon, xmem, xmemhuge; else NULL */
	size_t bytes;
	bool in_heap;                   /* xmem, xmemhuge */
	const struct rte_memzone *zone; /* xbuf; else NULL */
};

/* All areas; all zero: none. */
struct pool_areas {
	struct pool_area *area;
	unsigned int n;
	bool anonymous; /* mp-alloc=anon: the memory must be unmapped from devices */
};

struct pool_memory_ask {
	const char *name;
	unsigned int n, cache; /* buffers */
	uint16_t bytes;        /* size of a buffer, with headroom */
	unsigned int socket;
	enum pool_alloc how;
	bool scattered;  /* anon: a buffer need not be IOVA-contiguous */
	const char *ops; /* mempool driver */
};

/*
 * Create a pool of packet buffers, and add its separate memory areas to p. Returns NULL with e
 * filled. ENOMEM: e says what is missing and what to change; EPERM: the limit on locked memory, if
 * devices need it locked; EEXIST: the name is taken; as pool_memory_device_check() and
 * pool_ops_fit(); errors of DPDK.
 */
struct rte_mempool *pool_memory_create(struct pool_areas *p, const struct pool_memory_ask *ask,
	struct err *e);

/*
 * Check that the mempool driver of ask supports its element size and memory. EINVAL: not this
 * memory; ERANGE: as pool_ops_fit().
 */
int pool_memory_ops_check(const struct pool_memory_ask *ask, struct err *e);

/*
 * Refuse pools in memory that is not EAL's own (anon, xmem, xmemhuge) if a device could not
 * transmit then: an existing one, or, with devargs, one to be attached. EOPNOTSUPP. See
 * extmem_device.h.
 */
int pool_memory_device_check(enum pool_alloc how, const char *devargs, struct err *e);

/* Free a pool; mp may be NULL. No buffer may be in use. */
void pool_memory_free(const struct pool_areas *p, struct rte_mempool *mp);

/* Free the areas of p from number `from` on, after their pools. */
void pool_memory_areas_free(struct pool_areas *p, unsigned int from);
