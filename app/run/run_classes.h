/* Runs by traffic class: set dcb fwd_tc, set dcb fwd_tc_cores. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "stream/plan.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct run;

/*
 * From the next start on forward the classes of mask, a bit each, or give each class of each port so
 * many lcores; where ports have classes. Errors: -EBUSY while forwarding; -EINVAL zero. Thread:
 * control, all of this file.
 */
int run_classes_choose(struct run *r, uint64_t mask, struct err *e);
int run_classes_lcores(struct run *r, uint64_t each, struct err *e);

/* Show both. JSON: {"classes": [0, ...], "lcores_each": 1}. */
void run_classes_show(const struct run *r);

/* Whether the plan is made by classes: some were chosen, and a used port has some. */
bool run_classes_decide(const struct run *r, const struct plan_choice *c);

/*
 * Make that plan. Errors: as plan_classes_make(); -EINVAL a port without classes; what its driver
 * says.
 */
int run_classes_plan(const struct run *r, const struct plan_choice *c, struct plan *plan,
	struct err *e);
