/* Mempool drivers (mempool ops): which there are, what fits into one, and the contiguous blocks that
 * a pool hands out. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct rte_mempool;

/* Elements of a block of the driver bucket: it counts those that are back in 8 bits. */
#define POOL_OPS_BLOCK_MAX 256

/* In place of a driver's name: the one that the platform, or EAL's --mbuf-pool-ops-name, chooses. */
#define POOL_OPS_DEFAULT "default"

/* 0, or -ENOENT with the names that there are. Thread: any, as all of this file. */
int pool_ops_check(const char *name, struct err *e);

/* The name of driver i of those that are here and need no hardware; NULL past the end. */
const char *pool_ops_at(unsigned int i);

/* True when only one lcore at a time may get, or put: nothing guards the pool against others. */
bool pool_ops_one_lcore(const char *name);

/* The driver of a pool; it lives as long as the process. */
const char *pool_ops_name(const struct rte_mempool *mp);

/* True when the driver lays its elements out itself, in pieces of memory that it asks for. */
bool pool_ops_lays_out(const char *name);

/*
 * Elements that are available beyond the size of the pool: some were freed again while they were
 * free. Thread: any, while the pool stays.
 */
uint64_t pool_ops_surplus(const struct rte_mempool *mp);

/* True when the driver hands out contiguous blocks. */
bool pool_ops_has_blocks(const char *name);

/*
 * Elements of a contiguous block of the pool, at rising addresses pool_ops_stride() bytes apart; 1:
 * its driver has no blocks, or none of more than one element.
 */
unsigned int pool_ops_block(const struct rte_mempool *mp);
uint32_t pool_ops_stride(const struct rte_mempool *mp);

/*
 * Refuse elements that the driver bucket accepts and then fails with: ERANGE for those larger than a
 * bucket, by whose number it divides, and for so small ones that its count of them, 8 bits, never
 * says full. bytes: of one element with header and trailer.
 */
int pool_ops_fit(const char *name, uint32_t bytes, struct err *e);

/*
 * So many elements, or a few more where the driver bucket would never hand out the last ones: whole
 * buckets, and not a power of two of them, which is one more than its ring of buckets takes.
 */
unsigned int pool_ops_round(const char *name, unsigned int n, uint32_t bytes);

/* Bytes of one bucket of the driver bucket: fixed when DPDK was built, or a small page. */
uint32_t pool_ops_bucket(void);

/*
 * The largest element, header and trailer included, of which a bucket has n; 0: there is none, as
 * elements begin at cache lines.
 */
uint32_t pool_ops_element(unsigned int n);

/* The largest buffer of a packet pool, headroom included, that gives such blocks; 0: there is none. */
uint16_t pool_ops_buffer(unsigned int n);
