/* A ring of packet copies from one worker to the writer thread: no lock, no allocation, never
 * waits. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAPTURE_BYTES_MAX 65535 /* of one copy */
#define CAPTURE_QUEUE_MIN (4 * 65536)

/* What stands before each copy; copies begin at multiples of its size. */
struct capture_copy {
	uint64_t tsc; /* when its burst was seen */
	uint32_t len; /* bytes that the packet had */
	/* of them, behind this header; UINT32_MAX: the next copy is at the begin of the ring */
	uint32_t kept;
};

struct capture_queue {
	uint8_t *bytes;
	size_t size;                             /* a power of two */
	alignas(CACHE_PAIR) _Atomic size_t head; /* bytes ever written; by the worker */
	size_t tail_seen;                        /* the worker's copy of tail */
	alignas(CACHE_PAIR) _Atomic size_t tail; /* bytes ever taken; by the writer */
};

/* Bytes that a copy takes in the ring. */
static inline size_t
capture_queue_need(uint32_t kept)
{
	return (sizeof(struct capture_copy) + kept + sizeof(struct capture_copy) - 1) &
		~(sizeof(struct capture_copy) - 1);
}

/*
 * Room for a copy of kept bytes behind the header returned, or NULL: the queue is full. Thread:
 * worker.
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
		 * Pairs with capture_queue_taken(): the writer is done with what lies before tail.
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

/* Hand over the copy that room was made for, now that it is filled. Thread: worker. */
static inline void
capture_queue_put(struct capture_queue *q, const struct capture_copy *copy)
{
	/* Pairs with capture_queue_first(): the copy is there before the writer sees it. */
	atomic_store_explicit(&q->head,
		atomic_load_explicit(&q->head, memory_order_relaxed) +
			capture_queue_need(copy->kept),
		memory_order_release);
}

/* Take what the first copy, or a mark to skip, occupies. Thread: writer. */
static inline void
capture_queue_taken(struct capture_queue *q, size_t bytes)
{
	/* Pairs with capture_queue_room(): nothing of it is read any more. */
	atomic_store_explicit(&q->tail,
		atomic_load_explicit(&q->tail, memory_order_relaxed) + bytes, memory_order_release);
}

/*
 * The copy that waits longest, or NULL; capture_queue_taken() with capture_queue_need() lets go of
 * it. Thread: writer.
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
