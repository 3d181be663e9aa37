/* Count hardware events in windows of consecutive passes with packets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/hw_counters.h"

#include "base/out.h"

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_malloc.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	WINDOW_MAX = 1024, /* passes */
	OWN_ROUNDS = 9,
};

#define EVENT(which, text) \
	{ \
		.name = #which, .unit = "events", .optional = true, .help = text, \
		.at = offsetof(struct hw_count, event) + HW_##which * sizeof(counter) \
	}

/* Indices by the names of pmu_names, for EVENT(). */
enum {
	HW_cycles = PMU_CYCLES,
	HW_instructions = PMU_INSTRUCTIONS,
	HW_stalled_frontend = PMU_STALLED_FRONTEND,
	HW_stalled_backend = PMU_STALLED_BACKEND,
	HW_l1d_refills = PMU_L1D_REFILLS,
	HW_l1d_writebacks = PMU_L1D_WRITEBACKS,
	HW_l2_refills = PMU_L2_REFILLS,
	HW_l2_writebacks = PMU_L2_WRITEBACKS,
	HW_l3_refills = PMU_L3_REFILLS,
	HW_mc_requests = PMU_MC_REQUESTS,
};

static const struct stat_row rows[] = {
	{ .name = "packets",
		.help = "packets received or created while the hardware counters counted",
		.at = offsetof(struct hw_count, packets) },
	EVENT(cycles, "CPU cycles spent on these packets"),
	EVENT(instructions, "retired instructions"),
	EVENT(stalled_frontend, "cycles stalled in the frontend: no instruction was available"),
	EVENT(stalled_backend, "cycles stalled in the backend: no instruction could proceed"),
	EVENT(l1d_refills, "cache lines loaded into the L1 data cache"),
	EVENT(l1d_writebacks, "modified cache lines written back from the L1 data cache"),
	EVENT(l2_refills, "cache lines loaded into the L2 cache"),
	EVENT(l2_writebacks, "modified cache lines written back from the L2 cache"),
	EVENT(l3_refills, "cache lines loaded into the L3 cache"),
	EVENT(mc_requests,
		"requests to all memory controllers of the machine (only in the first lcore's row)"),
};

const struct stat_table hw_count_stats = { "hardware", rows, ARRAY_SIZE(rows), false };
const struct stat_table hw_count_worker_stats = { "pipeline_worker_hardware", rows,
	ARRAY_SIZE(rows), false };

struct hw_counters *
hw_counters_new(const struct pmu_choice *what, int socket)
{
	struct hw_counters *h = rte_zmalloc_socket("hw_counters", sizeof(*h), CACHE_PAIR, socket);

	if (h == NULL)
		return NULL;
	if (what != NULL)
		h->what = *what;
	hw_counters_inherit(h);
	return h;
}

void
hw_counters_free(struct hw_counters *h)
{
	if (h == NULL)
		return;
	hw_counters_close(h);
	for (unsigned int i = 0; i < h->n_controllers; i++)
		if (h->controller[i] >= 0)
			close(h->controller[i]);
	rte_free(h);
}

void
hw_counters_close(struct hw_counters *h)
{
	for (unsigned int i = 0; h->begun && i < PMU_LCORE; i++)
		if (h->fd[i] >= 0)
			close(h->fd[i]);
	hw_counters_inherit(h);
}

void
hw_counters_inherit(struct hw_counters *h)
{
	h->begun = false;
	h->window = (struct hw_window){ .length = 1 };
	memset(h->part, 0, sizeof(h->part));
}

/* Open the first event of a counter that the kernel accepts. Returns its descriptor, or -errno. */
static int
open_one(const struct pmu_choice *what, unsigned int which)
{
	int fd = -ENOENT;

	for (unsigned int k = 0; k < what->lcore[which].n && fd < 0; k++)
		fd = pmu_open(&what->lcore[which].event[k]);
	return fd;
}

static void
read_all(const struct hw_counters *h, struct pmu_reading *at)
{
	for (unsigned int i = 0; i < PMU_LCORE; i++)
		if (h->fd[i] < 0 || !pmu_read(h->fd[i], &at[i]))
			at[i] = (struct pmu_reading){ 0 };
}

static int
ascending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Measure what reading the counters itself costs: the median of some rounds. */
static void
own_measure(struct hw_counters *h)
{
	struct pmu_reading at[OWN_ROUNDS + 1][PMU_LCORE];
	uint64_t n[OWN_ROUNDS];

	for (unsigned int round = 0; round <= OWN_ROUNDS; round++)
		read_all(h, at[round]);
	for (unsigned int i = 0; i < PMU_LCORE; i++) {
		for (unsigned int round = 0; round < OWN_ROUNDS; round++)
			n[round] = at[round + 1][i].value - at[round][i].value;
		qsort(n, OWN_ROUNDS, sizeof(n[0]), ascending);
		h->own[i] = n[OWN_ROUNDS / 2];
	}
}

static void
begin(struct hw_counters *h)
{
	uint32_t has = 0;

	for (unsigned int i = 0; i < PMU_LCORE; i++) {
		h->fd[i] = open_one(&h->what, i);
		if (h->fd[i] >= 0)
			has |= 1u << i;
	}
	h->begun = true;
	own_measure(h);
	atomic_store_explicit(&h->has, has, memory_order_relaxed);
}

/*
 * Add the events of the current window. If the kernel multiplexes the counter, its value is scaled
 * to the full time, as soon as it was scheduled at all.
 */
static void
event_add(struct hw_counters *h, unsigned int i, const struct pmu_reading *now,
	struct hw_count *count)
{
	const struct pmu_reading *at = &h->window.at[i];
	const uint64_t value = now->value - at->value;
	struct pmu_reading *part = &h->part[i];

	part->value += value - RTE_MIN(value, h->own[i]);
	part->enabled += now->enabled - at->enabled;
	part->running += now->running - at->running;
	if (part->running == 0)
		return;
	if (part->running != part->enabled)
		part->value = (uint64_t)((double)part->value * (double)part->enabled /
			(double)part->running);
	counter_add(&count->event[i], part->value);
	*part = (struct pmu_reading){ 0 };
}

/* Count a complete window, and begin the next one where it ended. */
static void
window_count(struct hw_counters *h, uint64_t packets)
{
	const uint32_t version = atomic_load_explicit(&h->version, memory_order_relaxed);
	struct hw_count *next = &h->count[(version + 1) & 1];
	struct pmu_reading now[PMU_LCORE];

	read_all(h, now);
	/* Who still reads next sees the version that made it old. */
	atomic_thread_fence(memory_order_release);
	stat_read(next, &h->count[version & 1], sizeof(*next));
	for (unsigned int i = 0; i < PMU_LCORE; i++)
		if (h->fd[i] >= 0)
			event_add(h, i, &now[i], next);
	counter_add(&next->packets, packets - h->window.packets);
	atomic_store_explicit(&h->version, version + 1, memory_order_release);
	h->window.length = RTE_MIN(2 * h->window.length, (unsigned int)WINDOW_MAX);
	h->window.passes = 0;
	h->window.packets = packets;
	memcpy(h->window.at, now, sizeof(now));
}

static void
window_begin(struct hw_counters *h, uint64_t packets)
{
	h->window.open = true;
	h->window.passes = 0;
	h->window.packets = packets;
	read_all(h, h->window.at);
}

void
hw_counters_pass(struct hw_counters *h, unsigned int switched, uint64_t packets, uint64_t work)
{
	const bool had = work != h->work;

	h->work = work;
	if (!h->begun)
		begin(h);
	if (atomic_load_explicit(&h->has, memory_order_relaxed) == 0)
		return;
	if (h->seen != switched || !h->window.open) {
		h->seen = switched;
		window_begin(h, packets);
	} else if (!had) {
		if (h->window.passes > 0)
			h->window.length = RTE_MAX(h->window.length / 2, 1u);
		window_begin(h, packets);
	} else if (++h->window.passes >= h->window.length) {
		window_count(h, packets);
	}
}

void
hw_counters_machine(struct hw_counters *h)
{
	if (h->n_controllers > 0)
		return;
	for (unsigned int i = 0; i < h->what.n_controllers; i++)
		h->controller[i] = pmu_open(&h->what.controller[i]);
	h->n_controllers = h->what.n_controllers;
}

/* Return the sum of all controllers; STAT_NONE if one of them cannot be read. */
static uint64_t
controllers_read(const struct hw_counters *h)
{
	struct pmu_reading one;
	uint64_t sum = 0;

	if (h->n_controllers == 0 || rte_eal_process_type() != RTE_PROC_PRIMARY)
		return STAT_NONE;
	for (unsigned int i = 0; i < h->n_controllers; i++) {
		if (h->controller[i] < 0 || !pmu_read(h->controller[i], &one))
			return STAT_NONE;
		sum += one.running > 0 && one.running < one.enabled
			? (uint64_t)((double)one.value * (double)one.enabled / (double)one.running)
			: one.value;
	}
	return sum;
}

void
hw_counters_read(const struct hw_counters *h, struct hw_count *count)
{
	const uint32_t has = atomic_load_explicit(&h->has, memory_order_relaxed);
	uint32_t version;

	do {
		version = atomic_load_explicit(&h->version, memory_order_acquire);
		stat_read(count, &h->count[version & 1], sizeof(*count));
		atomic_thread_fence(memory_order_acquire);
	} while (atomic_load_explicit(&h->version, memory_order_relaxed) != version);
	for (unsigned int i = 0; i < PMU_LCORE; i++)
		if ((has & 1u << i) == 0)
			atomic_store_explicit(&count->event[i], STAT_NONE, memory_order_relaxed);
	atomic_store_explicit(&count->event[PMU_MC_REQUESTS], controllers_read(h),
		memory_order_relaxed);
}

void
hw_counters_show(struct out *o, const struct hw_count *count)
{
	static const char *const formats[PMU_COUNTERS] = { [PMU_CYCLES] = "cycles %.2f",
		[PMU_INSTRUCTIONS] = ", instructions %.2f",
		[PMU_STALLED_FRONTEND] = ", stalled frontend %.2f",
		[PMU_STALLED_BACKEND] = ", stalled backend %.2f",
		[PMU_L1D_REFILLS] = ", L1D refills %.3f",
		[PMU_L1D_WRITEBACKS] = ", L1D write-backs %.3f",
		[PMU_L2_REFILLS] = ", L2 refills %.3f",
		[PMU_L2_WRITEBACKS] = ", L2 write-backs %.3f",
		[PMU_L3_REFILLS] = ", L3 refills %.4f",
		[PMU_MC_REQUESTS] = ", memory requests %.4f" };
	const uint64_t packets = counter_read(&count->packets);
	uint64_t n[PMU_COUNTERS];

	for (unsigned int i = 0; i < PMU_COUNTERS; i++) {
		n[i] = counter_read(&count->event[i]);
		if (packets > 0 && n[i] != STAT_NONE)
			out_f64_fmt(o, pmu_names[i], formats[i], (double)n[i] / (double)packets);
	}
	if (packets > 0 && n[PMU_CYCLES] != STAT_NONE && n[PMU_INSTRUCTIONS] != STAT_NONE &&
		n[PMU_CYCLES] > 0)
		out_f64(o, "ipc", ", IPC %.2f",
			(double)n[PMU_INSTRUCTIONS] / (double)n[PMU_CYCLES]);
}

int
hw_counters_probe(const struct pmu_choice *what)
{
	int error = ENOENT;

	for (unsigned int i = 0; i < PMU_LCORE; i++) {
		const int fd = open_one(what, i);

		if (fd >= 0) {
			close(fd);
			return 0;
		}
		if (fd != -ENOENT)
			error = -fd;
	}
	return error;
}
