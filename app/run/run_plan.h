/* Make the plan of the next run, by queues or by traffic classes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct engine;
struct err;
struct plan;
struct run;

/*
 * Make the plan that the engine would use if it started now; free it with plan_free(). Errors: as
 * plan_make() and run_classes_plan(). Thread: control.
 */
int run_plan(const struct run *r, const struct engine *engine, struct plan *plan, struct err *e);
