/* Choose the events of the hardware counters: those that the user names, else the defaults of the
 * CPU. libc only. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/pmu.h"

struct err;

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
