/* Endpoints under /zcfwd on DPDK's telemetry socket, to read statistics while zcfwd forwards. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct app;
struct args;
struct err;

/*
 * Register the endpoints and, from DPDK 23.03 on, a callback that reports lcore usage. From now on
 * telemetry threads read app, under its locks. Errors: ENOMEM. Thread: control.
 */
int telemetry_open(struct app *app, struct err *e);

/*
 * Stop telemetry threads from reading app; waits until none does. The endpoints remain registered
 * and answer null. Does nothing in a secondary process: the endpoints are the primary's. Thread:
 * control, before the run is closed.
 */
void telemetry_close(void);

/*
 * `show telemetry`: the socket's path, and each endpoint with its help. Errors: ENOENT if EAL has
 * no telemetry. Thread: control.
 */
int telemetry_show(struct app *app, const struct args *a, struct err *e);
