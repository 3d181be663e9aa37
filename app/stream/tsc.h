/* The frequency of the TSC. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Measure the ticks of the TSC per second of CLOCK_MONOTONIC_RAW, to some millionths. DPDK rounds its
 * estimate to 10 MHz on many processors: at 2.596 GHz every rate would be 0.15 % wrong. Takes 10 ms.
 * Returns DPDK's estimate if the two disagree by more than 1 %. Thread: control.
 */
double tsc_hz_measure(void);
