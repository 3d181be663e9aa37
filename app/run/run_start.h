/* Starting and stopping a run. forward.h prints what testpmd prints meanwhile. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct run;

/*
 * Plan a run of the chosen engine and make its streams, in place of those of the last run. Errors:
 * EALREADY "Packet forwarding already started"; ENETDOWN "Not all ports were started"; EINVAL for
 * an engine that the queues cannot serve; what init() of the engine says; ENOMEM. Thread: control,
 * all of this file.
 */
int run_prepare(struct run *r, struct err *e);

/*
 * Let the workers begin with what run_prepare() made. tx_first: bursts that every stream sends by
 * txonly before, 0: none. Errors: as run_launch(); EINTR a signal came before all the bursts; then
 * the engine has let go of the streams.
 */
int run_begin(struct run *r, unsigned int tx_first, struct err *e);

/*
 * Whether a start has no stop yet: lcores forward, or a secondary lends them. Thread: any; of a
 * run, with the lock.
 */
bool run_busy(const struct run *r);

/*
 * Let the workers leave their loops, and wait for it. Returns the TSC at which the last of them did:
 * what the control thread needs to notice is no time that they had. In a secondary process: now.
 */
uint64_t run_halt(struct run *r);

/* Stop the workers and let the engine finish; run_busy() before. Streams and counters stay. */
void run_stop(struct run *r);

/* Stop if need be, and free all, configuration of the engines included. */
void run_end(struct run *r);

/* Free the streams of the last run. */
void run_close(struct run *r);
