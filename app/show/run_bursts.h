/* Full burst histograms and counters per stream, which testpmd does not have. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct run;

/*
 * `show fwd bursts`: the histogram of every stream: for each size that occurred the calls and
 * their share in Rx and Tx, then quantiles. A terminal that is wide enough shows bars too.
 */
void run_bursts_show(const struct run *r);

/* `show fwd counters`: every counter of every stream, including the engine's own. */
void run_bursts_counters(const struct run *r);
