/* Start and stop runs, without printing; forward.h prints testpmd's lines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct run;

/*
 * Plan a run of the chosen engine and make its streams, replacing those of the last run. EALREADY:
 * "Packet forwarding already started"; ENETDOWN: "Not all ports were started"; EINVAL: the engine
 * needs other queues; errors of the engine's init(); ENOMEM. Thread: control, for all of this file.
 */
int run_prepare(struct run *r, struct err *e);

/*
 * Launch the workers of run_prepare(). tx_first: number of bursts that each stream sends with
 * txonly before. Errors: as run_launch(); EINTR: a signal arrived before all bursts. After an error
 * the engine has finished the streams.
 */
int run_begin(struct run *r, unsigned int tx_first, struct err *e);

/*
 * Return whether lcores forward, or are lent by a secondary process. Thread: control, or any that
 * holds the run's lock.
 */
bool run_busy(const struct run *r);

/*
 * Let the workers leave their loops, and wait for them. Returns the TSC at which the last of them
 * left, which excludes the control thread's delay; in a secondary process the current TSC.
 */
uint64_t run_halt(struct run *r);

/* Stop the workers and let the engine finish; needs run_busy(). Streams and counters are kept. */
void run_stop(struct run *r);

/* Stop if running, and free everything, including the engines' configurations. */
void run_end(struct run *r);

/* Free the streams of the last run. */
void run_close(struct run *r);
