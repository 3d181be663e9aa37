/* The state of a stream of the engine gpu: a ring of batches that are filled, processed by the GPU,
 * and emptied in order. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/gpu/gpu_kernel.h"
#include "memory/cuda.h"

#include <stdbool.h>
#include <stdint.h>

struct extmem;
struct extmems;
struct gpu_stats;
struct out;
struct rte_mbuf;
struct settings;

#define GPU_SLOTS_MAX 16
#define GPU_BATCH_MAX 8192

/* The choices of the setting gpu-mode. */
enum gpu_mode { GPU_IN_PLACE, GPU_COPY };

/* A batch. Members that end in _at are device addresses. */
struct gpu_slot {
	struct gpu_packet *packets;
	struct gpu_result *results;
	uint32_t *done; /* the kernel writes number there when results are complete */
	cuda_address packets_at, results_at, done_at;
	struct rte_mbuf **pkts;
	uint64_t *rx_tsc;          /* Rx time of each packet */
	uint8_t *staging;          /* GPU_COPY: contiguous packets to be copied */
	cuda_address copies_at;    /* destination of the copies */
	uint32_t gathered, copied; /* bytes in staging, bytes copied */
	unsigned int bursts;       /* bursts since the last copy */
	unsigned int n;            /* packets */
	uint32_t number;           /* number of its kernel */
	uint64_t launched;         /* TSC */
	bool complete;             /* its packets are being taken */
};

struct gpu {
	enum gpu_mode mode;
	bool verify;
	unsigned int batch, n_slots, copy_bursts;
	uint64_t flush_tsc, timeout_tsc, look_tsc;

	struct cuda_device device;
	cuda_handle module, kernel, stream;
	void *host; /* host memory of all slots */
	uint8_t *staging;
	cuda_address memory; /* device memory: histogram, counter of blocks, copies */
	cuda_address histogram_at, blocks_at, copies_at;

	/* GPU_IN_PLACE: memory of the packets, with addresses for the CPU and the device */
	struct extmem *extmem;
	const uint8_t *from;
	uint64_t from_bytes; /* GPU_COPY: maximum length of packets that are copied */
	cuda_address from_at;

	/* Slots [tail, head) are in use; the one at head is being filled. Both only grow. */
	struct gpu_slot slot[GPU_SLOTS_MAX];
	uint64_t head, tail;
	unsigned int given;  /* packets already taken from the slot at tail */
	uint32_t number;     /* number of the last kernel */
	uint64_t looked;     /* TSC of the last check with the driver */
	uint64_t *histogram; /* the CPU's histogram, with verify */
	bool ready;          /* init() succeeded */
	bool failed;         /* the GPU is not used any more */
	bool stuck;          /* a kernel is hung: it may still access memory */
	struct gpu_stats *stats;
};

/* The configuration of the engine gpu that outlives runs: the program's settings and external
 * memory. */

struct gpu_config {
	const struct settings *settings;
	struct extmems *extmems;
	struct out *out;
};
