/* Prints the named generate streams: what was asked of each, and what it has reached. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/engine.h"
#include "engines/measure/lanes.h"

/*
 * Print all lanes with their figures of the current or last run that sent them, and the sums of these.
 * Thread: control, also while the run is in progress.
 */
void lane_show(const struct lanes *lanes, struct out *o);

/* part() of struct engine: the lanes. */
bool lane_part(const void *config, unsigned int i, struct engine_part *to);
