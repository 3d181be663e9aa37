/* Before libc: a CPU that counts its hardware's events, though none does. Each runs on with the
 * thread's CPU time, at a rate of its own: its number, per nanosecond. The time stands between two
 * readings of the cycles, so that all counters that are read after them are in proportion. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/perf_source.h"

#include <stddef.h>
#include <time.h>

/* Raw events: what tests name so. The kernel's cycles have 1000, its instructions 2000. */
bool
perf_source_event(const struct perf_event_attr *attr, int cpu, struct perf_source_reading *reading)
{
	const bool cycles = attr->type == PERF_TYPE_HARDWARE &&
		attr->config == PERF_COUNT_HW_CPU_CYCLES;
	static _Thread_local uint64_t thread_ns; /* 0: it reads no cycles */
	struct timespec t;
	uint64_t rate = attr->config, ns;

	if (attr->type == PERF_TYPE_HARDWARE && attr->config <= PERF_COUNT_HW_INSTRUCTIONS)
		rate = cycles ? 1000 : 2000;
	else if (attr->type != PERF_TYPE_RAW || attr->config >= 1000)
		return false;
	if (reading == NULL)
		return true;
	clock_gettime(cpu < 0 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
	ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	if (cycles)
		thread_ns = ns;
	else if (cpu < 0 && thread_ns > 0)
		ns = thread_ns;
	*reading = (struct perf_source_reading){ ns * rate, ns, ns };
	return true;
}
