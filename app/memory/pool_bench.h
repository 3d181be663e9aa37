/* The mempool benchmark of the bucket driver's authors, over every mempool driver: get bulks, read
 * each object, put them back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct err;
struct out;

struct pool_bench_ask {
	unsigned int samples; /* of each variant, interleaved; odd, for a median */
	unsigned int objects; /* of each pool, or a few more where the driver wants whole buckets */
	unsigned int cache;   /* of the variants with one */
	const char *driver;   /* of which alone; NULL: all */
	int interrupt_fd;     /* readable: the benchmark ends with what it has */
	bool progress;        /* say how far it is, on a terminal */
};

/*
 * Measure all cells on 1, 2, 4.. and all lcores, none of which may be busy, and show them beside the
 * published figures. JSON: {"block", "element_bytes", "objects", "cells":[{"lcores", "get", "put",
 * "keep", "published":{"plain", "contiguous"}, "results":[{"driver", "cache", "contiguous", "rate",
 * "p25", "p75"}], "ratio", "ratio_p25", "ratio_p75"}], "left_out":[lcores]}; rates in millions of
 * objects a second. EBUSY; ENOENT: no such driver; ENOMEM. Thread: control.
 * Source: dpdk-dev, 25 April 2018, "mempool: add bucket driver", v3.
 */
int pool_bench(const struct pool_bench_ask *ask, struct out *out, struct err *e);
