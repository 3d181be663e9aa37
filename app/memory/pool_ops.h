/* Mempool drivers (mempool ops): which are available, which element sizes they support, and their
 * contiguous blocks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct rte_mempool;

/* The maximum elements per block of the driver bucket, which counts them in 8 bits. */
#define POOL_OPS_BLOCK_MAX 256

/* Stands for the driver chosen by the platform or by EAL's --mbuf-pool-ops-name. */
#define POOL_OPS_DEFAULT "default"

/* Check a driver's name. ENOENT: e has the existing names. Thread: any, for all of this file. */
int pool_ops_check(const char *name, struct err *e);

/* Return the name of available software driver i; NULL past the end. */
const char *pool_ops_at(unsigned int i);

/* Return whether the driver is one of those in software; others need their hardware. */
bool pool_ops_software(const char *name);

/* Return the name of registered driver i, those in software first; NULL past the end. */
const char *pool_ops_registered(unsigned int i);

/* Return whether the driver has no locks: only one lcore may get, or only one may put. */
bool pool_ops_one_lcore(const char *name);

/* Return the name of a pool's driver; valid until the process ends. */
const char *pool_ops_name(const struct rte_mempool *mp);

/* Return whether the driver lays out its elements itself, in memory that it requests. */
bool pool_ops_lays_out(const char *name);

/*
 * Return the number of elements available beyond the pool's size, which were freed twice. Thread:
 * any, while the pool exists.
 */
uint64_t pool_ops_surplus(const struct rte_mempool *mp);

/* Return whether the driver has contiguous blocks. */
bool pool_ops_has_blocks(const char *name);

/*
 * Return the elements per contiguous block of the pool, which are pool_ops_stride() bytes apart; 1:
 * no blocks of more than one element.
 */
unsigned int pool_ops_block(const struct rte_mempool *mp);
uint32_t pool_ops_stride(const struct rte_mempool *mp);

/*
 * Refuse element sizes that the driver bucket accepts but fails with. ERANGE: larger than a bucket
 * (it divides by zero), or so small that its 8-bit count of elements overflows. bytes: size of an
 * element with header and trailer.
 */
int pool_ops_fit(const char *name, uint32_t bytes, struct err *e);

/*
 * Return n, or slightly more for the driver bucket, which would never give out the last elements
 * otherwise: whole buckets, but not a power of two of them, for which its ring is one too small.
 */
unsigned int pool_ops_round(const char *name, unsigned int n, uint32_t bytes);

/*
 * Return the size of a bucket of the driver bucket, bytes: fixed by DPDK's build, or a small page.
 */
uint32_t pool_ops_bucket(void);

/*
 * Return the largest element size, with header and trailer, of which a bucket holds exactly n; 0:
 * there is none, as elements are aligned to cache lines.
 */
uint32_t pool_ops_element(unsigned int n);

/* Return the largest buffer size, with headroom, that gives blocks of exactly n mbufs; 0: none. */
uint16_t pool_ops_buffer(unsigned int n);
