/* The thread that moves frames, of MODEL_NIC_MODE=thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/*
 * Start it; a second start does nothing, nor does one in the other mode. poll: moves frames once
 * and returns how many; awake: there is something to poll. Both run on the thread. Returns 0 or
 * -errno.
 */
int mover_start(unsigned (*poll)(void), bool (*awake)(void));

/* End it. Idempotent. Thread: any but the mover. */
void mover_stop(void);

/* Whether a thread may run there: such a CPU exists, and nobody keeps this process from it. */
bool mover_cpu_usable(int cpu);

/* There is something to poll again. Thread: any, signal handlers too. */
void mover_wake(void);
