/* `dma calibrate` and `dma measure`: tables of copy costs, and thresholds computed from them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/dma/dma_measure.h"

/*
 * The smallest length from which the engine is cheaper at all measured lengths; UINT32_MAX: none.
 * cpu, dma: cycles at bytes[0..n), ascending. Thread: any.
 */
uint32_t dma_calibrate_min_len(const uint32_t *bytes, const double *cpu, const double *dma,
	unsigned int n);
