/* Forward statistics: per stream, per port and in all, in testpmd's words or as JSON. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct run;

/*
 * `show fwd stats all`, and the statistics part of stop. Port statistics come from the ethdev counters
 * since start or clear, stream statistics from the workers' own. Thread: control, all of this file.
 */
void run_stats_show(const struct run *r);
