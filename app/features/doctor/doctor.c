/* What on a host spoils the tails of latencies and the rate of forwarding lcores. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/doctor/doctor.h"

#include "base/base.h"
#include "base/text.h"
#include "features/doctor/doctor_priv.h"
#include "features/doctor/host_files.h"
#include "port/port_descriptors.h"

#include <rte_common.h>

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SLEEP_US = 10, /* longer wake-ups are seen in the tail of latencies */
	STOLEN = 1,    /* thousandths of the time */
};

static void __attribute__((format(printf, 2, 3)))
spoils(struct doctor_finding *f, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	f->verdict = DOCTOR_SPOILS;
	vsnprintf(f->found, sizeof(f->found), fmt, args);
	va_end(args);
}

static void
unknown(struct doctor_finding *f, const char *why)
{
	f->verdict = DOCTOR_UNKNOWN;
	snprintf(f->found, sizeof(f->found), "%s", why);
}

static void
fine(struct doctor_finding *f, const char *found)
{
	f->verdict = DOCTOR_OK;
	snprintf(f->found, sizeof(f->found), "%s", found);
}

/* CPUs as words, "CPU 1" or "CPUs 1-3". */
struct names {
	char words[DOCTOR_TEXT / 2], list[DOCTOR_TEXT / 2];
};

static struct names
names_of(const cpu_set_t *cpus)
{
	struct text t = { 0 };
	struct names names;

	host_cpus_add(&t, cpus);
	snprintf(names.list, sizeof(names.list), "%s", t.bytes != NULL ? t.bytes : "");
	snprintf(names.words, sizeof(names.words), "CPU%s %.100s", CPU_COUNT(cpus) > 1 ? "s" : "",
		names.list);
	free(t.bytes);
	return names;
}

/* The CPUs of *all that are not in *some. */
static cpu_set_t
without(const cpu_set_t *all, const cpu_set_t *some)
{
	cpu_set_t both, rest;

	CPU_AND(&both, all, some);
	CPU_XOR(&rest, all, &both);
	return rest;
}

/* Add what the kernel counted while the lcores forwarded. It is true also where nothing seems shared. */
static void
check_lost_cpu(const struct examined *x, struct doctor_finding *f)
{
	const struct run_cpu *least = &x->use->least;
	char lost[RUN_CPU_TEXT], placed[DOCTOR_TEXT - RUN_CPU_TEXT - 2];

	if (isnan(least->share) || least->share >= RUN_CPU_ENOUGH)
		return;
	snprintf(placed, sizeof(placed), "%.*s", (int)sizeof(placed) - 1, f->found);
	run_cpu_say(least, x->use->forwarding ? "this run" : "the last run", lost);
	if (f->verdict == DOCTOR_SPOILS) {
		spoils(f, "%s; %s", lost, placed);
		return;
	}
	spoils(f, "%s", lost);
	doctor_finding_change(f,
		"ps -eLo psr,pid,comm,pcpu --sort=-pcpu shows what else runs on its CPU; move it, or isolate the CPU");
}

static void
check_placement(const struct examined *x, struct doctor_finding *f)
{
	cpu_set_t seen;

	CPU_ZERO(&seen);
	fine(f, "each forwarding lcore has a CPU of its own");
	for (unsigned int i = 0; i < x->use->n_lcores; i++) {
		const struct doctor_lcore *l = &x->use->lcores[i];
		cpu_set_t shared, control;

		CPU_AND(&shared, &seen, &l->cpus);
		CPU_AND(&control, &x->use->main_cpus, &l->cpus);
		CPU_OR(&seen, &seen, &l->cpus);
		if (CPU_COUNT(&l->cpus) > 1)
			spoils(f, "lcore %u may run on %s", l->id, names_of(&l->cpus).words);
		else if (CPU_COUNT(&shared) > 0)
			spoils(f, "lcore %u shares %s with another lcore", l->id,
				names_of(&shared).words);
		else if (CPU_COUNT(&control) > 0)
			spoils(f, "lcore %u shares %s with the control thread", l->id,
				names_of(&control).words);
		else
			continue;
		doctor_finding_change(f, "choose a CPU for each lcore: --lcores LCORE@CPU,...");
		return;
	}
}

static void
check_own_cpu(const struct examined *x, struct doctor_finding *f)
{
	check_placement(x, f);
	check_lost_cpu(x, f);
}

/* The lcores' CPUs that are not in the kernel's list. Returns false if there are none, or no list. */
static bool
outside(const struct examined *x, struct doctor_finding *f, const char *path, const char *untold,
	const char *inside, struct names *names)
{
	cpu_set_t listed, rest;

	if (!host_cpus(x->root, path, &listed)) {
		unknown(f, untold);
		return false;
	}
	fine(f, inside);
	rest = without(&x->cpus, &listed);
	*names = names_of(&rest);
	return CPU_COUNT(&rest) > 0;
}

static void
check_isolated(const struct examined *x, struct doctor_finding *f)
{
	struct names names;

	if (!outside(x, f, "/sys/devices/system/cpu/isolated",
		    "this kernel does not say which CPUs are isolated",
		    "the kernel schedules no other tasks on the lcores' CPUs", &names))
		return;
	spoils(f, "the kernel schedules other tasks on %s too", names.words);
	doctor_finding_change(f, "boot with isolcpus=managed_irq,domain,%.60s rcu_nocbs=%.60s",
		names.list, names.list);
}

static void
check_tick(const struct examined *x, struct doctor_finding *f)
{
	struct names names;

	if (!outside(x, f, "/sys/devices/system/cpu/nohz_full",
		    "this kernel cannot stop the timer tick", "no timer tick on the lcores' CPUs",
		    &names))
		return;
	spoils(f, "a timer tick interrupts %s", names.words);
	doctor_finding_change(f, "boot with nohz_full=%s", names.list);
}

static void
check_siblings(const struct examined *x, struct doctor_finding *f)
{
	cpu_set_t online;

	if (!host_cpus(x->root, "/sys/devices/system/cpu/online", &online)) {
		unknown(f, "this kernel does not say which CPUs share a core");
		return;
	}
	fine(f, "no forwarding lcore shares its core");
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		cpu_set_t siblings;
		char path[96];

		snprintf(path, sizeof(path),
			"/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu);
		if (!CPU_ISSET(cpu, &x->cpus) || !host_cpus(x->root, path, &siblings))
			continue;
		CPU_CLR(cpu, &siblings);
		CPU_AND(&siblings, &siblings, &online);
		if (CPU_COUNT(&siblings) == 0)
			continue;
		spoils(f, "CPU %u shares its core with %s", cpu, names_of(&siblings).words);
		doctor_finding_change(f,
			"choose CPUs of different cores: --lcores, and disable the others: echo off > /sys/devices/system/cpu/smt/control");
		return;
	}
}

static void
check_frequency(const struct examined *x, struct doctor_finding *f)
{
	bool any = false;

	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		char path[96], governor[64];

		snprintf(path, sizeof(path),
			"/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", cpu);
		if (!CPU_ISSET(cpu, &x->cpus) ||
			!host_line(x->root, path, governor, sizeof(governor)))
			continue;
		any = true;
		if (strcmp(governor, "performance") == 0)
			continue;
		spoils(f, "governor %s changes the frequency of CPU %u", governor, cpu);
		doctor_finding_change(f, "cpupower frequency-set -g performance");
		return;
	}
	if (any)
		fine(f, "governor performance");
	else
		unknown(f, "the firmware or a hypervisor sets the frequency");
}

static void
check_sleep(const struct examined *x, struct doctor_finding *f)
{
	uint64_t longest = 0;
	bool any = false;

	fine(f, "idle CPUs wake up fast");
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		uint64_t latency;
		char name[32];

		if (!CPU_ISSET(cpu, &x->cpus) ||
			!host_sleep(x->root, cpu, &latency, name, sizeof(name)))
			continue;
		any = true;
		if (latency <= RTE_MAX(longest, (uint64_t)SLEEP_US))
			continue;
		longest = latency;
		spoils(f, "CPU %u takes %" PRIu64 " us to wake up from %s, if its lcore pauses",
			cpu, latency, name);
		doctor_finding_change(f, "cpupower idle-set -D %d", SLEEP_US);
	}
	if (!any)
		unknown(f, "this host has no idle states, or a hypervisor has them");
}

static void
check_hugepages(const struct examined *x, struct doctor_finding *f)
{
	if (x->use->hugepages) {
		fine(f, "DPDK's memory is in huge pages");
		return;
	}
	spoils(f, "DPDK's memory is in small pages: more TLB misses");
	doctor_finding_change(f, "echo 1024 > /proc/sys/vm/nr_hugepages, and no --no-huge");
}

/* Return whether the lcore works for the port; without a plan each lcore may. */
static bool
serves(const struct doctor_lcore *lcore, const struct doctor_port *port)
{
	return !port->served_known || CPU_ISSET(lcore->id, &port->served_by);
}

static void
check_numa(const struct examined *x, struct doctor_finding *f)
{
	fine(f, "each port, its buffers and its lcores are on one node");
	for (unsigned int p = 0; p < x->use->n_ports; p++)
		for (unsigned int l = 0; l < x->use->n_lcores; l++) {
			const struct doctor_port *port = &x->use->ports[p];
			const struct doctor_lcore *lcore = &x->use->lcores[l];

			if (port->node == DOCTOR_NODE_ANY || lcore->node == DOCTOR_NODE_ANY ||
				port->node == lcore->node || !serves(lcore, port))
				continue;
			spoils(f, "port %u is on node %d, lcore %u on node %d", port->id,
				port->node, lcore->id, lcore->node);
			doctor_finding_change(f, "choose lcores of node %d: --lcores, set corelist",
				port->node);
			return;
		}
	for (unsigned int p = 0; p < x->use->n_ports; p++) {
		const struct doctor_port *port = &x->use->ports[p];

		if (port->node == DOCTOR_NODE_ANY || port->pool_node == DOCTOR_NODE_ANY ||
			port->node == port->pool_node)
			continue;
		spoils(f, "port %u is on node %d, its buffers (%s) on node %d", port->id,
			port->node, port->pool, port->pool_node);
		doctor_finding_source(f, "rte_eth_dev_socket_id(), rte_mempool.socket_id");
		doctor_finding_change(f, "start with --port-numa-config=(%u,%d), without --no-numa",
			port->id, port->node);
		return;
	}
}

static void
check_interrupts(const struct examined *x, struct doctor_finding *f)
{
	unsigned int n;

	if (!host_interrupts(x->root, &x->cpus, &n)) {
		unknown(f, "/proc/irq does not say where interrupts arrive");
		return;
	}
	fine(f, "no interrupt of a device arrives on the lcores' CPUs");
	if (n == 0)
		return;
	spoils(f, "%u interrupt%s of devices may arrive on %s", n, n == 1 ? "" : "s",
		names_of(&x->cpus).words);
	doctor_finding_change(f,
		"stop irqbalance, and write other CPUs to /proc/irq/*/smp_affinity_list");
}

static void
check_autogroup(const struct examined *x, struct doctor_finding *f)
{
	uint64_t on;

	if (host_number(x->root, "/proc/sys/kernel/sched_autogroup_enabled", &on) && on != 0) {
		spoils(f,
			"autogroups: each session gets the same share of a CPU, whatever its nice values");
		doctor_finding_change(f, "echo 0 > /proc/sys/kernel/sched_autogroup_enabled");
		return;
	}
	fine(f, "no automatic groups of tasks");
}

static void
check_stolen(const struct examined *x, struct doctor_finding *f)
{
	double most = 0;
	bool any = false;

	fine(f, "no hypervisor takes the CPUs");
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		double thousandths;

		if (!CPU_ISSET(cpu, &x->cpus) || !host_stolen(x->root, cpu, &thousandths))
			continue;
		any = true;
		if (thousandths < STOLEN || thousandths <= most)
			continue;
		most = thousandths;
		spoils(f, "a hypervisor took %.1f %% of CPU %u's time since the boot",
			thousandths / 10, cpu);
		doctor_finding_change(f, "give this machine CPUs of its own");
	}
	if (!any)
		unknown(f, "/proc/stat cannot be read");
}

static void
check_quota(const struct examined *x, struct doctor_finding *f)
{
	char group[256], path[320], quota[64];
	unsigned long long most, period;

	if (!host_line(x->root, "/proc/self/cgroup", group, sizeof(group)) ||
		strncmp(group, "0::", 3) != 0) {
		unknown(f, "this host has no unified control groups");
		return;
	}
	fine(f, "no quota limits the CPUs' time");
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cpu.max", group + 3);
	if (!host_line(x->root, path, quota, sizeof(quota)) ||
		sscanf(quota, "%llu %llu", &most, &period) != 2 || period == 0)
		return;
	spoils(f, "the control group may use %.2f CPUs: then all lcores pause",
		(double)most / (double)period);
	doctor_finding_change(f, "start the container without a CPU limit, or write max to %.120s",
		path);
}

static void
check_rings(const struct examined *x, struct doctor_finding *f)
{
	if (x->use->l2_bytes == 0) {
		unknown(f, "the size of the L2 cache is not known");
		return;
	}
	fine(f, "buffers of the rings fit in half of the L2 cache, or \"auto\" chooses no smaller rings");
	for (unsigned int p = 0; p < x->use->n_ports; p++) {
		const struct port_rings *r = &x->use->ports[p].rings;
		char advice[PORT_RINGS_ADVICE];

		if (!r->large)
			continue;
		port_rings_advise(r, advice);
		spoils(f,
			"port %u: buffers of %u Rx and %u Tx descriptors take %" PRIu64
			" KiB, half of the L2 cache is %" PRIu64 " KiB",
			x->use->ports[p].id, r->rxd, r->txd, r->kib, r->l2_kib / 2);
		doctor_finding_change(f, "%s, if bursts allow it: see doc/working-set.md", advice);
		return;
	}
}

/* What the kernel replaces the TSC with, once it has found that those of two CPUs differ. */
static void
check_clocks(const struct examined *x, struct doctor_finding *f)
{
	static const char *const slow[] = { "hpet", "acpi_pm", "refined-jiffies", "jiffies" };
	char source[64];

	if (!host_line(x->root, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		    source, sizeof(source))) {
		unknown(f, "the kernel's clock source cannot be read");
		return;
	}
	fine(f, "the kernel relies on the CPUs' TSCs");
	for (size_t i = 0; i < ARRAY_SIZE(slow); i++) {
		if (strcmp(source, slow[i]) != 0)
			continue;
		spoils(f, "the kernel's clock source is %s: the TSCs of two lcores may disagree",
			slow[i]);
		doctor_finding_change(f,
			"dmesg | grep -i tsc tells why; until then send and receive on one lcore");
	}
}

/* In the order of their cost, roughly. */
static const struct {
	const char *name, *source;
	void (*check)(const struct examined *x, struct doctor_finding *f);
} checks[] = {
	{ "own CPU", "rte_lcore_cpuset(), /proc/thread-self/schedstat", check_own_cpu },
	{ "isolated CPUs", "/sys/devices/system/cpu/isolated", check_isolated },
	{ "timer tick", "/sys/devices/system/cpu/nohz_full", check_tick },
	{ "hyperthreads", "/sys/devices/system/cpu/cpu*/topology", check_siblings },
	{ "frequency", "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor", check_frequency },
	{ "idle states", "/sys/devices/system/cpu/cpu*/cpuidle/state*/latency", check_sleep },
	{ "huge pages", "rte_eal_has_hugepages()", check_hugepages },
	{ "NUMA", "rte_eth_dev_socket_id(), rte_lcore_to_socket_id()", check_numa },
	{ "interrupts", "/proc/irq/*/effective_affinity_list", check_interrupts },
	{ "autogroup", "/proc/sys/kernel/sched_autogroup_enabled", check_autogroup },
	{ "stolen time", "/proc/stat", check_stolen },
	{ "CPU quota", "/proc/self/cgroup, /sys/fs/cgroup/*/cpu.max", check_quota },
	{ "rings", "rte_eth_rx_queue_info_get(), sysconf(_SC_LEVEL2_CACHE_SIZE)", check_rings },
	{ "clocks", "/sys/devices/system/clocksource/clocksource0", check_clocks },
};

/* Run checks that may add several findings; one that adds none found nothing wrong. */
static void
rows_run(struct examined *x, const struct doctor_row *rows, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		const unsigned int first = x->findings->n;

		x->findings->check = rows[i].name;
		x->findings->n_checks++;
		rows[i].check(x);
		if (x->findings->n == first)
			doctor_finding_add(x->findings, DOCTOR_OK, "%s", rows[i].fine);
		for (unsigned int at = first; at < x->findings->n; at++)
			if (x->findings->list[at].source[0] == '\0')
				doctor_finding_source(&x->findings->list[at], "%s", rows[i].source);
	}
}

void
doctor_examine(const char *root, const struct doctor_use *use, struct doctor_findings *findings)
{
	struct examined x = { .root = root, .use = use, .findings = findings };

	CPU_ZERO(&x.cpus);
	for (unsigned int i = 0; i < use->n_lcores; i++)
		CPU_OR(&x.cpus, &x.cpus, &use->lcores[i].cpus);
	x.n_cards = pci_card_list(root, &x.cards);
	rows_run(&x, doctor_cards_rows, doctor_cards_n);
	rows_run(&x, doctor_ports_rows, doctor_ports_n);
	free(x.cards);
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
		struct doctor_finding *f;

		findings->check = checks[i].name;
		findings->n_checks++;
		f = doctor_finding_add(findings, DOCTOR_OK, "%s", "");
		doctor_finding_source(f, "%s", checks[i].source);
		checks[i].check(&x, f);
	}
}
