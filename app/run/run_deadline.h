/* How a run of so long ends on time: its lcores end it, whatever delays the control thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/*
 * No poll reads the clock for it: a timer of the kernel interrupts the lcore's thread at the deadline.
 * Each lcore arms its own timer, because one of the control thread would depend on that thread's CPU,
 * which another program may keep for seconds. The handler stores to stop and ending, as the control
 * thread does to end a run, and does nothing else.
 */
struct run_deadline {
	uint64_t ms;         /* 0: none */
	int signal;          /* a number that nothing else uses; 0: not chosen yet */
	atomic_bool *stop;   /* of struct run */
	atomic_bool *ending; /* of struct run */
};

struct run_deadline_timer {
	const struct run_deadline *deadline;
	uint64_t
		end_tsc; /* durations of runs are in cycles, and the kernel's clock differs a little */
	timer_t id;
	bool armed;
};

/*
 * Choose a signal for deadlines if *d has none yet, and install its handler. False: every real-time
 * signal has a handler. Thread: control.
 */
bool run_deadline_prepare(struct run_deadline *d);

/*
 * The calling thread has d->ms from now. If the kernel gives no timer, nothing is armed, and the
 * control thread alone ends the run. *d and *t stay where they are until disarmed.
 */
void run_deadline_arm(const struct run_deadline *d, struct run_deadline_timer *t);

/* Delete the timer; its signal does not come any more. Thread: the one that armed it. */
void run_deadline_disarm(struct run_deadline_timer *t);
