/* Before libc: a CPU that counts its hardware's events, though none does. Each runs on with the
 * thread's CPU time, at a rate of its own: its number, per nanosecond. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/perf_source.h"

#include <stddef.h>
#include <time.h>

/* Raw events: what tests name so. The kernel's cycles have 1000, its instructions 2000. */
bool
perf_source_event(const struct perf_event_attr *attr, int cpu, struct perf_source_reading *reading)
{
	struct timespec t;
	uint64_t rate = attr->config, ns;

	if (attr->type == PERF_TYPE_HARDWARE && attr->config <= PERF_COUNT_HW_INSTRUCTIONS)
		rate = attr->config == PERF_COUNT_HW_CPU_CYCLES ? 1000 : 2000;
	else if (attr->type != PERF_TYPE_RAW || attr->config >= 1000)
		return false;
	if (reading == NULL)
		return true;
	clock_gettime(cpu < 0 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
	ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	*reading = (struct perf_source_reading){ ns * rate, ns, ns };
	return true;
}
