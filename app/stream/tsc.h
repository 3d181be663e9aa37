/* The frequency of the TSC: one for the whole program. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;

/* A moment by the TSC and by the kernel's CLOCK_MONOTONIC_RAW. */
struct tsc_moment {
	uint64_t tsc, ns;
};

/* Read both clocks. Thread: any, also before EAL. */
struct tsc_moment tsc_moment_now(void);

/*
 * Return the ticks of the TSC per second of the kernel's clock, since a moment that the caller took. It
 * waits until 10 ms have passed since then, so with a moment before EAL's start it does not wait.
 * main() calls this once, and stores the result in struct ports; runs and streams have copies. Nothing
 * else asks DPDK, which rounds its own value to 10 MHz on many processors: at 2.596 GHz every rate
 * would be 0.15 % wrong, and two parts of the program would report different rates.
 *
 * Accuracy: two readings, each to some 10 ns, so a millionth after 100 ms; in addition, the deviation of
 * the kernel's clock. If the result differs from DPDK's value by more than 1 %, it is measured again, for
 * 10 ms, and the second result counts: the kernel's clock is the one that the user reads. Then e says
 * that the two differ, or that the frequency changes, for a warning; else e is unchanged. If the
 * kernel's clock does not advance, DPDK's value is returned, with e. Thread: control, after EAL's start.
 */
double tsc_hz_since(const struct tsc_moment *begin, struct err *e);
