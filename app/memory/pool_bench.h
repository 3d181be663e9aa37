/* The benchmark published for the bucket mempool driver, run on every mempool driver: get bulks,
 * read each object, put them back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct err;
struct out;

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
