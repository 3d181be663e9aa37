/* The commands start and stop: begin or end a run and print what testpmd prints. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct run;

/*
 * Start forwarding and print testpmd's configuration blocks. tx_first: as run_begin(). Errors: as
 * run_prepare(), run_begin() and, in a secondary process, run_engines_lend(). Thread: control, for
 * all of this file.
 */
int forward_start(struct run *r, unsigned int tx_first, struct err *e);

/* Stop forwarding and print the statistics. ENOENT: "Packet forwarding not started". */
int forward_stop(struct run *r, struct err *e);

/* As forward_stop(), and print the summary line regardless of the setting run-summary. */
int forward_stop_summed(struct run *r, struct err *e);
