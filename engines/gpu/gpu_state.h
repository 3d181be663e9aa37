/* The state of a stream of the engine gpu: batches that are filled, read by the GPU and handed out,
 * one after the other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/gpu/gpu_kernel.h"
#include "memory/cuda_device.h"

#include <stdbool.h>
#include <stdint.h>

struct extmem;
struct gpu_stats;
struct rte_mbuf;

#define GPU_SLOTS_MAX 16
#define GPU_BATCH_MAX 8192

/* The setting gpu-mode has a word for each. */
enum gpu_mode { GPU_IN_PLACE, GPU_COPY };

/* A batch. Addresses that end in _at are the device's. */
struct gpu_slot {
	struct gpu_packet *packets;
	struct gpu_result *results;
	uint32_t *done; /* the kernel writes number there when results are complete */
	cuda_address packets_at, results_at, done_at;
	struct rte_mbuf **pkts;
	uint64_t *rx_tsc;          /* when each was received */
	uint8_t *staging;          /* GPU_COPY: packets behind each other, for the driver to copy */
	cuda_address copies_at;    /* where it copies them to */
	uint32_t gathered, copied; /* bytes */
	unsigned int bursts;       /* since the last copy */
	unsigned int n;            /* packets */
	uint32_t number;           /* of its kernel */
	uint64_t launched;         /* TSC */
	bool complete;             /* its packets are handed out */
};

struct gpu {
	enum gpu_mode mode;
	bool verify;
	unsigned int batch, n_slots, copy_bursts;
	uint64_t flush_tsc, timeout_tsc, look_tsc;

	struct cuda_device device; /* open: the library is there */
	cuda_handle module, kernel, stream;
	void *host; /* of all slots */
	uint8_t *staging;
	cuda_address memory; /* of the device: the histogram, what counts blocks, copies */
	cuda_address histogram_at, blocks_at, copies_at;

	/* GPU_IN_PLACE: where packets are, for the CPU and for the device */
	struct extmem *extmem;
	const uint8_t *from;
	uint64_t from_bytes; /* GPU_COPY: of the longest packet that is copied */
	cuda_address from_at;

	/* Slots from tail on are in use; the one at head is filled. Both only grow. */
	struct gpu_slot slot[GPU_SLOTS_MAX];
	uint64_t head, tail;
	unsigned int given;  /* packets of the slot at tail that are handed out */
	uint32_t number;     /* of the last kernel */
	uint64_t looked;     /* TSC when the driver was last asked */
	uint64_t *histogram; /* the CPU's own, with verify */
	bool ready;          /* init() was content */
	bool failed;         /* the GPU is asked nothing any more */
	bool stuck;          /* a kernel did not end: it may read memory still */
	struct gpu_stats *stats;
};
