/* Functions shared by receive and transmit rings of all families: positions and cache lines. On the
 * path of every frame. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/model.h"

#include <assert.h>
#include <string.h>

enum { LINE = 64, CRC_BYTES = 4 };

/* Two quad words that are written by one instruction: GCC's vector extension, for any processor. */
typedef uint64_t quads __attribute__((vector_size(16), may_alias));
/* Two quad words at any alignment. */
typedef quads quads_anywhere __attribute__((aligned(1)));

/* A frame consists of two halves of 16 bytes: data, len and rss; flags and all others. */
static_assert(sizeof(struct frame) == 32 && offsetof(struct frame, len) == 8 &&
		offsetof(struct frame, flags) == 16,
	"frames are written as two vectors");

/*
 * Prefetch a cache line for writing. The builtin would prefetch it for reading, unless the whole
 * program is compiled for a newer processor.
 */
static inline void
line_for_writing(const void *p)
{
#ifdef __x86_64__
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)p));
#else
	__builtin_prefetch(p, 1);
#endif
}

static inline void
lines_for_writing(const uint8_t *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += LINE)
		line_for_writing(from + i);
}

static inline void
lines_for_reading(const uint8_t *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += LINE)
		__builtin_prefetch(from + i);
}

static inline uint64_t
quad(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/*
 * Number of descriptors from head on that belong to the NIC, at most max; 0 for a tail beyond the
 * ring.
 */
static inline uint16_t
handed(const struct ring *r, uint16_t max)
{
	uint32_t tail = *r->tail, n;

	/*
	 * Pairs with the driver's barrier before its doorbell: descriptors are read after the tail.
	 */
	atomic_thread_fence(memory_order_acquire);
	if (tail >= r->size)
		return 0;
	n = tail >= r->head ? tail - r->head : tail + r->size - r->head;
	return (uint16_t)(n < max ? n : max);
}

/* Reset a ring that is enabled again: at its first descriptor, without any pending state. */
static inline void
ring_begin(struct ring *r)
{
	r->head = r->seen = 0;
	r->partial = 0;
	r->taken.plain = 0;
	memset(r->context, 0, sizeof(r->context));
}

/* How many of n descriptors from head on are before the ring's end. */
static inline uint16_t
straight(const struct ring *r, uint16_t n)
{
	uint16_t to_end = (uint16_t)(r->size - r->head);

	return n < to_end ? n : to_end;
}

static inline uint16_t
advanced(const struct ring *r, uint16_t at, uint16_t n)
{
	uint32_t next = (uint32_t)at + n;

	return (uint16_t)(next >= r->size ? next - r->size : next);
}
