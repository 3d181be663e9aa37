/* The table of default events by CPU, from the vendors' manuals. Kernel names come first if the
 * kernel maps them. A raw number has the event in bits 0 to 7, the unit mask in bits 8 to 15 and,
 * on Intel, the minimum count per cycle in bits 24 to 31. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/pmu_usual.h"

#include "base/base.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <stddef.h>
#include <string.h>

#define ONE(cpu) (1u << PMU_CPU_##cpu)

enum {
	ANY = ~0u >> 1,
	INTEL = ONE(INTEL_HASWELL) | ONE(INTEL_SKYLAKE) | ONE(INTEL_ICELAKE) | ONE(INTEL_SAPPHIRE),
	AMD = ONE(AMD_ZEN2) | ONE(AMD_ZEN3),
	OTHER = ONE(OTHER),
};

static const struct {
	unsigned int cpus;
	enum pmu_counter counter;
	const char *word;
} rows[] = {
	{ ANY, PMU_CYCLES, "cycles" },
	{ ANY, PMU_INSTRUCTIONS, "instructions" },

	{ ANY, PMU_STALLED_FRONTEND, "stalled-cycles-frontend" },
	{ ONE(INTEL_HASWELL) | ONE(INTEL_SKYLAKE), PMU_STALLED_FRONTEND, "r400019c" },
	{ ONE(INTEL_ICELAKE), PMU_STALLED_FRONTEND, "r500019c" },
	{ ONE(INTEL_SAPPHIRE), PMU_STALLED_FRONTEND, "r600019c" },
	{ ONE(ARM), PMU_STALLED_FRONTEND, "r23" },
	{ ANY, PMU_STALLED_BACKEND, "stalled-cycles-backend" },
	{ INTEL, PMU_STALLED_BACKEND, "r40004a3" },
	{ ONE(ARM), PMU_STALLED_BACKEND, "r24" },

	{ INTEL, PMU_L1D_REFILLS, "r151" },
	{ ONE(AMD_ZEN3), PMU_L1D_REFILLS, "rff44" },
	{ ONE(ARM), PMU_L1D_REFILLS, "r3" },
	{ ONE(AMD_ZEN2) | OTHER, PMU_L1D_REFILLS, "L1-dcache-load-misses" },
	{ ONE(INTEL_HASWELL), PMU_L1D_WRITEBACKS, "r10f0" },
	{ ONE(ARM), PMU_L1D_WRITEBACKS, "r15" },

	{ ONE(INTEL_HASWELL), PMU_L2_REFILLS, "r7f1" },
	{ ONE(INTEL_SKYLAKE) | ONE(INTEL_ICELAKE), PMU_L2_REFILLS, "r1ff1" },
	{ ONE(INTEL_SAPPHIRE), PMU_L2_REFILLS, "r1f25" },
	{ AMD, PMU_L2_REFILLS, "r964" },
	{ ONE(ARM), PMU_L2_REFILLS, "r17" },
	{ INTEL & ~ONE(INTEL_SAPPHIRE), PMU_L2_WRITEBACKS, "r40f0" },
	{ ONE(INTEL_SAPPHIRE), PMU_L2_WRITEBACKS, "r4023" },
	{ ONE(ARM), PMU_L2_WRITEBACKS, "r18" },

	{ INTEL, PMU_L3_REFILLS, "r412e" },
	{ ONE(AMD_ZEN2), PMU_L3_REFILLS, "r4843" },
	{ ONE(AMD_ZEN3), PMU_L3_REFILLS, "r4844" },
	{ ONE(ARM), PMU_L3_REFILLS, "r2a" },
	{ ONE(ARM) | OTHER, PMU_L3_REFILLS, "LLC-load-misses" },

	{ ANY, PMU_MC_REQUESTS,
		"uncore_imc_[0-9]*/cas_count_read/+uncore_imc_[0-9]*/cas_count_write/" },
	{ ANY, PMU_MC_REQUESTS, "amd_umc_*/event=0xa/" },
	{ ANY, PMU_MC_REQUESTS, "hisi_sccl*_ddrc*/flux_rd/+hisi_sccl*_ddrc*/flux_wr/" },
	{ ANY, PMU_MC_REQUESTS, "arm_dmc620_*/clkdiv2_rdwr/" },
};

static const struct {
	enum pmu_cpu cpu;
	unsigned char models[12]; /* of Intel's family 6; ends with 0 */
} intel[] = {
	{ PMU_CPU_INTEL_HASWELL, { 0x3c, 0x3d, 0x3f, 0x45, 0x46, 0x47, 0x4f, 0x56 } },
	{ PMU_CPU_INTEL_SKYLAKE, { 0x4e, 0x55, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6 } },
	{ PMU_CPU_INTEL_ICELAKE, { 0x6a, 0x6c, 0x7d, 0x7e, 0x8c, 0x8d, 0xa7 } },
	{ PMU_CPU_INTEL_SAPPHIRE, { 0x8f, 0xad, 0xae, 0xcf } },
};

enum pmu_cpu
pmu_cpu_x86(const char *maker, unsigned int family, unsigned int model)
{
	if (strcmp(maker, "AuthenticAMD") == 0)
		return family >= 0x19    ? PMU_CPU_AMD_ZEN3
			: family == 0x17 ? PMU_CPU_AMD_ZEN2
					 : PMU_CPU_OTHER;
	if (strcmp(maker, "GenuineIntel") != 0 || family != 6 || model == 0)
		return PMU_CPU_OTHER;
	for (size_t i = 0; i < ARRAY_SIZE(intel); i++)
		for (size_t k = 0; k < ARRAY_SIZE(intel[i].models); k++)
			if (intel[i].models[k] == model)
				return intel[i].cpu;
	return PMU_CPU_OTHER;
}

enum pmu_cpu
pmu_cpu_here(void)
{
#if defined(__x86_64__)
	unsigned int a, b, c, d, family, model;
	char maker[13] = "";

	if (__get_cpuid(0, &a, &b, &c, &d) == 0)
		return PMU_CPU_OTHER;
	memcpy(maker, &b, 4);
	memcpy(maker + 4, &d, 4);
	memcpy(maker + 8, &c, 4);
	if (__get_cpuid(1, &a, &b, &c, &d) == 0)
		return PMU_CPU_OTHER;
	family = (a >> 8 & 0xf) == 0xf ? 0xf + (a >> 20 & 0xff) : a >> 8 & 0xf;
	model = (a >> 4 & 0xf) | (a >> 12 & 0xf0);
	return pmu_cpu_x86(maker, family, model);
#elif defined(__aarch64__)
	return PMU_CPU_ARM;
#else
	return PMU_CPU_OTHER;
#endif
}

const char *
pmu_usual(enum pmu_cpu cpu, enum pmu_counter which, unsigned int i)
{
	for (size_t k = 0; k < ARRAY_SIZE(rows); k++)
		if (rows[k].counter == which && (rows[k].cpus & 1u << cpu) != 0 && i-- == 0)
			return rows[k].word;
	return NULL;
}
