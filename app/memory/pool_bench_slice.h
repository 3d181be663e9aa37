/* One time slice of the mempool benchmark on one lcore. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rte_mempool;
struct rte_mempool_cache;

#define POOL_BENCH_KEEP_MAX 64

/* What an lcore repeats. */
struct pool_bench_work {
	struct rte_mempool *pool;
	bool contiguous;             /* get whole blocks */
	unsigned int block;          /* objects per block */
	uint32_t stride;             /* bytes from object to object in a block */
	unsigned int get, put, keep; /* objects; keep is a multiple of both */
};

/* One lcore's part of a slice. */
struct pool_bench_slice {
	struct pool_bench_work work;
	struct rte_mempool_cache *cache; /* of this lcore; NULL: none */
	atomic_uint *arrived;            /* number of lcores that are ready */
	unsigned int lcores;             /* number of lcores in this slice */
	uint64_t warm_tsc, count_tsc;    /* duration of the warm-up and of the measurement */
	double rate;                     /* objects per TSC cycle; 0: the pool became empty */
};

/* Run a struct pool_bench_slice; all lcores begin together. Thread: the lcore. Returns 0. */
int pool_bench_slice(void *slice);
