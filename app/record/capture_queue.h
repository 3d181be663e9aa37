/* A ring of packet copies from one worker to the writer thread: lock-free, without allocation or
 * waiting. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
