/* From what copies cost to thresholds: `dma calibrate`, and its tables. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/dma/dma_measure.h"

/*
 * The least length from which on the engine is cheaper at all lengths that were measured; UINT32_MAX:
 * there is none. cpu, dma: cycles at bytes[0..n), ascending. Thread: any.
 */
uint32_t dma_calibrate_min_len(const uint32_t *bytes, const double *cpu, const double *dma,
	unsigned int n);

struct dma_calibrate_ask {
	const struct settings *settings;
	const char *dev;
	const char *csv; /* file of all points; NULL: none */
	bool measure;    /* modes side by side, thresholds as they are; else find thresholds */
	bool apply;      /* and set them */
	struct out *out;
	int interrupt_fd;
};

/*
 * Measure, find thresholds, near and far, for the memory that dma-memory says, show a table; JSON: {"device",
 * "min_len": {"near", "far"}, "points": [{"where", "memory", "bytes", "mode", "cycles", "gbit"}]}.
 * Errors: of dma_measure() and of the file; EINVAL apply on a device without thresholds. Thread:
 * control.
 */
int dma_calibrate(const struct dma_calibrate_ask *ask, struct err *e);
