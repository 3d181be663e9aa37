/* Runs of every combination of settings and engines, round by round, and what they come to. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct compare_plan;
struct err;
struct run;

/*
 * Run every combination once in each round, at the ports and lcores that are chosen, in turns from
 * the first to the last and back, and show a table. A combination that cannot start is named with
 * the reason and left out of the rounds that follow. A signal on interrupt_fd, which stays waiting,
 * ends it with what there is. Settings and engine are then what they were. Errors: EBUSY while
 * forwarding; ENOTSUP in a secondary process; ENOMEM; what the first combination says when none can
 * start. Thread: control, all of this file.
 */
int compare_run(struct run *r, int interrupt_fd, const struct compare_plan *plan, struct err *e);
