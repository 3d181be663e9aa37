/* The thread that moves frames in MODEL_NIC_MODE=thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <signal.h>
#include <stdbool.h>

/*
 * Start the thread; does nothing if it runs or in MODEL_NIC_MODE=step. poll: moves frames once and
 * returns their number; awake: returns true if there is something to poll. The thread calls both.
 * Returns 0 or -errno.
 */
int mover_start(unsigned (*poll)(void), bool (*awake)(void));

/* Stop the thread. Idempotent. Thread: any except the mover. */
void mover_stop(void);

/* True if the CPU exists and this process may use it. */
bool mover_cpu_usable(int cpu);

/* Wake the thread, as there is something to poll again. Thread: any, also from signal handlers. */
void mover_wake(void);

/*
 * Block all signals except those raised by faults, as each thread of the models does: signals are for
 * the application's threads. *old: the mask before.
 */
void mover_signals_block(sigset_t *old);
