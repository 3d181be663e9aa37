/* The statistics of a pipeline, and the names of its modes, stages and spreads. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/engine.h"
#include "engines/ring/ring_state.h"

/*
 * The names for enum ring_mode, enum ring_stage and enum ring_spread, ending with NULL, for the
 * choices of settings.
 */
extern const char *const ring_stats_modes[];
extern const char *const ring_stats_stages[];
extern const char *const ring_stats_spreads[];

/* The mode of the rings of one direction: "copy", "zc" or "compressed". */
const char *ring_stats_mode(const struct ring_pipeline *p, bool zero_copy);

/*
 * Groups: the pipeline, its I/O lcores, its workers, their hardware counters, each stream's rings.
 */
extern const struct engine_group ring_stats_groups[5];
