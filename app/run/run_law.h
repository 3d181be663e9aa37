/* The law of every stopped stream: rx + made == tx + tx_dropped + absorbed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct run;

/*
 * Print a line for each stream of the run that just ended whose counters lost or invented packets,
 * and add to r->broken how many those are. Thread: control, after the engine's fini().
 */
void run_law_check(struct run *r);
