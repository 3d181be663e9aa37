/* A virtqueue of net_async_vhost: receive, transmit, and packets whose copies are in flight. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/async_vhost/vhost_copy.h"
#include "pmd_shims/drivers/dma_adaptive/dma_adaptive.h"
#include "stream/threshold_autotune.h"

#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_spinlock.h>

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Mode auto of a virtqueue: from the traffic the worker determines the minimum length of copies
 * that are left to the DMA device. */

/* State of a virtqueue; all zero: off. */
struct vhost_autotune {
	struct threshold_autotune threshold;
	int16_t dma; /* a dma_adaptive device */
	uint16_t vchan;
	uint32_t in_force; /* threshold in force, bytes */
};

/*
 * Begin with the vchan's threshold for near copies, which is also set for far copies, since a
 * guest's memory is in one place. descriptors: size of the virtqueue. Thread: one that holds the
 * virtqueue's lock, for this function and vhost_autotune_close().
 */
void vhost_autotune_open(struct vhost_autotune *a, int16_t dma, uint16_t vchan,
	unsigned int descriptors);
void vhost_autotune_close(struct vhost_autotune *a);

/* True if the next poll is to be timed. Thread: the worker, as for the functions below. */
static __rte_always_inline bool
vhost_autotune_due(struct vhost_autotune *a)
{
	return threshold_autotune_due(&a->threshold);
}

/* True if the CPU makes all copies; it is then cheaper not to use the DMA device at all. */
static inline bool
vhost_autotune_all_cpu(const struct vhost_autotune *a)
{
	return a->threshold.on && a->in_force == THRESHOLD_NEVER;
}

/* Copy modes and counters of a virtqueue of net_async_vhost. */

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
	/* packets dropped because the guest or the port stopped or changed, or a copy failed */
	uint64_t drained;
	/*
	 * packets with a segmentation that the guest does not accept; empty packets; buffers of the
	 * guest that hold none, or more than 64 KB
	 */
	uint64_t refused;
	uint64_t csum; /* packets whose checksum the port completed */
};

struct vhost_queue {
	/* These members do not change while the port runs. */
	atomic_bool setup;
	/* in a receive queue: the port's transmit queue of the same number */
	struct vhost_queue *tx;
	struct rte_mempool *pool;
	uint16_t port;
	uint16_t vring; /* its number in the device; 2i is the guest's receive side of pair i */
	uint16_t descriptors;
	bool rx;
	bool verdicts;           /* Rx checksum offloads are on: incomplete checksums are left */
	atomic_bool leaves_csum; /* incomplete checksums are left; written by control */
	bool movable;            /* dmas=auto: net_async_vhost_move() changes the channel */

	/*
	 * The channel of a DMA device. Of a movable queue it changes while both lock and counting
	 * are held, so a poll holds lock to read it, and others hold counting.
	 */
	int16_t dma; /* -1: none */
	uint16_t vchan;
	bool adaptive;          /* the DMA device is a dma_adaptive */
	struct dma_min_len own; /* the DMA device's thresholds before copy mode dma or auto */
	struct {
		uint64_t cpu_bytes, dma_bytes;
	} arrived; /* a dma_adaptive's counts of the vchan when the queue came to it */
	rte_spinlock_t counting;

	/*
	 * Held by every thread that calls the library for this virtqueue: the queue's lcore, one
	 * that polls for completions, or one that closes the queue. The library then takes its own
	 * lock of the virtqueue. A thread that already holds that one does not block on this lock.
	 */
	alignas(RTE_CACHE_LINE_SIZE) rte_spinlock_t lock;
	int vid; /* the library's device while open */
	/* pairs with vhost_queue_close() */
	atomic_bool open;
	atomic_uchar chosen; /* the operator's enum net_async_vhost_copy; written by any thread */
	/* as polls use it: the chosen one, or the CPU while the channel changes; written as chosen */
	atomic_uchar copy;
	bool async;           /* the DMA device is in use and may have copies in flight */
	atomic_int in_flight; /* packets; exact while the lock is free */
	_Atomic(uint64_t) features;
	_Atomic(uint64_t) packets, bytes, cpu_bytes, dma_bytes, refused, csum;
	_Atomic(uint64_t) drained;
	struct net_async_vhost_stats base; /* counts at the last reset; control only */
	struct vhost_autotune autotune;    /* protected by lock */
	struct vhost_copy path;            /* of copies by the DMA device; has a lock of its own */
};

/* ethdev's burst functions. Thread: the queue's lcore. */
uint16_t vhost_queue_rx(void *queue, struct rte_mbuf **pkts, uint16_t n);
uint16_t vhost_queue_tx(void *queue, struct rte_mbuf **pkts, uint16_t n);

/* Free sent packets whose copies are complete. Returns their number. Thread: any. */
int vhost_queue_complete(void *queue, uint32_t max);

/*
 * Let polls use the virtqueue of the library's device vid. features: negotiated with the guest.
 * Thread: one that does not hold the library's lock of the virtqueue.
 */
void vhost_queue_open(struct vhost_queue *q, int vid, uint64_t features);

/*
 * Open a virtqueue that its guest enables later, as vhost_queue_open() does, if *started. Thread:
 * the one that holds the library's lock of the virtqueue.
 */
void vhost_queue_open_locked(struct vhost_queue *q, int vid, uint64_t features,
	const atomic_bool *started);

/*
 * Stop polls from using the virtqueue and complete all copies in flight. Thread: as for
 * vhost_queue_open().
 */
void vhost_queue_close(struct vhost_queue *q);

/*
 * The guest enabled or disabled the ring; a message that changes the ring or its memory is handled.
 * Copies in flight are completed first. Thread: the library's, also with the library's lock.
 */
void vhost_queue_ready(struct vhost_queue *q, bool ready);
void vhost_queue_pause(struct vhost_queue *q, bool paused);

/* Free and count its packets in flight: the DMA device was stopped. The caller holds path.lock. */
void vhost_queue_abandon(struct vhost_queue *q);

/* Read the virtqueue's counters into *to. Thread: any. */
void vhost_queue_stats(struct vhost_queue *q, struct net_async_vhost_stats *to);

/*
 * Use another channel, -1: none, from the next poll on. The caller holds the queue's lock. Returns
 * false, without a change, while copies are in flight on the present channel.
 */
bool vhost_queue_rebind(struct vhost_queue *q, int16_t dma, uint16_t vchan);
