/* A tap: the Rx or Tx callback on one queue of a captured port; private to capture. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"

#include <rte_ethdev.h>

#include <pcap/pcap.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* A ring of packet copies from one worker to the writer thread: lock-free, without allocation or
 * waiting. */

#define CAPTURE_BYTES_MAX 65535 /* of one copy */
#define CAPTURE_QUEUE_MIN (4 * 65536)

/* Header before each copy; headers are aligned to their size. */
struct capture_copy {
	uint64_t tsc; /* time of its burst */
	uint32_t len; /* length of the packet */
	/*
	 * Bytes copied, after this header; UINT32_MAX: the next copy is at the start of the ring.
	 */
	uint32_t kept;
};

struct capture_queue {
	uint8_t *bytes;
	size_t size;                             /* a power of two */
	alignas(CACHE_PAIR) _Atomic size_t head; /* total bytes written; by the worker */
	size_t tail_seen;                        /* the worker's copy of tail */
	alignas(CACHE_PAIR) _Atomic size_t tail; /* total bytes read; by the writer */
};

/* Return the size of a copy of kept bytes in the ring, header included. */
static inline size_t
capture_queue_need(uint32_t kept)
{
	return (sizeof(struct capture_copy) + kept + sizeof(struct capture_copy) - 1) &
		~(sizeof(struct capture_copy) - 1);
}

/*
 * Reserve room for a copy: return its header, followed by kept bytes to fill, or NULL if the queue
 * is full. Thread: worker.
 */
static inline struct capture_copy *
capture_queue_room(struct capture_queue *q, uint32_t kept)
{
	size_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
	size_t at = head & (q->size - 1), need = capture_queue_need(kept);
	size_t skipped = q->size - at < need ? q->size - at : 0;
	struct capture_copy *copy;

	if (head + skipped + need - q->tail_seen > q->size) {
		/*
		 * Pairs with capture_queue_taken(): the writer no longer reads the bytes before
		 * tail.
		 */
		q->tail_seen = atomic_load_explicit(&q->tail, memory_order_acquire);
		if (head + skipped + need - q->tail_seen > q->size)
			return NULL;
	}
	copy = (struct capture_copy *)(void *)(q->bytes + at);
	if (skipped > 0) {
		copy->kept = UINT32_MAX;
		/* Pairs with capture_queue_first(). */
		atomic_store_explicit(&q->head, head + skipped, memory_order_release);
		copy = (struct capture_copy *)(void *)q->bytes;
	}
	copy->kept = kept;
	return copy;
}

/* Publish the filled copy of capture_queue_room(). Thread: worker. */
static inline void
capture_queue_put(struct capture_queue *q, const struct capture_copy *copy)
{
	/* Pairs with capture_queue_first(): the copy is complete before the writer sees it. */
	atomic_store_explicit(&q->head,
		atomic_load_explicit(&q->head, memory_order_relaxed) +
			capture_queue_need(copy->kept),
		memory_order_release);
}

/* Release the bytes of the first copy, or of the unused end of the ring. Thread: writer. */
static inline void
capture_queue_taken(struct capture_queue *q, size_t bytes)
{
	/* Pairs with capture_queue_room(): reading is complete. */
	atomic_store_explicit(&q->tail,
		atomic_load_explicit(&q->tail, memory_order_relaxed) + bytes, memory_order_release);
}

/*
 * Return the oldest copy, or NULL if the queue is empty; release it with capture_queue_taken() and
 * capture_queue_need(). Thread: writer.
 */
static inline const struct capture_copy *
capture_queue_first(struct capture_queue *q)
{
	for (;;) {
		size_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
		size_t at = tail & (q->size - 1);
		const struct capture_copy *copy = (const void *)(q->bytes + at);

		/* Pairs with capture_queue_put() and capture_queue_room(). */
		if (atomic_load_explicit(&q->head, memory_order_acquire) == tail)
			return NULL;
		if (copy->kept != UINT32_MAX)
			return copy;
		capture_queue_taken(q, q->size - at);
	}
}

/* The wall clock and the TSC at the same moment: when a capture began. */
struct capture_clock {
	uint64_t wall_ns, tsc, tsc_hz;
};

/* Read both clocks. tsc_hz: of struct ports. */
struct capture_clock capture_clock_read(double tsc_hz);

/*
 * Convert a copy's TSC to wall-clock time in ns, relative to the begin of the capture: later steps of
 * the wall clock have no effect.
 */
uint64_t capture_clock_ns(const struct capture_clock *c, uint64_t tsc);

/* Which packets a capture keeps, and how much of each; shared by all of its taps. */
struct capture_filter {
	struct bpf_program program; /* if filtered */
	bool filtered;
	bool limited;
	uint32_t snaplen;    /* bytes kept of a packet, 1..CAPTURE_BYTES_MAX */
	atomic_llong left;   /* if limited: packets still to be copied; by every worker */
	atomic_bool stopped; /* copy no more packets; by the writer */
};

struct capture_tap {
	/* Constant while open; read by the worker. */
	uint16_t port, queue;
	bool rx;
	struct capture_filter *filter;
	struct capture_queue ring;
	/* CAPTURE_BYTES_MAX bytes: a multi-segment packet is linearised here for the filter. */
	uint8_t *whole;
	const struct rte_eth_rxtx_callback *callback;

	atomic_bool open;   /* by control: the worker may use the members above */
	atomic_bool inside; /* by the worker: it is using them */

	alignas(CACHE_PAIR) counter seen; /* by the worker: seen == filtered + dropped + copied */
	counter filtered;                 /* rejected by the filter */
	counter dropped;                  /* the ring was full */
	counter copied;

	struct capture_tap *next; /* list of taps to be freed later */
};

/*
 * Copy the bursts of a queue until capture_tap_close(). bytes: ring size, a power of two. The
 * caller owns filter. Returns NULL with e filled: ENOMEM, ENOTSUP (DPDK without callbacks). Thread:
 * control.
 */
struct capture_tap *capture_tap_open(uint16_t port, uint16_t queue, bool rx, size_t bytes,
	struct capture_filter *filter, struct err *e);

/*
 * Stop copying, and wait until the worker has left the callback. The copies remain in the ring. The
 * port must still exist. Returns false if ethdev keeps the callback, because the port has fewer
 * queues now: then the tap must not be freed before EAL ends. Thread: control, the rest of this
 * file.
 */
bool capture_tap_close(struct capture_tap *t);

/*
 * Free the ring of a closed tap, but not the tap: a worker may still be about to enter the
 * callback.
 */
void capture_tap_empty(struct capture_tap *t);

/* Free the tap. No worker may run. */
void capture_tap_free(struct capture_tap *t);
