/* compare: benchmarks every combination of settings and engines, several interleaved runs each. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct compare_plan;
struct err;
struct run;

/*
 * Run every combination once in each round on the current ports and lcores, in alternating order,
 * and show a table. A combination that cannot start is listed with the reason and skipped in later
 * rounds. A signal on interrupt_fd, which is not consumed, ends the comparison; the table then has
 * the runs so far. Settings and engine are restored. Errors: EBUSY while forwarding; ENOTSUP in a
 * secondary process; ENOMEM; the error of the first combination if none can start. Thread: control,
 * all of this file.
 */
int compare_run(struct run *r, int interrupt_fd, const struct compare_plan *plan, struct err *e);
