/* Events by name, over a made-up list of sources, and what is usual for which CPU. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/pmu.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/cases.h"
#include "fixtures/made_files.h"
#include "fixtures/unit.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

static int
begin(void **state)
{
	if (made_begin(state) != 0)
		return -1;
	made_file("cpu/type", "4\n");
	made_file("cpu/format/event", "config:0-7,32-35\n");
	made_file("cpu/format/umask", "config:8-15\n");
	made_file("cpu/format/edge", "config:18\n");
	made_file("cpu/format/ldlat", "config1:0-15\n");
	made_file("cpu/events/l2-misses", "event=0x24,umask=0x3f\n");
	made_file("uncore_imc_0/type", "20\n");
	made_file("uncore_imc_0/cpumask", "0,18\n");
	made_file("uncore_imc_0/format/event", "config:0-7\n");
	made_file("uncore_imc_0/events/cas_count_read", "event=0x4\n");
	made_file("uncore_imc_0/events/cas_count_write", "event=0x8\n");
	made_file("uncore_imc_1/type", "21\n");
	made_file("uncore_imc_1/cpumask", "0\n");
	made_file("uncore_imc_1/format/event", "config:0-7\n");
	made_file("uncore_imc_1/events/cas_count_read", "event=0x4\n");
	made_file("uncore_imc_1/events/cas_count_write", "event=0x8\n");
	return 0;
}

/* TYPE CONFIG CONFIG1 CPU of events. */
static void
events_print(const struct pmu_event *event, unsigned int n, char *to, size_t size)
{
	size_t at = 0;

	for (unsigned int i = 0; i < n; i++)
		at += (size_t)snprintf(to + at, size - at, "%s%u 0x%" PRIx64 " %" PRIu64 " %d",
			i > 0 ? ", " : "", event[i].type, (uint64_t)event[i].config,
			(uint64_t)event[i].config1, event[i].cpu);
}

static int
event_read(const char *word, char *to, size_t size, struct err *e)
{
	struct pmu_event event[2];
	unsigned int n;

	if (pmu_event_find(made_folder, word, event, ARRAY_SIZE(event), &n, e) != 0)
		return -e->code;
	events_print(event, n, to, size);
	return 0;
}

/* What is counted of memory controllers, which is the same for each CPU. */
static int
choice_read(const char *wanted, char *to, size_t size, struct err *e)
{
	struct pmu_choice choice;

	if (pmu_choose(made_folder, wanted, &choice, e) != 0)
		return -e->code;
	events_print(choice.controller, choice.n_controllers, to, size);
	return 0;
}

CASES("base/pmu", { "event", event_read }, { "choice", choice_read })

TEST(wanted)
{
	struct pmu_choice choice;
	struct err e;

	assert_int_equal(
		pmu_choose(made_folder,
			"l2_writebacks=cpu/event=0xf0,umask=0x40/,l1d_writebacks=r15,mc_requests=uncore_imc_1/cas_count_read/",
			&choice, &e),
		0);
	assert_int_equal(choice.lcore[PMU_L2_WRITEBACKS].n, 1);
	assert_int_equal(choice.lcore[PMU_L2_WRITEBACKS].event[0].config, 0x40f0);
	assert_int_equal(choice.lcore[PMU_L1D_WRITEBACKS].event[0].config, 0x15);
	assert_int_equal(choice.lcore[PMU_CYCLES].event[0].type, PERF_TYPE_HARDWARE);
	assert_int_equal(choice.n_controllers, 1);
}

TEST(cpus)
{
	static const struct {
		const char *maker;
		unsigned int family, model;
		enum pmu_cpu cpu;
		const char *l2_refills;
	} cases[] = {
		{ "GenuineIntel", 6, 0x4f, PMU_CPU_INTEL_HASWELL, "r7f1" },
		{ "GenuineIntel", 6, 0x55, PMU_CPU_INTEL_SKYLAKE, "r1ff1" },
		{ "GenuineIntel", 6, 0x6a, PMU_CPU_INTEL_ICELAKE, "r1ff1" },
		{ "GenuineIntel", 6, 0x8f, PMU_CPU_INTEL_SAPPHIRE, "r1f25" },
		{ "GenuineIntel", 6, 0, PMU_CPU_OTHER, NULL },
		{ "GenuineIntel", 15, 0x55, PMU_CPU_OTHER, NULL },
		{ "AuthenticAMD", 0x17, 0x31, PMU_CPU_AMD_ZEN2, "r964" },
		{ "AuthenticAMD", 0x19, 0x11, PMU_CPU_AMD_ZEN3, "r964" },
		{ "AuthenticAMD", 0x1a, 2, PMU_CPU_AMD_ZEN3, "r964" },
		{ "HygonGenuine", 0x18, 1, PMU_CPU_OTHER, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *word = pmu_usual(cases[i].cpu, PMU_L2_REFILLS, 0);

		assert_int_equal(pmu_cpu_x86(cases[i].maker, cases[i].family, cases[i].model),
			cases[i].cpu);
		assert_true(word == NULL ? cases[i].l2_refills == NULL
					 : strcmp(word, cases[i].l2_refills) == 0);
	}
}

/* Every word of the table is one, and there is room for all of a counter. */
TEST(usual)
{
	struct pmu_event event[PMU_CONTROLLERS];
	const char *word;
	unsigned int n;
	struct err e;

	for (unsigned int cpu = PMU_CPU_OTHER; cpu <= PMU_CPU_ARM; cpu++) {
		for (unsigned int c = 0; c < PMU_LCORE; c++) {
			unsigned int i;

			for (i = 0; (word = pmu_usual(cpu, c, i)) != NULL; i++)
				assert_int_equal(pmu_event_find(made_folder, word, event, 1, &n,
							 &e),
					0);
			assert_true(i <= PMU_TRIES);
		}
		assert_non_null(pmu_usual(cpu, PMU_CYCLES, 0));
		assert_non_null(pmu_usual(cpu, PMU_INSTRUCTIONS, 0));
	}
}

TESTS(.setup = begin, .teardown = made_end);
