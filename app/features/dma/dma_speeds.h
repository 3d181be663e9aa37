/* The speeds of DMA engines and of the CPU that a placement uses: measured, of a file, or assumed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/dma/dma_topology.h"

struct interrupt;
struct out;

/*
 * Measure each engine of a topology that is a DMA device of this machine and whose speed is unknown,
 * and the CPU: 2048 and 8192 bytes, cold memory, in less than 0.1 s for each engine. An engine that
 * hangs takes two seconds. None is begun after 0.5 s. Prints a line for each engine that cannot be
 * measured (it is in use, lcores forward, or its copies fail), and one for those that were not begun.
 * Such speeds stay unknown. Thread: control, while nothing is placed.
 */
void dma_speeds_measure(struct dma_topology *t, double tsc_hz, struct out *out,
	struct interrupt *interrupt);

/* Print a line with the speeds and where each comes from. Thread: control. */
void dma_speeds_say(const struct dma_topology *t, struct out *out);
