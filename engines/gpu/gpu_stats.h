/* What a stream of the engine gpu counts beside packets, and what it used; kept after the run. */
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
	/* Of init() and fini(). */
	const char *mode; /* as gpu-mode has it */
	char device[128];
	char memory[32]; /* that ports receive into */
	unsigned int batch;
	bool verifies;
	bool compared;             /* the histogram, at the end */
	unsigned int buckets;      /* that the GPU counted packets in; after the run */
	unsigned int bucket_wrong; /* whose count is not the CPU's */
	/* What failed, in words; ready once failed is true. */
	char failure[512];
	atomic_bool failed;
};

/* Packets' way through the GPU. */
extern const struct engine_group gpu_stats_group;
