/* Let ports that get packets of several segments send them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct err;
struct run;

/*
 * Before a run, find the ports that get packets of several segments: a port that they come from splits
 * them, scatters frames that are longer than its buffers, or joins them. Where the Tx function would
 * not send all segments, restart the port with the offload multi_segs; without it again if a run
 * switched it on and this one needs it not. Prints a line per restarted port. tx_first: the run begins
 * with packets that are created. Errors: EOPNOTSUPP: the driver cannot send them; those of run_plan()
 * and of the ports. Thread: control.
 */
int run_segments_prepare(struct run *r, bool tx_first, struct err *e);
