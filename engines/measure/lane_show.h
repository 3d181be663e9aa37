/* Prints the named generate streams: what was asked of each, and what it has reached. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/measure/lanes.h"

/*
 * Print all lanes with their figures of the current or last run that sent them, and the sums of these.
 * Thread: control, also while the run is in progress.
 */
void lane_show(const struct lanes *lanes, struct out *o);
