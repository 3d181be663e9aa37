/* Shared by the files of the engine gpu: the state of a stream, which is a ring of batches that are
 * filled, processed by the GPU and emptied in order, and the functions for batches. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/gpu/gpu_kernel.h"
#include "memory/cuda.h"

#include <rte_mbuf.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct extmem;
struct extmems;
struct gpu_stats;
struct out;
struct settings;
struct stream;

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

/* The expected result of the engine gpu's kernel for a packet, computed by the CPU. */

/*
 * Compute the one's complement sum of all bytes of a packet, and the 32-bit FNV-1a hash of its IP
 * addresses, its TCP, UDP or SCTP ports if it is not a fragment, and its protocol, in network
 * order. Up to GPU_TAGS_MAX VLAN tags are skipped, IPv6 extension headers are not. Thread: any.
 * Source: RFC 1071, draft-eastlake-fnv.
 */
struct gpu_result gpu_reference(const struct rte_mbuf *m);

/*
 * Run the kernel once without packets, so that the driver has loaded it before packets arrive.
 * Errors: those of the driver, ETIMEDOUT. Thread: control, in init().
 */
int gpu_batch_try(struct gpu *g, struct err *e);

/*
 * The number of packets that can be added now; 0 while the GPU has all slots. Thread: the stream's
 * worker, for this function and those below.
 */
uint16_t gpu_batch_room(const struct gpu *g);

/* Add packets, at most gpu_batch_room(), and launch the kernel when a batch is full. */
void gpu_batch_add(struct stream *s, struct rte_mbuf *const *pkts, uint16_t n);

/*
 * Launch the kernel for a partial batch if its first packet has waited for gpu-flush, or if now.
 */
void gpu_batch_flush(struct stream *s, bool now);

/*
 * Take up to max packets with results, in the order of arrival; also those without results if the
 * GPU has failed. Returns how many. Counts: results, skipped, unread, verified, wrong.
 */
uint16_t gpu_batch_take(struct stream *s, struct rte_mbuf **pkts, uint16_t max);

/* Stop using the GPU, and keep the text of e to show it, unless there is an earlier one. */
void gpu_batch_fail(struct gpu *g, const struct err *e);

/* The PTX text, NUL-terminated; its only entry is GPU_KERNEL of gpu_kernel.h. */
extern const char gpu_kernel_ptx[];
