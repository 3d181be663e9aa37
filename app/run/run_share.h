/* Whether a plan leaves each shared Rx queue to one lcore. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct plan;
struct run;

/*
 * EINVAL with the two streams and what to do, when two lcores would poll one shared queue. Thread:
 * control.
 */
int run_share_check(const struct run *r, const struct plan *plan, struct err *e);
