/* Hardware counters of an lcore while it runs a loop, where the machine has any. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum ring_perf_event {
	RING_PERF_CYCLES,
	RING_PERF_INSTRUCTIONS,
	RING_PERF_STALLED, /* cycles in which the back end had nothing to retire */
	RING_PERF_REFILLS, /* lines read into the first data cache */
	RING_PERF_MISSES,  /* lines that no cache had */
	RING_PERF_EVENTS,
};

/* All zero: never opened. */
struct ring_perf {
	/* of the process whose descriptors these are; 0: not opened. Written when fd is complete */
	_Atomic int32_t pid;
	int fd[RING_PERF_EVENTS]; /* -1: the machine does not have it, or does not let us */
};

/*
 * Count from the first call on, for the calling thread, which makes a few system calls then;
 * waiting for work does not count. Source: perf_event_open(2).
 */
void ring_perf_begin(struct ring_perf *p);

/*
 * The count so far, corrected for the time in which other events had the hardware. false: there is
 * none. Thread: any of the process.
 */
bool ring_perf_read(const struct ring_perf *p, enum ring_perf_event event, uint64_t *n);

/* Whether there is any counter at all. */
bool ring_perf_supported(const struct ring_perf *p);

/*
 * Give the counters back; once is enough, more does no harm. Thread: control, the loop has ended.
 */
void ring_perf_close(struct ring_perf *p);
