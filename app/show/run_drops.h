/* explain drops: where packets of a run were lost, and what to do about it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct run;

/*
 * Tell of every place where the run, or the last one, has lost packets: ports that missed them, pools
 * that were empty, ports that took no more, errors, the engine's own. JSON: {"causes": [{"port",
 * "cause", "packets", "text"}]}. Errors: ENOENT there was no run. Thread: control.
 */
int run_drops_explain(const struct run *r, struct err *e);
