/* Copy modes and counters of a virtqueue of net_async_vhost. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* Copy mode of a virtqueue: whether the CPU or a DMA device copies its packets. */
enum net_async_vhost_copy {
	NET_ASYNC_VHOST_CPU,
	NET_ASYNC_VHOST_DMA,      /* the DMA device, for any length */
	NET_ASYNC_VHOST_ADAPTIVE, /* a dma_adaptive device decides by its thresholds */
	NET_ASYNC_VHOST_AUTO,     /* a dma_adaptive device decides by an autotuned threshold */
};

#define NET_ASYNC_VHOST_QUEUES 64 /* maximum queue pairs of a port */

/* Counts of a virtqueue since the port was probed; in_flight is a level. */
struct net_async_vhost_stats {
	uint64_t packets, bytes;
	uint64_t cpu_bytes; /* copied by the CPU, directly or by a dma_adaptive device */
	uint64_t dma_bytes; /* copied by the DMA device */
	uint64_t in_flight; /* packets whose copies are not complete yet */
	uint64_t drained;   /* packets dropped because the guest or the port stopped or changed */
	/* packets with a segmentation that the guest does not accept, and empty packets */
	uint64_t refused;
	uint64_t csum; /* packets whose checksum the port completed */
};
