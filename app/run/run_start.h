/* Start and stop runs, with or without testpmd's lines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"
#include "engines/engine.h"
#include "run/run.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct run_cpu_thread;

/*
 * Wait for the links of the chosen ports, as port_links_await() does. run_start() does so too; call
 * it before what reads the speed of links, and to show the ports whose link is down once.
 */
int run_links_await(struct run *r, bool show, struct err *e);

/*
 * Start forwarding with the chosen engine; its streams replace those of the last run. tx_first:
 * number of bursts that each stream sends with txonly before. show: print testpmd's configuration
 * blocks. A secondary process lends its lcores instead. EALREADY: "Packet forwarding already
 * started"; ENETDOWN: "Not all ports were started"; EINVAL: the engine needs other queues; EINTR: a
 * signal arrived before all bursts, or while a link was waited for; ENOMEM; errors of the engine's
 * init(), run_launch() and run_engines_lend(). Thread: control, for all of this file.
 */
int run_start(struct run *r, unsigned int tx_first, bool show, struct err *e);

/*
 * Let the workers leave their loops, and wait for them. Returns the TSC at which the last of them
 * left, which excludes the control thread's delay; in a secondary process the current TSC.
 */
uint64_t run_halt(struct run *r);

/* Stop the workers and let the engine finish; needs run_busy(). Streams and counters are kept. */
void run_stop(struct run *r);

/*
 * Stop, and print the statistics. run_stop_show() adds a summary line if the setting run-summary is
 * on, run_stop_summary() always.
 * ENOENT: "Packet forwarding not started".
 */
int run_stop_show(struct run *r, struct err *e);
int run_stop_summary(struct run *r, struct err *e);

/* Stop if running, and free everything, including the engines' configurations. */
void run_end(struct run *r);

/* Free the streams of the last run, which must have ended. */
void run_close(struct run *r);
