/* Hardware counters of CPUs and memory controllers: their names, and how to open and read an event
 * with perf_event_open(2). libc only. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum pmu_counter {
	PMU_CYCLES,
	PMU_INSTRUCTIONS,
	PMU_STALLED_FRONTEND, /* cycles without an available instruction */
	PMU_STALLED_BACKEND,  /* cycles in which no instruction could proceed */
	PMU_L1D_REFILLS,      /* lines loaded into the L1 data cache */
	PMU_L1D_WRITEBACKS,   /* modified lines written back from it */
	PMU_L2_REFILLS,
	PMU_L2_WRITEBACKS,
	PMU_L3_REFILLS,
	PMU_LCORE,                   /* the counters before this one count per lcore */
	PMU_MC_REQUESTS = PMU_LCORE, /* counts for all memory controllers of the machine */
	PMU_COUNTERS,
};

/* Names by enum pmu_counter: "cycles", "l1d_refills", ... */
extern const char *const pmu_names[PMU_COUNTERS];

/* An event, as perf_event_open(2) takes it. */
struct pmu_event {
	uint32_t type;
	uint64_t config, config1, config2;
	int cpu; /* CPU that counts it for the whole machine; -1: count the opening thread */
};

/* A counter's value, and the ns for which it was enabled and for which it actually counted. */
struct pmu_reading {
	uint64_t value, enabled, running;
};

/*
 * Begin to count an event, in user code only if the event source can. Returns a descriptor, or
 * -errno: ENOENT: unsupported by this machine; EACCES, EPERM: not permitted.
 */
int pmu_open(const struct pmu_event *event);

/* Read a descriptor of pmu_open(). Returns false if the read fails. */
bool pmu_read(int fd, struct pmu_reading *reading);
