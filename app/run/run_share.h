/* Check that a plan polls each shared Rx queue from one lcore only. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct plan;
struct run;

/*
 * Check the plan. EINVAL: two lcores would poll one shared queue; e names both streams. Thread:
 * control.
 */
int run_share_check(const struct run *r, const struct plan *plan, struct err *e);
