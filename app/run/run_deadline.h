/* End a run of a given duration on time: its lcores end it, even if the control thread is
 * delayed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/*
 * Polls do not read the clock for it: a kernel timer interrupts the lcore's thread at the deadline.
 * Each lcore arms its own timer, because the control thread may be preempted for seconds. The
 * signal handler only sets stop and ending, as the control thread does to end a run.
 */
struct run_deadline {
	uint64_t ms;         /* 0: none */
	int signal;          /* an otherwise unused signal; 0: not chosen yet */
	atomic_bool *stop;   /* of struct run */
	atomic_bool *ending; /* of struct run */
};

struct run_deadline_timer {
	const struct run_deadline *deadline;
	uint64_t end_tsc; /* a duration is in TSC cycles; the kernel's clock differs slightly */
	timer_t id;
	bool armed;
};

/*
 * Choose a signal if *d has none yet, and install its handler. Returns false if every real-time
 * signal already has a handler. Thread: control.
 */
bool run_deadline_prepare(struct run_deadline *d);

/*
 * Arm a timer that ends the run in d->ms from now. If the kernel gives no timer, only the control
 * thread ends the run. *d and *t must not move until disarmed. Thread: the lcore.
 */
void run_deadline_arm(const struct run_deadline *d, struct run_deadline_timer *t);

/* Delete the timer; its signal cannot arrive afterwards. Thread: the one that armed it. */
void run_deadline_disarm(struct run_deadline_timer *t);
