/* Measures the frequency of the TSC. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/tsc.h"

#include "base/err.h"

#include <rte_cycles.h>

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <time.h>

#define MEASURE_NS 10000000
#define READINGS 20
#define ODD 0.01    /* relative difference from DPDK's value that is reported */
#define CHANGE 1e-3 /* difference between two measurements of one frequency: 10 us of 10 ms */

/* Of several readings, the shortest one was not interrupted. */
struct tsc_moment
tsc_moment_now(void)
{
	struct tsc_moment found = { 0 };
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		const uint64_t before = rte_rdtsc();
		struct timespec t;
		uint64_t took;

		clock_gettime(CLOCK_MONOTONIC_RAW, &t);
		took = rte_rdtsc() - before;
		if (took >= shortest)
			continue;
		shortest = took;
		found.tsc = before + took / 2;
		found.ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	}
	return found;
}

static bool
differ(double a, double b, double most)
{
	return fabs(a / b - 1) > most;
}

/* Measure since a moment, at least MEASURE_NS. Returns 0 if the kernel's clock does not advance. */
static double
measure(const struct tsc_moment *begin)
{
	struct tsc_moment end = tsc_moment_now();
	const uint64_t passed = end.ns - begin->ns;

	if (passed < MEASURE_NS) {
		const struct timespec rest = { .tv_nsec = (long)(MEASURE_NS - passed) };

		nanosleep(&rest, NULL);
		end = tsc_moment_now();
	}
	if (end.ns <= begin->ns || end.tsc <= begin->tsc)
		return 0;
	return (double)(end.tsc - begin->tsc) * 1e9 / (double)(end.ns - begin->ns);
}

double
tsc_hz_since(const struct tsc_moment *begin, struct err *e)
{
	const double expected = (double)rte_get_tsc_hz(), first = measure(begin);
	struct tsc_moment again;
	double hz;

	if (!differ(first, expected, ODD))
		return first;
	/* The machine may have moved to another host between the two moments, or been suspended. */
	again = tsc_moment_now();
	hz = measure(&again);
	if (hz == 0) {
		err_set(e, EIO,
			"the kernel's clock does not advance: rates and times are by DPDK's frequency of the TSC, %.1f MHz",
			expected / 1e6);
		return expected;
	}
	if (differ(hz, expected, ODD))
		err_set(e, ERANGE,
			"the TSC runs at %.1f MHz by the kernel's clock, DPDK expects %.1f MHz: rates and times are by the kernel's clock, and waits of DPDK and its drivers take %.2f times as long",
			hz / 1e6, expected / 1e6, expected / hz);
	else if (first > 0 && differ(first, hz, CHANGE))
		err_set(e, ERANGE,
			"the TSC ran at %.1f MHz during the start, and now runs at %.1f MHz: rates and times are wrong if this goes on",
			first / 1e6, hz / 1e6);
	return hz;
}
