/* Everything that is known of bursts and counters, per stream: beyond testpmd's lines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct run;

/*
 * `show fwd bursts`: the whole histogram of every stream: sizes that occurred, calls and shares
 * both ways, quantiles. A terminal that is wide enough gets bars beside the numbers.
 */
void run_bursts_show(const struct run *r);

/* `show fwd counters`: every counter of every stream, the engine's own too. */
void run_bursts_counters(const struct run *r);
