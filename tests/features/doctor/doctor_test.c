/* Hosts made of files: each check finds what spoils, what does not, and what a host does not tell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/doctor_host.h"
#include "fixtures/unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void
lcore(unsigned int id, int first_cpu, int last_cpu, int node)
{
	struct doctor_lcore *l = &fake_use.lcores[fake_use.n_lcores++];

	*l = (struct doctor_lcore){ .id = id, .node = node };
	for (int cpu = first_cpu; cpu <= last_cpu; cpu++)
		CPU_SET(cpu, &l->cpus);
}

/* A host without a fault: lcores 1 and 2 on CPUs 2 and 3 of four, of which each has a core. */
static int
fake_make(void **state)
{
	fake_begin();
	fake_use.any_port = true;
	fake_use.l2_bytes = 1 << 20;
	lcore(1, 2, 2, 0);
	lcore(2, 3, 3, 0);
	fake_use.ports[fake_use.n_ports++] = (struct doctor_port){ .id = 0 };
	fake_use.ports[fake_use.n_ports++] =
		(struct doctor_port){ .id = 1, .node = DOCTOR_NODE_ANY };
	fake_file("/sys/devices/system/cpu/isolated", "2-3");
	fake_file("/sys/devices/system/cpu/nohz_full", "1-3");
	fake_file("/sys/devices/system/cpu/online", "0-3");
	for (unsigned int cpu = 0; cpu < 4; cpu++) {
		char path[128], own[4];

		snprintf(own, sizeof(own), "%u", cpu);
		snprintf(path, sizeof(path),
			"/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu);
		fake_file(path, own);
		snprintf(path, sizeof(path),
			"/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", cpu);
		fake_file(path, cpu < 2 ? "powersave" : "performance");
	}
	fake_file("/sys/devices/system/cpu/cpu2/cpuidle/state0/latency", "0");
	fake_file("/sys/devices/system/cpu/cpu2/cpuidle/state0/name", "POLL");
	fake_file("/sys/devices/system/cpu/cpu2/cpuidle/state1/latency", "2");
	fake_file("/sys/devices/system/cpu/cpu2/cpuidle/state1/name", "C1");
	fake_file("/proc/irq/24/effective_affinity_list", "0");
	fake_file("/proc/irq/default_smp_affinity", "f");
	fake_file("/proc/sys/kernel/sched_autogroup_enabled", "0");
	fake_file("/proc/stat",
		"cpu  9 9 9 9 9 9 9 9 0 0\ncpu2 100000 0 0 0 0 0 0 20 0 0\ncpu3 1 0 0 0 0 0 0 0 0 0");
	fake_file("/proc/self/cgroup", "0::/lab");
	fake_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc");
	fake_file("/sys/fs/cgroup/lab/cpu.max", "max 100000");
	return 0;
}

TEST(without_a_fault)
{
	fake_examine();
	for (unsigned int i = 0; i < fake_findings.n; i++) {
		const struct doctor_finding *f = &fake_findings.list[i];

		if (f->verdict != DOCTOR_OK && strcmp(f->check, "firmware") != 0)
			fail_msg("%s: %s", f->check, f->found);
		assert_true(f->found[0] != '\0' && f->change[0] == '\0' && f->source[0] != '\0');
	}
}

TEST(own_cpu)
{
	static const char choose[] = "choose a CPU for each lcore: --lcores LCORE@CPU,...";

	CPU_SET(3, &fake_use.main_cpus);
	fake_says("own CPU", DOCTOR_SPOILS, "lcore 2 shares CPU 3 with the control thread", choose);
	lcore(3, 2, 2, 0);
	CPU_ZERO(&fake_use.main_cpus);
	fake_says("own CPU", DOCTOR_SPOILS, "lcore 3 shares CPU 2 with another lcore", choose);
	fake_use.n_lcores = 0;
	lcore(1, 0, 3, 0);
	fake_says("own CPU", DOCTOR_SPOILS, "lcore 1 may run on CPUs 0-3", choose);
}

/* What the kernel counted in a run, with and without a reason that can be seen. */
TEST(lost_cpu)
{
	static const char look[] =
		"ps -eLo psr,pid,comm,pcpu --sort=-pcpu shows what else runs on its CPU; move it, or isolate the CPU";

	fake_use.least = (struct run_cpu){ 1, { .preempted = 274 }, 0.32 };
	fake_says("own CPU", DOCTOR_SPOILS,
		"lcore 1 had its CPU for 32 % of the last run (274 preemptions)", look);
	fake_use.forwarding = true;
	fake_says("own CPU", DOCTOR_SPOILS,
		"lcore 1 had its CPU for 32 % of this run (274 preemptions)", look);
	CPU_SET(3, &fake_use.main_cpus);
	fake_says("own CPU", DOCTOR_SPOILS,
		"lcore 1 had its CPU for 32 % of this run (274 preemptions); lcore 2 shares CPU 3 with the control thread",
		"choose a CPU for each lcore: --lcores LCORE@CPU,...");
	fake_use.least.share = RUN_CPU_ENOUGH;
	fake_says("own CPU", DOCTOR_SPOILS, "lcore 2 shares CPU 3 with the control thread",
		"choose a CPU for each lcore: --lcores LCORE@CPU,...");
	CPU_ZERO(&fake_use.main_cpus);
	fake_says("own CPU", DOCTOR_OK, "each forwarding lcore has a CPU of its own", "");
}

TEST(cpus_of_the_kernel)
{
	lcore(3, 0, 1, 0);
	fake_says("isolated CPUs", DOCTOR_SPOILS,
		"the kernel schedules other tasks on CPUs 0-1 too",
		"boot with isolcpus=managed_irq,domain,0-1 rcu_nocbs=0-1");
	fake_says("timer tick", DOCTOR_SPOILS, "a timer tick interrupts CPU 0",
		"boot with nohz_full=0");
	fake_file("/sys/devices/system/cpu/nohz_full", "  (null)");
	fake_says("timer tick", DOCTOR_SPOILS, "a timer tick interrupts CPUs 0-3",
		"boot with nohz_full=0-3");
	fake_says("frequency", DOCTOR_SPOILS, "governor powersave changes the frequency of CPU 0",
		"cpupower frequency-set -g performance");
}

TEST(siblings)
{
	fake_file("/sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "1,3");
	fake_says("hyperthreads", DOCTOR_SPOILS, "CPU 3 shares its core with CPU 1",
		"choose CPUs of different cores: --lcores, and disable the others: echo off > /sys/devices/system/cpu/smt/control");
	fake_file("/sys/devices/system/cpu/online", "0,2-3");
	fake_fine("hyperthreads");
}

TEST(sleep_states)
{
	fake_file("/sys/devices/system/cpu/cpu2/cpuidle/state2/latency", "133");
	fake_file("/sys/devices/system/cpu/cpu2/cpuidle/state2/name", "C6");
	fake_file("/sys/devices/system/cpu/cpu2/cpuidle/state2/disable", "0");
	fake_file("/sys/devices/system/cpu/cpu2/cpuidle/state3/latency", "40");
	fake_file("/sys/devices/system/cpu/cpu2/cpuidle/state3/name", "C7");
	fake_says("idle states", DOCTOR_SPOILS,
		"CPU 2 takes 133 us to wake up from C6, if its lcore pauses",
		"cpupower idle-set -D 10");
	fake_file("/sys/devices/system/cpu/cpu2/cpuidle/state2/disable", "1");
	fake_file("/sys/devices/system/cpu/cpu2/cpuidle/state3/disable", "1");
	fake_fine("idle states");
}

TEST(memory)
{
	fake_use.hugepages = false;
	fake_says("huge pages", DOCTOR_SPOILS, "DPDK's memory is in small pages: more TLB misses",
		"echo 1024 > /proc/sys/vm/nr_hugepages, and no --no-huge");
	fake_use.ports[0].node = 1;
	fake_says("NUMA", DOCTOR_SPOILS, "port 0 is on node 1, lcore 1 on node 0",
		"choose lcores of node 1: --lcores, set corelist");
	/* Each port is compared with each lcore. */
	fake_use.ports[0].node = 0;
	fake_use.ports[1].node = 1;
	fake_says("NUMA", DOCTOR_SPOILS, "port 1 is on node 1, lcore 1 on node 0",
		"choose lcores of node 1: --lcores, set corelist");
	fake_use.lcores[0].node = 1;
	fake_use.ports[0].node = DOCTOR_NODE_ANY;
	fake_says("NUMA", DOCTOR_SPOILS, "port 1 is on node 1, lcore 2 on node 0",
		"choose lcores of node 1: --lcores, set corelist");
	/* With a plan, each port is compared with its own lcores. */
	fake_use.ports[1].pool_node = DOCTOR_NODE_ANY;
	fake_use.ports[1].served_known = true;
	CPU_ZERO(&fake_use.ports[1].served_by);
	CPU_SET(fake_use.lcores[0].id, &fake_use.ports[1].served_by);
	fake_fine("NUMA");
	CPU_SET(fake_use.lcores[1].id, &fake_use.ports[1].served_by);
	fake_says("NUMA", DOCTOR_SPOILS, "port 1 is on node 1, lcore 2 on node 0",
		"choose lcores of node 1: --lcores, set corelist");
	fake_use.lcores[1].node = 1;
	fake_use.ports[1].pool_node = 0;
	strcpy(fake_use.ports[1].pool, "mb_pool_0");
	fake_says("NUMA", DOCTOR_SPOILS, "port 1 is on node 1, its buffers (mb_pool_0) on node 0",
		"start with --port-numa-config=(1,1), without --no-numa");
	fake_use.ports[1].pool_node = DOCTOR_NODE_ANY;
	fake_fine("NUMA");
	fake_use.ports[1].rings = (struct port_rings){ .rxd = 2048,
		.txd = 512,
		.rxd_auto = 512,
		.txd_auto = 512,
		.kib = 480,
		.l2_kib = 512,
		.large = true };
	fake_says("rings", DOCTOR_SPOILS,
		"port 1: buffers of 2048 Rx and 512 Tx descriptors take 480 KiB, half of the L2 cache is 256 KiB",
		"--rxd=auto chooses 512, if bursts allow it: see doc/working-set.md");
	fake_use.ports[1].rings.large = false;
	fake_fine("rings");
	fake_use.l2_bytes = 0;
	assert_int_equal(fake_finding("rings", 0)->verdict, DOCTOR_UNKNOWN);
}

TEST(others)
{
	fake_file("/proc/irq/25/effective_affinity_list", "3");
	fake_says("interrupts", DOCTOR_SPOILS, "1 interrupt of devices may arrive on CPUs 2-3",
		"stop irqbalance, and write other CPUs to /proc/irq/*/smp_affinity_list");
	/* One that may arrive on both CPUs is one interrupt. */
	fake_file("/proc/irq/25/effective_affinity_list", "2-3");
	fake_says("interrupts", DOCTOR_SPOILS, "1 interrupt of devices may arrive on CPUs 2-3",
		"stop irqbalance, and write other CPUs to /proc/irq/*/smp_affinity_list");
	fake_file("/proc/irq/26/effective_affinity_list", "2");
	fake_says("interrupts", DOCTOR_SPOILS, "2 interrupts of devices may arrive on CPUs 2-3",
		"stop irqbalance, and write other CPUs to /proc/irq/*/smp_affinity_list");
	fake_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet");
	fake_says("clocks", DOCTOR_SPOILS,
		"the kernel's clock source is hpet: the TSCs of two lcores may disagree",
		"dmesg | grep -i tsc tells why; until then send and receive on one lcore");
	fake_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", "kvm-clock");
	fake_fine("clocks");
	fake_file("/proc/sys/kernel/sched_autogroup_enabled", "1");
	assert_int_equal(fake_finding("autogroup", 0)->verdict, DOCTOR_SPOILS);
	fake_file("/proc/stat", "cpu20 0 0 0 0 0 0 0 9 0 0\ncpu2 900 0 0 75 0 0 0 25 0 0");
	fake_says("stolen time", DOCTOR_SPOILS,
		"a hypervisor took 2.5 % of CPU 2's time since the boot",
		"give this machine CPUs of its own");
	/* The CPU that lost most is named, not the last one that lost some. */
	fake_file("/proc/stat", "cpu2 900 0 0 75 0 0 0 25 0 0\ncpu3 900 0 0 90 0 0 0 10 0 0");
	fake_says("stolen time", DOCTOR_SPOILS,
		"a hypervisor took 2.5 % of CPU 2's time since the boot",
		"give this machine CPUs of its own");
	fake_file("/proc/stat", "cpu2 900 0 0 90 0 0 0 10 0 0\ncpu3 900 0 0 75 0 0 0 25 0 0");
	fake_says("stolen time", DOCTOR_SPOILS,
		"a hypervisor took 2.5 % of CPU 3's time since the boot",
		"give this machine CPUs of its own");
	fake_file("/sys/fs/cgroup/lab/cpu.max", "150000 100000");
	fake_says("CPU quota", DOCTOR_SPOILS,
		"the control group may use 1.50 CPUs: then all lcores pause",
		"start the container without a CPU limit, or write max to /sys/fs/cgroup/lab/cpu.max");
}

/* A host without /proc and /sys: nothing is made up. */
TEST(silent)
{
	static const char *const untold[] = { "isolated CPUs", "timer tick", "hyperthreads",
		"frequency", "idle states", "interrupts", "stolen time", "CPU quota" };

	fake_remove(state);
	assert_int_equal(mkdir(fake_root, 0700), 0);
	for (size_t i = 0; i < ARRAY_SIZE(untold); i++)
		assert_int_equal(fake_finding(untold[i], 0)->verdict, DOCTOR_UNKNOWN);
}

TESTS(.before = fake_make, .after = fake_remove);
