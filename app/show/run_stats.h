/* Forward statistics per stream, per port and in total, in testpmd's format or as JSON. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct run;

/*
 * `show fwd stats all`, and the statistics part of stop. Port statistics are ethdev counters since
 * start or clear; stream statistics are counted by the workers. Thread: control.
 */
void run_stats_show(const struct run *r);
