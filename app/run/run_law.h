/* Check the packet balance of every stopped stream: rx + made == tx + tx_dropped + absorbed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct run;

/*
 * Print a line for each stream of the last run whose counters do not balance, and add the number of
 * these streams to r->broken. Thread: control, after the engine's fini().
 */
void run_law_check(struct run *r);
