/* Check before a start that the chosen engine can run, and its plan. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct plan;
struct run;

/*
 * Check that a run of the chosen engine may begin. EINVAL: the engine needs other queues; ENETDOWN:
 * a port is not started; EALREADY. Thread: control, for all of this file.
 */
int run_check_start(const struct run *r, struct err *e);

/*
 * Check the plan. EINVAL: two lcores would poll one shared Rx queue, and e names both streams; or
 * several lcores would use a mempool driver without locks.
 */
int run_check_plan(const struct run *r, const struct plan *plan, struct err *e);

/* Warn of pools that give an lcore no buffers, and of receive functions that return packets twice. */
void run_check_warn(const struct run *r, const struct plan *plan);
