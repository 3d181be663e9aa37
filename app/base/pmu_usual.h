/* Which events count what on which CPU, unless somebody says otherwise. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/pmu.h"

/* Families of CPUs whose raw events are the same. */
enum pmu_cpu {
	PMU_CPU_OTHER,
	PMU_CPU_INTEL_HASWELL,  /* and Broadwell */
	PMU_CPU_INTEL_SKYLAKE,  /* and Cascade Lake, Cooper Lake */
	PMU_CPU_INTEL_ICELAKE,  /* and Tiger Lake, Rocket Lake */
	PMU_CPU_INTEL_SAPPHIRE, /* Sapphire, Emerald and Granite Rapids */
	PMU_CPU_AMD_ZEN2,       /* and Zen */
	PMU_CPU_AMD_ZEN3,       /* and newer */
	PMU_CPU_ARM,            /* events of the architecture, Armv8 and newer */
};

/* That of an x86 CPU with this maker ("GenuineIntel"), family and model, as CPUID has them. */
enum pmu_cpu pmu_cpu_x86(const char *maker, unsigned int family, unsigned int model);

/* That of this machine. */
enum pmu_cpu pmu_cpu_here(void);

/* The word, for pmu_event_find(), of what counts it, number i; NULL: no further one. */
const char *pmu_usual(enum pmu_cpu cpu, enum pmu_counter which, unsigned int i);
