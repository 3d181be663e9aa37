/* Times from receive to result: a histogram whose cells are a sixteenth of their value wide, one
 * writer, read at any time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"

#include <stdint.h>

#define GPU_LATENCY_CELLS 640 /* up to 2^42 cycles */

struct gpu_latency {
	counter cell[GPU_LATENCY_CELLS]; /* written by the stream's worker alone */
};

/* The cell of so many TSC cycles; the last one has all that is longer. */
static inline unsigned int
gpu_latency_cell(uint64_t cycles)
{
	unsigned int power, cell;

	if (cycles < 16)
		return (unsigned int)cycles;
	power = 63 - (unsigned int)__builtin_clzll(cycles);
	cell = (power - 3) * 16 + (unsigned int)(cycles >> (power - 4) & 15);
	return cell < GPU_LATENCY_CELLS ? cell : GPU_LATENCY_CELLS - 1;
}

/* Count n packets that took so many TSC cycles. Thread: the one writer. */
static inline void
gpu_latency_add(struct gpu_latency *l, uint64_t cycles, uint64_t n)
{
	counter_add(&l->cell[gpu_latency_cell(cycles)], n);
}

/* The least cycles of a cell. */
uint64_t gpu_latency_least(unsigned int cell);

/*
 * The time, in TSC cycles, that permille/1000 of the packets did not exceed, by up to a sixteenth
 * more; 0: there was none. Thread: any.
 */
uint64_t gpu_latency_quantile(const struct gpu_latency *l, unsigned int permille);
