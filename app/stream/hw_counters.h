/* Hardware counters of an lcore for its passes with packets. The lcore itself opens, reads and adds
 * them up in shared memory, so that other processes can read the sums. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "base/pmu.h"
#include "base/stat.h"

#include <stdbool.h>
#include <stdint.h>

struct out;

/* Written by the lcore. */
struct hw_count {
	counter packets; /* in the counted passes */
	/* PMU_MC_REQUESTS is for the whole machine and all passes; hw_counters_read() reads it */
	counter event[PMU_COUNTERS];
};

/* The rows of struct hw_count; a counter that the machine or this lcore lacks is STAT_NONE. */
extern const struct stat_table hw_count_stats;
/* The rows of struct hw_count for lcores that own no stream. */
extern const struct stat_table hw_count_worker_stats;

/*
 * A window is a series of consecutive passes of an lcore's loop that all had packets; counters are
 * read only at its begin and end. A pass without packets ends the window, which is not counted
 * then. Windows grow while they complete, and shrink when they do not.
 */
struct hw_window {
	bool open;
	unsigned int passes, length; /* passes so far; passes of a complete window */
	uint64_t packets;            /* the lcore's packets at its begin */
	struct pmu_reading at[PMU_LCORE];
};

struct hw_counters {
	/*
	 * The same counters twice: readers take count[version & 1] while the lcore writes the other, so
	 * that all they see are of the same windows, also if the lcore is preempted.
	 */
	struct hw_count count[2];
	_Atomic(uint32_t) version; /* written by the lcore */
	/* bits of enum pmu_counter that this machine has; written by the lcore */
	_Atomic(uint32_t) has;
	atomic_uint switched;   /* how often control switched counting on */
	struct pmu_choice what; /* written before the lcore begins */
	/* descriptors of memory controllers, owned by control; -1: refused */
	int controller[PMU_CONTROLLERS];
	unsigned int n_controllers; /* 0: another lcore has them, or not open yet; written last */
	/* Private to the lcore. */
	bool begun;
	unsigned int seen; /* value of switched at the last pass */
	uint64_t work;     /* argument work of the last pass */
	int fd[PMU_LCORE]; /* -1: none */
	struct hw_window window;
	struct pmu_reading part[PMU_LCORE]; /* of multiplexed counters, not yet counted */
	uint64_t own[PMU_LCORE];            /* events of reading the counters itself */
};

/*
 * Create counters of the chosen events (what NULL: none) on a socket. NULL: no memory. Thread:
 * control.
 */
struct hw_counters *hw_counters_new(const struct pmu_choice *what, int socket);

/* Close all descriptors and free; h may be NULL. The lcore has ended. Thread: control. */
void hw_counters_free(struct hw_counters *h);

/*
 * Begin to count requests to the machine's memory controllers; no effect if that is not permitted
 * or began before. Thread: control, while no other thread reads.
 */
void hw_counters_machine(struct hw_counters *h);

/*
 * Call at the begin of a pass of the lcore's loop while counting is on. switched: how often
 * counting was switched on. packets: the lcore's packets so far; work: a number that every pass
 * with packets changes. Thread: the lcore.
 */
void hw_counters_pass(struct hw_counters *h, unsigned int switched, uint64_t packets,
	uint64_t work);

/* Close the lcore's descriptors at its end. Thread: the lcore, or later any of its process. */
void hw_counters_close(struct hw_counters *h);

/* Drop the descriptors of a process that has ended. Thread: the lcore that replaces it. */
void hw_counters_inherit(struct hw_counters *h);

/*
 * Read the counts so far, STAT_NONE for missing counters. Thread: any. Memory controllers are read
 * by read(2), in the primary process only.
 */
void hw_counters_read(const struct hw_counters *h, struct hw_count *count);

/*
 * Print an lcore's counts per packet: members of an object, or part of a line. Prints nothing for
 * missing counters, or if no packet was counted. Thread: control.
 */
void hw_counters_show(struct out *o, const struct hw_count *count);

/*
 * Check whether this machine can count any of the events for the calling thread. Returns 0, or the
 * errno of perf_event_open(2).
 */
int hw_counters_probe(const struct pmu_choice *what);
