/* From what was chosen to the plan of a run: by queues, or by traffic classes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct engine;
struct err;
struct plan;
struct run;

/*
 * Make the plan that a start of the engine would use now; free it with plan_free(). Errors: as
 * plan_make(), run_classes_plan(). Thread: control.
 */
int run_plan(const struct run *r, const struct engine *engine, struct plan *plan, struct err *e);
