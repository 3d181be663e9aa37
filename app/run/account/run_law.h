/* Check the packets of a run that ended. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct run;

/*
 * Print a line for each stream of the last run whose counters do not balance, and one if its account
 * does not: rx + made == tx + tx_dropped + absorbed for a stream, run_account.h for the account. Adds
 * the number of lines to r->broken. Thread: control, after the engine's fini().
 */
void run_law_check(struct run *r);
