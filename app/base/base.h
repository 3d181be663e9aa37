/* Definitions for every file: array sizes, assertions, and 64-bit counters with one writer and any
 * number of readers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "64-bit counters must be lock-free");

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/*
 * An assertion on the path of packets: in builds with a sanitizer or without optimisation, since it
 * may cost as much as the work. PAIR_ASSERT() is that of libzcfwd-recycle, which includes no header
 * of the program.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
#define HOT_ASSERT(condition) assert(condition)
#else
#define HOT_ASSERT(condition) ((void)(0 && (condition)))
#endif

#define CACHE_PAIR 128 /* bytes: the two 64-byte lines that the adjacent-line prefetcher loads */

/*
 * A 64-bit counter that one thread writes and any thread reads. It is never reset; a reader that
 * needs a difference subtracts an earlier value.
 */
typedef _Atomic(uint64_t) counter;

/* Add n. Thread: the writer. */
static inline void
counter_add(counter *c, uint64_t n)
{
	atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + n,
		memory_order_relaxed);
}

/* Return the current value. Thread: any. */
static inline uint64_t
counter_read(const counter *c)
{
	return atomic_load_explicit(c, memory_order_relaxed);
}

/* Set a counter that has one writer, for values that are no counts. Thread: the writer. */
static inline void
counter_set(counter *c, uint64_t value)
{
	atomic_store_explicit(c, value, memory_order_relaxed);
}
