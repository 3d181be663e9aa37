/* The statistics of a pipeline, and the words for its modes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/engine.h"
#include "engines/ring/ring_state.h"

/*
 * The words of enum ring_mode, enum ring_stage and enum ring_spread, then NULL: settings' choices.
 */
extern const char *const ring_stats_modes[];
extern const char *const ring_stats_stages[];
extern const char *const ring_stats_spreads[];

/* The word for how one direction's rings work: "copy" or "zc", or the pipeline's "compressed". */
const char *ring_stats_mode(const struct ring_pipeline *p, bool zero_copy);

/* How it was put together, its I/O lcores, its workers, and each stream's rings. */
extern const struct engine_group ring_stats_groups[5];
