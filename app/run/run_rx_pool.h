/* The pool that all ports receive into where the engine of the next run wants one of its own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct err;
struct run;

/*
 * Let all ports receive into the pool that prepare() of the engine names, else into their usual
 * ones again: started ports are stopped and started for that. Nothing when it is so already.
 * Errors: what prepare() and ports say; the ports are as before. Thread: control, all of this file.
 */
int run_rx_pool_prepare(struct run *r, struct err *e);

/*
 * The beginning: run_rx_pool_prepare(), port_begin(). forgiving: where the engine's pool will not
 * do, ports begin with their usual ones, a warning says why, and start will say so again. Errors:
 * of both.
 */
int run_rx_pool_begin(struct run *r, bool forgiving, struct err *e);
