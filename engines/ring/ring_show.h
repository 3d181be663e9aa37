/* `show pipeline`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/engine.h"
#include "engines/ring/ring_state.h"

struct out;

/* The statistics of a pipeline, and the names of its modes, stages and spreads. */

/*
 * The names for enum ring_mode, enum ring_stage and enum ring_spread, ending with NULL, for the
 * choices of settings.
 */
extern const char *const ring_stats_modes[];
extern const char *const ring_stats_stages[];
extern const char *const ring_stats_spreads[];

/*
 * Groups: the pipeline, its I/O lcores, its workers, their hardware counters, each stream's rings.
 */
extern const struct engine_group ring_stats_groups[5];

/*
 * show() of struct engine_helpers: lcores, modes, cycles and rings; in a secondary process those of
 * the primary's pipeline.
 */
int ring_show(struct stream *const *streams, unsigned int n, const void *config, struct out *o,
	struct err *e);
