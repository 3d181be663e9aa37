/* explain drops: where a run lost packets, what is known about the cause, and what to do. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct run;

/*
 * List every cause of packet loss in the current or last run: missed packets, empty pools, refused
 * packets, errors, the engine's own drop counters, packets lost on the way, and packets that were
 * due and not sent. JSON: {"causes": [{"port", "cause", "packets", "text"}], and the rows of struct
 * run_account}. Errors: ENOENT if there was no run. Thread: control.
 */
int run_drops_explain(struct run *r, struct err *e);
