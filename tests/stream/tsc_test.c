/* The measured frequency of the TSC. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/tsc.h"

#include "base/base.h"
#include "fixtures/eal.h"
#include "fixtures/unit.h"

#include <rte_cycles.h>

#include <math.h>
#include <stdint.h>
#include <time.h>

/* The frequency of the TSC is that of the kernel's clock over a longer time: DPDK's is rounded. */
TEST(frequency)
{
	const struct timespec pause = { .tv_nsec = 300000000 };
	struct timespec before, after;
	const double hz = tsc_hz_measure();
	uint64_t begin, end;

	clock_gettime(CLOCK_MONOTONIC_RAW, &before);
	begin = rte_rdtsc();
	nanosleep(&pause, NULL);
	clock_gettime(CLOCK_MONOTONIC_RAW, &after);
	end = rte_rdtsc();
	/* The two readings of a pair may be interrupted, for 30 us here. */
	assert_true(fabs((double)(end - begin) /
				    ((double)(after.tv_sec - before.tv_sec) +
					    (double)(after.tv_nsec - before.tv_nsec) / 1e9) /
				    hz -
			    1) < 1e-4);
}

/* EAL has the estimate with which the measured frequency is compared. */
static int
begin(void **state)
{
	return eal_open("64", "0", "--iova-mode=va");
}

TESTS(.setup = begin, .teardown = eal_close);
