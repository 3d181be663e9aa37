/* The benchmark published for the bucket mempool driver, run on every mempool driver: get bulks,
 * read each object, put them back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct err;
struct out;
struct rte_mempool;
struct rte_mempool_cache;

/* One time slice of the mempool benchmark on one lcore. */

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

struct pool_bench_ask {
	unsigned int samples; /* per variant, interleaved; odd, for a median */
	unsigned int objects; /* per pool; slightly more if the driver needs whole buckets */
	unsigned int cache;   /* cache size of the variants with a cache */
	const char *driver;   /* measure only this mempool driver; NULL: all */
	int interrupt_fd;     /* readable: end the benchmark with the results so far */
	bool progress;        /* print a progress bar on a terminal */
};

/*
 * Measure all cells on 1, 2, 4.. and all lcores, which must be idle, and print them with the
 * published figures. JSON: {"block", "element_bytes", "objects", "cells":[{"lcores", "get", "put",
 * "keep", "published":{"plain", "contiguous"}, "results":[{"driver", "cache", "contiguous", "rate",
 * "p25", "p75"}], "ratio", "ratio_p25", "ratio_p75"}], "left_out":[lcores]}; rates in millions of
 * objects a second. EBUSY; ENOENT: no such driver; ENOMEM. Thread: control.
 * Source: dpdk-dev, 25 April 2018, "mempool: add bucket driver", v3.
 */
int pool_bench(const struct pool_bench_ask *ask, struct out *out, struct err *e);
