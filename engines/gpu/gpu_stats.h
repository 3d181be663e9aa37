/* Statistics of a stream of the engine gpu, and how it was run; kept after the run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "engines/engine.h"
#include "engines/gpu/gpu_kernel.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Histogram of latencies from Rx to result. Cells are 1/16 of their value wide. It has a single
 * writer and can be read at any time. */

#define GPU_LATENCY_CELLS 640 /* up to 2^42 cycles */

struct gpu_latency {
	counter cell[GPU_LATENCY_CELLS]; /* written only by the stream's worker */
};

/* The cell for a number of TSC cycles; the last one is for all longer times. */
static inline unsigned int
gpu_latency_cell(uint64_t cycles)
{
	unsigned int power, cell;

	if (cycles < 16)
		return (unsigned int)cycles;
	power = 63 - (unsigned int)__builtin_clzll(cycles);
	cell = (power - 3) * 16 + (unsigned int)(cycles >> (power - 4) & 15);
	return cell < GPU_LATENCY_CELLS ? cell : GPU_LATENCY_CELLS - 1;
}

/* Count n packets with a latency in TSC cycles. Thread: the stream's worker. */
static inline void
gpu_latency_add(struct gpu_latency *l, uint64_t cycles, uint64_t n)
{
	counter_add(&l->cell[gpu_latency_cell(cycles)], n);
}

/* The smallest number of cycles that belongs to a cell. */
uint64_t gpu_latency_least(unsigned int cell);

/*
 * The quantile of latencies at a share, 0..1, in TSC cycles, up to 1/16 too high; 0 without packets.
 * Thread: any.
 */
uint64_t gpu_latency_quantile(const struct gpu_latency *l, double share);

/* Indexes in stream_count.named. */
enum { GPU_RESULTS, GPU_SKIPPED, GPU_UNREAD, GPU_VERIFIED, GPU_WRONG, GPU_HELD_AT_STOP };

struct gpu_stats {
	counter batches, partial, copies, bytes; /* written by the worker, and in fini() */
	struct gpu_latency latency;
	/* Written by init() and fini(). */
	const char *mode; /* choice of gpu-mode */
	char device[128];
	char memory[32]; /* memory or pool into which the port receives */
	unsigned int batch;
	bool verifies;
	bool compared;             /* the histogram was compared with the CPU's */
	unsigned int buckets;      /* histogram buckets with packets; after the run */
	unsigned int bucket_wrong; /* buckets that differ from the CPU's */
	/* The error that stopped the use of the GPU; valid once failed is true. */
	char failure[512];
	atomic_bool failed;
};

/* The group "gpu". */
extern const struct engine_group gpu_stats_group;
