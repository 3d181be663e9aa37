/* top: live rates of all streams, on a full screen with keys, or as plain lines without a
 * terminal. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct interrupt;
struct run;

#define TOP_PERIOD_MIN 0.1 /* seconds */
#define TOP_PERIOD_MAX 3600

/*
 * Show the streams of the current or last run every period seconds, count times; with count 0 until
 * q, ^C or a signal, which is not consumed, or one sample in JSON. Keys can change the settings
 * record-burst-stats and record-core-cycles. Errors: ENOENT if forwarding was never started and
 * there is no full screen; ENOMEM. Thread: control.
 */
int top_run(struct run *r, struct interrupt *interrupt, double period, uint64_t count,
	struct err *e);
