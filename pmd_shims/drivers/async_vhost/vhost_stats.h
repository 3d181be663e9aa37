/* Who copies for a virtqueue of net_async_vhost, and what came of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* Who copies the packets of a virtqueue. */
enum net_async_vhost_copy {
	NET_ASYNC_VHOST_CPU,
	NET_ASYNC_VHOST_DMA,      /* the engine, whatever their length */
	NET_ASYNC_VHOST_ADAPTIVE, /* the engine from a length on: of dma_adaptive */
	NET_ASYNC_VHOST_AUTO,     /* the same, and the length is autotuned */
};

#define NET_ASYNC_VHOST_QUEUES 64 /* queue pairs of a port at most */

/* What a virtqueue did since the port came up; only in_flight is a level. */
struct net_async_vhost_stats {
	uint64_t packets, bytes;
	uint64_t cpu_bytes; /* copied by the CPU, at once or as dma_adaptive decided */
	uint64_t dma_bytes; /* copied by the engine */
	uint64_t in_flight; /* packets whose copy is not known to be over */
	uint64_t drained; /* packets given up as the guest or the port went, or changed its rings */
	uint64_t
		refused; /* packets to a guest that has not asked for their segmentation; empty ones */
	uint64_t csum; /* packets whose checksum the port had to make */
};
