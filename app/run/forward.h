/* start and stop as commands: the run, and what testpmd says of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct run;

/*
 * Start forwarding and show testpmd's configuration blocks. tx_first: as run_begin(). Errors: as
 * run_prepare(), run_begin() and, in a secondary process, run_engines_lend(). Thread: control, all
 * of this file.
 */
int forward_start(struct run *r, unsigned int tx_first, struct err *e);

/* Stop and show the statistics. ENOENT "Packet forwarding not started". */
int forward_stop(struct run *r, struct err *e);

/* As forward_stop(), with a line about the run whatever the setting run-summary says. */
int forward_stop_summed(struct run *r, struct err *e);
