/* Statistics of a stream of the engine gpu, and how it was run; kept after the run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "engines/engine.h"
#include "engines/gpu/gpu_kernel.h"
#include "engines/gpu/gpu_latency.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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
