/* Measures the frequency of the TSC. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/tsc.h"

#include <rte_cycles.h>

#include <math.h>
#include <stdint.h>
#include <time.h>

#define MEASURE_NS 10000000
#define READINGS 20

/* A moment by both clocks. */
struct moment {
	uint64_t tsc, ns;
};

/* Read both clocks. Of several readings, the shortest one was not interrupted. */
static struct moment
moment_now(void)
{
	struct moment found = { 0 };
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

double
tsc_hz_measure(void)
{
	const double estimate = (double)rte_get_tsc_hz();
	const struct timespec pause = { .tv_nsec = MEASURE_NS };
	const struct moment begin = moment_now();
	struct moment end;
	double hz;

	nanosleep(&pause, NULL);
	end = moment_now();
	hz = (double)(end.tsc - begin.tsc) * 1e9 / (double)(end.ns - begin.ns);
	return fabs(hz / estimate - 1) < 0.01 ? hz : estimate;
}
