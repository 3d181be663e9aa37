/* Let all ports receive into a pool that the next run's engine chooses. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct err;
struct run;

/*
 * Let all ports receive into the pool that the engine's prepare() returns, else into their usual
 * pools. Started ports are restarted for a change. Errors: those of prepare() and of the ports;
 * then the pools are unchanged. Thread: control, for all of this file.
 */
int run_rx_pool_prepare(struct run *r, struct err *e);

/*
 * At program start, call run_rx_pool_prepare() and port_begin(). forgiving: if the engine's pool
 * cannot be used, print a warning and begin with the usual pools; "start" reports the error again.
 * Errors: of both functions.
 */
int run_rx_pool_begin(struct run *r, bool forgiving, struct err *e);
