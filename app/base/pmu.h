/* Hardware counters of CPUs and memory controllers by perf_event_open(2): which there are, and how
 * their events are opened and read. libc only. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum pmu_counter {
	PMU_CYCLES,
	PMU_INSTRUCTIONS,
	PMU_STALLED_FRONTEND, /* cycles without an instruction to begin with */
	PMU_STALLED_BACKEND,  /* cycles in which none could go on */
	PMU_L1D_REFILLS,      /* lines that came into the first data cache */
	PMU_L1D_WRITEBACKS,   /* changed lines that left it */
	PMU_L2_REFILLS,
	PMU_L2_WRITEBACKS,
	PMU_L3_REFILLS,
	PMU_LCORE,                   /* those before are of an lcore, */
	PMU_MC_REQUESTS = PMU_LCORE, /* this one of the machine's memory controllers */
	PMU_COUNTERS,
};

/* "cycles", "l1d_refills", ...: by enum pmu_counter. */
extern const char *const pmu_names[PMU_COUNTERS];

/* An event as perf_event_open(2) wants it. */
struct pmu_event {
	uint32_t type;
	uint64_t config, config1, config2;
	int cpu; /* that counts it, for all the machine does; -1: the thread that opens it */
};

/* What a counter said: events, and ns for which it was to count and did. */
struct pmu_reading {
	uint64_t value, enabled, running;
};

/*
 * Begin to count an event, of user code where that can be told apart. Returns a descriptor, or
 * -errno: ENOENT the machine has none, EACCES or EPERM the caller may not.
 */
int pmu_open(const struct pmu_event *event);

/* Read a descriptor of pmu_open(). False: it says nothing. */
bool pmu_read(int fd, struct pmu_reading *reading);
