/* The plan of a run, and its choice of traffic classes: set dcb fwd_tc, set dcb fwd_tc_cores. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct args;
struct engine;
struct err;
struct plan;
struct run;

/*
 * set dcb fwd_tc <mask>, set dcb fwd_tc_cores <n>: from the next start on, forward the classes of
 * mask, or use n lcores per class and port, on ports with classes. EBUSY while forwarding; EINVAL: zero. Thread: control, for all of this file.
 */
int run_classes_choose(struct run *r, const struct args *a, struct err *e);
int run_classes_lcores(struct run *r, const struct args *a, struct err *e);

/* Print both settings. JSON: {"classes": [0, ...], "lcores_each": 1}. */
void run_classes_show(const struct run *r);

/*
 * Make the plan that the engine would use if it started now, by queues, or by classes if a choice
 * was made and a used port has classes; free it with plan_free(). Errors: as plan_make() and
 * plan_classes_make(); EINVAL: a port without classes; the driver's errors.
 */
int run_plan(const struct run *r, const struct engine *engine, struct plan *plan, struct err *e);

/*
 * Leave out, by plan_keep(), the streams of which a queue that they use is stopped; engines that
 * route still use the other queue. sends: they also send if the engine does not, for tx_first.
 * Errors: ENOMEM.
 */
int run_plan_started(const struct run *r, bool sends, struct plan *plan, struct err *e);
