/* Runs by traffic class: set dcb fwd_tc, set dcb fwd_tc_cores. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "stream/plan.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct run;

/*
 * From the next start on, forward the classes of mask, or use `each` lcores per class and port, on
 * ports with classes. EBUSY while forwarding; EINVAL: zero. Thread: control, for all of this file.
 */
int run_classes_choose(struct run *r, uint64_t mask, struct err *e);
int run_classes_lcores(struct run *r, uint64_t each, struct err *e);

/* Print both settings. JSON: {"classes": [0, ...], "lcores_each": 1}. */
void run_classes_show(const struct run *r);

/* Return whether to plan by classes: a choice was made, and a used port has classes. */
bool run_classes_decide(const struct run *r, const struct plan_choice *c);

/*
 * Make the plan by classes. Errors: as plan_classes_make(); EINVAL: a port without classes; the
 * driver's errors.
 */
int run_classes_plan(const struct run *r, const struct plan_choice *c, struct plan *plan,
	struct err *e);
