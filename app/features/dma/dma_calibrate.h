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

struct dma_calibrate_ask {
	const struct settings *settings;
	const char *dev;
	const char *csv; /* file for all results; NULL: none */
	bool measure;    /* compare all modes with the current thresholds; else find thresholds */
	bool apply;      /* set the found thresholds */
	struct out *out;
	int interrupt_fd;
};

/*
 * Measure, show a table, and find the near and far thresholds for the setting dma-memory. JSON:
 * {"device", "min_len": {"near", "far"}, "points": [{"where", "memory", "bytes", "mode", "cycles",
 * "gbit"}]}. Errors: those of dma_measure() and of the file; EINVAL apply on a device without
 * thresholds. Thread: control.
 */
int dma_calibrate(const struct dma_calibrate_ask *ask, struct err *e);
