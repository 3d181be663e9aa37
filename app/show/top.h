/* top: all streams at work, on a full screen with keys, or as plain lines where there is no
 * terminal. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct run;

#define TOP_PERIOD_MIN 0.1 /* seconds */
#define TOP_PERIOD_MAX 3600

/*
 * Show the streams of the current or last run every period seconds, count times; 0: until q, ^C or
 * a signal, which stays waiting. In JSON one sample when count is 0. Keys may switch
 * record-burst-stats and record-core-cycles. Errors: ENOENT never started; ENOMEM. Thread: control.
 */
int top_run(struct run *r, int interrupt_fd, double period, uint64_t count, struct err *e);
