/* Statistics of a run in testpmd's format: per stream and per port, of mirrors, and burst sizes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct run;

/*
 * `show port mirror`. JSON: {"mirrors":[{"from", "to", "queues":[{"rx_queue", "tx_queue",
 * "lcore", "manner", "reason", "received", "sent", "no_mbuf", "full", "segments"}]}],
 * "pool_in_use"}. Thread: control, all of this file.
 */
void run_mirror_show_all(const struct run *r);

/* Forward statistics per stream, per port and in total, in testpmd's format or as JSON. */

/*
 * `show fwd stats all`, and the statistics part of stop. Port statistics are ethdev counters since
 * start or clear; stream statistics are counted by the workers. Thread: control.
 */
void run_stats_show(const struct run *r);

/* Full burst histograms and counters per stream, which testpmd does not have. */

/*
 * `show fwd bursts`: the histogram of every stream: for each size that occurred the calls and
 * their share in Rx and Tx, then quantiles. A terminal that is wide enough shows bars too.
 */
void run_bursts_show(const struct run *r);

/* `show fwd counters`: every counter of every stream, including the engine's own. */
void run_bursts_counters(const struct run *r);
