/* explain drops: where and why a run lost packets, and what to do about it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct run;

/*
 * List every cause of packet loss in the current or last run: missed packets, empty pools, full Tx
 * rings, errors, and the engine's own drop counters. JSON: {"causes": [{"port", "cause", "packets",
 * "text"}]}. Errors: ENOENT if there was no run. Thread: control.
 */
int run_drops_explain(const struct run *r, struct err *e);
