/* The default events of each hardware counter, by CPU family. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/pmu.h"

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

/* Return the family of this machine's CPU. */
enum pmu_cpu pmu_cpu_here(void);

/* Return alternative i of a counter's events, for pmu_event_find(); NULL: there are no more. */
const char *pmu_usual(enum pmu_cpu cpu, enum pmu_counter which, unsigned int i);
