/* Which events count what on this machine: those that its user names, and else what is usual for
 * its CPU. libc only. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/pmu.h"

struct err;

/* Where the kernel lists its sources of events. */
#define PMU_DEVICES "/sys/bus/event_source/devices"

enum {
	PMU_TRIES = 3,         /* events that may count the same, the best one first */
	PMU_CONTROLLERS = 128, /* events of memory controllers whose sum is one count */
};

/* What counts each counter. */
struct pmu_choice {
	struct {
		struct pmu_event event[PMU_TRIES];
		unsigned int n; /* 0: nothing that is known of */
	} lcore[PMU_LCORE];
	struct pmu_event controller[PMU_CONTROLLERS]; /* all of them are added up */
	unsigned int n_controllers;
};

/*
 * Find what counts each counter here. wanted: "NAME=EVENT[,NAME=EVENT ...]" takes the place of what
 * would be tried, "" changes nothing; events are perf's words, see pmu_event_find(). devices:
 * PMU_DEVICES. EINVAL, ENOENT with the word. Thread: any, all of this file.
 */
int pmu_choose(const char *devices, const char *wanted, struct pmu_choice *choice, struct err *e);
