/* A run in words: its configuration in testpmd's format, a one-line summary, and explain drops. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct run;

/*
 * `show config fwd`: the plan of the current run, or the plan that start would use now. Errors:
 * those of run_plan(). Thread: control, all of this file.
 */
int run_show_fwd(struct run *r, struct err *e);

/*
 * Print one line with the ring sizes, pool and cache that the user did not set; nothing if all were
 * set. JSON: "defaults".
 */
void run_show_defaults(const struct run *r);

/* `show config rxtx`: engine, burst, and per port the queues, thresholds and offloads. */
void run_show_rxtx(const struct run *r);

/* `show config cores`: the forwarding lcores. */
void run_show_cores(const struct run *r);

/* `show config txpkts`, `show config txtimes`: the packets that txonly and flowgen create. */
void run_show_txpkts(const struct run *r);
void run_show_txtimes(const struct run *r);
