/* Events by name, over a made-up list of sources, and what is usual for which CPU. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/pmu.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/made_files.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <linux/perf_event.h>
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

TEST(words)
{
	static const struct {
		const char *word;
		struct pmu_event event;
	} cases[] = {
		{ "instructions", { PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, 0, -1 } },
		{ "L1-dcache-load-misses", { PERF_TYPE_HW_CACHE, 0x10000, 0, 0, -1 } },
		{ "r40f0", { PERF_TYPE_RAW, 0x40f0, 0, 0, -1 } },
		{ "cpu/event=0xf0,umask=0x40/", { 4, 0x40f0, 0, 0, -1 } },
		{ "cpu/event=0x1ff/", { 4, 0x1000000ff, 0, 0, -1 } },
		{ "cpu/event=1,edge,ldlat=3/", { 4, 0x40001, 3, 0, -1 } },
		{ "cpu/l2-misses/", { 4, 0x3f24, 0, 0, -1 } },
		{ "cpu/config=77/", { 4, 77, 0, 0, -1 } },
	};
	struct pmu_event got;
	unsigned int n;
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(pmu_event_find(made_folder, cases[i].word, &got, 1, &n, &e), 0);
		assert_int_equal(n, 1);
		assert_memory_equal(&got.type, &cases[i].event.type, sizeof(got.type));
		assert_int_equal(got.config, cases[i].event.config);
		assert_int_equal(got.config1, cases[i].event.config1);
		assert_int_equal(got.cpu, cases[i].event.cpu);
	}
}

/* Of each controller's reads and writes one event per socket. */
TEST(controllers)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		int cpu;
	} want[] = { { 20, 4, 0 }, { 20, 4, 18 }, { 21, 4, 0 }, { 20, 8, 0 }, { 20, 8, 18 },
		{ 21, 8, 0 } };
	struct pmu_choice choice;
	struct pmu_event few[3];
	unsigned int n;
	struct err e;

	assert_int_equal(pmu_choose(made_folder, "", &choice, &e), 0);
	assert_int_equal(choice.n_controllers, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(choice.controller[i].type, want[i].type);
		assert_int_equal(choice.controller[i].config, want[i].config);
		assert_int_equal(choice.controller[i].cpu, want[i].cpu);
	}
	assert_int_equal(pmu_event_find(made_folder,
				 "uncore_imc_*/cas_count_read/+uncore_imc_1/cas_count_write/", few,
				 3, &n, &e),
		-E2BIG);
}

TEST(refusals)
{
	static const struct {
		const char *wanted;
		int code;
		const char *text;
	} cases[] = {
		{ "cycle=r1", EINVAL, "unknown hardware counter \"cycle\": expected cycles, inst" },
		{ "cycles", EINVAL, "cycles: expected cycles=EVENT" },
		{ "cycles=", EINVAL, "\"\" is not an event" },
		{ "cycles=r", EINVAL, "\"r\" is not an event: expected" },
		{ "cycles=r1g", EINVAL, "\"r1g\" is not an event: expected" },
		{ "l2_refills=r1,cycles=frobs", EINVAL, "\"frobs\" is not an event: expected" },
		{ "cycles=cpu/event=1", EINVAL,
			"\"cpu/event=1\" is not an event: expected SOURCE/TERMS/" },
		{ "cycles=cpu//", EINVAL, "\"cpu//\" is not an event: expected SOURCE/TERMS/" },
		{ "cycles=gpu/event=1/", ENOENT, "no event source \"gpu\" in " },
		{ "cycles=cpu/evnt=1/", ENOENT, "cpu has no event or term \"evnt\"" },
		{ "cycles=cpu/l2-mises/", ENOENT, "cpu has no event or term \"l2-mises\"" },
		{ "cycles=cpu/event=x/", EINVAL, "event=x: expected a number" },
		{ "cycles=cpu/umask=0x100/", EINVAL, "umask=0x100 does not fit into config:8-15" },
		{ "cycles=cpu/../cpu/", EINVAL, "\"cpu/../cpu/\" is not an event" },
		{ "cycles=cpu/../", EINVAL, "\"..\" is not a term of an event" },
		{ "cycles=uncore_imc_1/cas_count_read/", EINVAL,
			"uncore_imc_1/cas_count_read/ counts for the whole machine, but cycles needs an event of one lcore" },
	};
	struct pmu_choice choice;
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		err_clear(&e);
		assert_int_equal(pmu_choose(made_folder, cases[i].wanted, &choice, &e),
			-cases[i].code);
		if (strncmp(e.text, cases[i].text, strlen(cases[i].text)) != 0)
			fail_msg("%s: %s", cases[i].wanted, e.text);
	}
}

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
