/* Hardware counters of CPUs and memory controllers: their names, and how to open and read an event
 * with perf_event_open(2). libc only. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;

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

/* Find events by perf's names, using the kernel's description of its event sources. */

/*
 * Find the events that a word names:
 *   instructions         one of the kernel's own names
 *   r40f0                a raw event of the CPU, hexadecimal
 *   cpu/event=0xf0,umask=0x40/   terms of a source, or one of its events by name: cpu/l2-misses/
 *   uncore_imc_* /cas_count_read/ (without the blank)   one event of each matching source
 *   A+B                  the events of both
 * event: room for max events; *n becomes their number. EINVAL: bad syntax or name; ENOENT: no such
 * source or term; E2BIG: more than max events.
 */
int pmu_event_find(const char *devices, const char *word, struct pmu_event *event, unsigned int max,
	unsigned int *n, struct err *e);

/* The default events of each hardware counter, by CPU family. */

/* CPU families with the same raw events. */
enum pmu_cpu {
	PMU_CPU_OTHER,
	PMU_CPU_INTEL_HASWELL,  /* and Broadwell */
	PMU_CPU_INTEL_SKYLAKE,  /* and Cascade Lake, Cooper Lake */
	PMU_CPU_INTEL_ICELAKE,  /* and Tiger Lake, Rocket Lake */
	PMU_CPU_INTEL_SAPPHIRE, /* Sapphire, Emerald and Granite Rapids */
	PMU_CPU_AMD_ZEN2,       /* and Zen */
	PMU_CPU_AMD_ZEN3,       /* and newer */
	PMU_CPU_ARM,            /* architectural events, Armv8 and newer */
};

/* Return the family of an x86 CPU from CPUID's vendor ("GenuineIntel"), family and model. */
enum pmu_cpu pmu_cpu_x86(const char *maker, unsigned int family, unsigned int model);

/* Return alternative i of a counter's events, for pmu_event_find(); NULL: there are no more. */
const char *pmu_usual(enum pmu_cpu cpu, enum pmu_counter which, unsigned int i);

/* Choose the events of the hardware counters: those that the user names, else the defaults of the
 * CPU. libc only. */

/* Where the kernel lists its event sources. */
#define PMU_DEVICES "/sys/bus/event_source/devices"

enum {
	PMU_TRIES = 3,         /* alternative events of one counter, the best first */
	PMU_CONTROLLERS = 128, /* events of memory controllers that are added up */
};

/* The events of each counter. */
struct pmu_choice {
	struct {
		struct pmu_event event[PMU_TRIES];
		unsigned int n; /* 0: no known event */
	} lcore[PMU_LCORE];
	struct pmu_event controller[PMU_CONTROLLERS]; /* their counts are added up */
	unsigned int n_controllers;
};

/*
 * Choose the events of each counter on this machine. wanted: "NAME=EVENT[,NAME=EVENT ...]" replaces
 * the defaults of these counters, "" replaces none; see pmu_event_find() for events. devices:
 * PMU_DEVICES. EINVAL, ENOENT: with the bad word. Thread: any.
 */
int pmu_choose(const char *devices, const char *wanted, struct pmu_choice *choice, struct err *e);
