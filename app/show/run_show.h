/* The configuration of a run in testpmd's format: show config, and the first lines of start. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct out;
struct run;

/*
 * `show config fwd`: the plan of the current run, or the plan that start would use now. Errors:
 * those of run_plan(). Thread: control, all of this file.
 */
int run_show_fwd(const struct run *r, struct err *e);

/* `show config rxtx`: engine, burst, and per port the queues, thresholds and offloads. */
void run_show_rxtx(const struct run *r);

/* `show config cores`: the forwarding lcores. */
void run_show_cores(const struct run *r);

/* `show config txpkts`, `show config txtimes`: the packets that txonly and flowgen create. */
void run_show_txpkts(const struct run *r);
void run_show_txtimes(const struct run *r);
