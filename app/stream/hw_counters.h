/* Hardware counters of an lcore, of its passes that had packets: begun, read and added up by the
 * lcore itself, so that processes of one shared memory see each other's. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "base/pmu_choice.h"
#include "base/stat.h"

#include <stdbool.h>
#include <stdint.h>

struct out;

/* Written by the lcore alone. */
struct hw_count {
	counter packets; /* of the passes that were counted */
	/* that of memory controllers is the machine's, of all passes, and found by who reads */
	counter event[PMU_COUNTERS];
};

/* Its rows; a counter that the machine, or this lcore, does not have is STAT_NONE. */
extern const struct stat_table hw_count_stats;
/* The same rows, of lcores that own no stream. */
extern const struct stat_table hw_count_worker_stats;

/*
 * A window is some passes in a row of an lcore's loop, all of which had packets: only at its ends
 * are counters read. One that a pass without packets broke does not count. Windows grow while they
 * come through, and shrink when they do not.
 */
struct hw_window {
	bool open;
	unsigned int passes, length; /* so far; when it is full */
	uint64_t packets;            /* when it began */
	struct pmu_reading at[PMU_LCORE];
};

struct hw_counters {
	struct hw_count count;
	/* bits of enum pmu_counter: those that the machine has; written by the lcore */
	_Atomic(uint32_t) has;
	atomic_uint switched;   /* how often control switched counting on */
	struct pmu_choice what; /* written before the lcore begins */
	/* descriptors of memory controllers, control's; -1: refused */
	int controller[PMU_CONTROLLERS];
	unsigned int
		n_controllers; /* 0: not of this lcore, or not begun; written when they are open */
	/* The lcore's own. */
	bool begun;
	unsigned int seen; /* of switched */
	uint64_t work;     /* done when the last pass began */
	int fd[PMU_LCORE]; /* -1: none */
	struct hw_window window;
	struct pmu_reading part[PMU_LCORE]; /* counted while other events had the hardware */
	uint64_t own[PMU_LCORE];            /* what a window without a pass counts */
};

/* Counters of what, NULL: of nothing, on that socket; NULL: no memory. Thread: control. */
struct hw_counters *hw_counters_new(const struct pmu_choice *what, int socket);

/* Give descriptors back and free; NULL is fine. The lcore has ended. Thread: control. */
void hw_counters_free(struct hw_counters *h);

/*
 * Begin to count requests to the machine's memory controllers; nothing happens where that is not
 * allowed, or had begun. Thread: control, nobody reads.
 */
void hw_counters_machine(struct hw_counters *h);

/*
 * A pass of the lcore's loop begins, while counting is on. switched: how often it was switched on.
 * packets: that the lcore has had so far; work: any number that every pass with packets changes.
 * Thread: the lcore.
 */
void hw_counters_pass(struct hw_counters *h, unsigned int switched, uint64_t packets,
	uint64_t work);

/* Give the descriptors back: the lcore ends. Thread: the lcore, or any of its process later. */
void hw_counters_close(struct hw_counters *h);

/* Forget the descriptors of a process that has ended. Thread: who takes its place. */
void hw_counters_inherit(struct hw_counters *h);

/*
 * The counts so far, STAT_NONE where there is no such counter. Thread: any. Source: what the lcore
 * wrote; memory controllers, in the primary process, read(2).
 */
void hw_counters_read(const struct hw_counters *h, struct hw_count *count);

/*
 * Show counts per packet of an lcore: members of an object, and a part of a line. Nothing for what
 * is not known, or when no packet was counted. Thread: control.
 */
void hw_counters_show(struct out *o, const struct hw_count *count);

/*
 * Whether this machine counts anything for the calling thread: 0, or the errno of perf_event_open(2).
 */
int hw_counters_probe(const struct pmu_choice *what);
