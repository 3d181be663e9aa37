/* A virtqueue of net_async_vhost: receive, transmit, and what is in flight between them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/async_vhost/vhost_autotune.h"
#include "pmd_shims/drivers/async_vhost/vhost_stats.h"
#include "pmd_shims/drivers/dma_adaptive/dma_adaptive.h"

#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_spinlock.h>

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct vhost_queue {
	/* Fixed while the port runs. */
	atomic_bool setup;
	/* of a receive queue: the port's transmit queue of the same number */
	struct vhost_queue *tx;
	struct rte_mempool *pool;
	uint16_t port;
	uint16_t vring; /* its number in the device: of pair i, 2i is the guest's receive side */
	uint16_t descriptors;
	bool rx;
	bool verdicts;           /* Rx offloads are on: checksums are left to who asked for them */
	atomic_bool leaves_csum; /* control writes */
	int16_t dma;             /* -1: none */
	uint16_t vchan;
	bool adaptive;          /* the engine is dma_adaptive */
	struct dma_min_len own; /* the engine's thresholds as they were before copy dma or auto */

	/*
	 * Taken by whoever calls the library for this virtqueue: the queue's lcore, one that looks for
	 * completions, and who closes it. Inside, the library takes the virtqueue's own lock; who has
	 * that already (vhost_queue_drain_locked()) does not take this one.
	 */
	alignas(RTE_CACHE_LINE_SIZE) rte_spinlock_t lock;
	int vid; /* the device, while open */
	/* pairs with vhost_queue_close() */
	atomic_bool open;
	atomic_bool registered; /* the library has asynchronous state for it */
	atomic_uchar want;      /* enum net_async_vhost_copy; any thread writes */
	bool async;             /* packets went to the engine, and some may be there */
	atomic_int in_flight;   /* packets; exact once nobody has the lock */
	uint16_t slots;         /* the library has for them, once registered */
	_Atomic(uint64_t) features;
	_Atomic(uint64_t) packets, bytes, cpu_bytes, dma_bytes, refused, csum;
	_Atomic(uint64_t) drained;
	struct net_async_vhost_stats base; /* of the last reset; control's */
	struct vhost_autotune autotune;    /* whoever has the lock */
};

/* Burst functions of ethdev. Thread: the queue's lcore. */
uint16_t vhost_queue_rx(void *queue, struct rte_mbuf **pkts, uint16_t n);
uint16_t vhost_queue_tx(void *queue, struct rte_mbuf **pkts, uint16_t n);

/* Free what the engine is done with. Thread: any. Returns how many packets it was. */
int vhost_queue_complete(void *queue, uint32_t max);

/*
 * Let polls have the virtqueue of the device vid, whose guest agreed to features; register it with
 * the library when it has an engine. Thread: one that does not have the virtqueue's lock.
 */
void vhost_queue_open(struct vhost_queue *q, int vid, uint64_t features);

/*
 * The same for a virtqueue that its guest enables late, if *started. Thread: the one that has the
 * virtqueue's lock.
 */
void vhost_queue_open_locked(struct vhost_queue *q, int vid, uint64_t features,
	const atomic_bool *started);

/* Take it from them, and bring in what is in flight. Thread: as vhost_queue_open(). */
void vhost_queue_close(struct vhost_queue *q);

/* Its guest goes, and with it what the library knew of the engine. Thread: as vhost_queue_open(). */
void vhost_queue_forget(struct vhost_queue *q);

/* Bring in what is in flight. Thread: the one that has the virtqueue's lock. */
void vhost_queue_drain_locked(struct vhost_queue *q, int vid);

/* What it did. Thread: any. */
void vhost_queue_stats(const struct vhost_queue *q, struct net_async_vhost_stats *to);
