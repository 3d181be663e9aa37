/* What zcfwd tells over DPDK's telemetry socket: endpoints under /zcfwd, read by dpdk-telemetry.py
 * while it forwards. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct app;
struct err;
struct out;

/*
 * Register the endpoints and, where DPDK has it, how busy lcores are. From here on telemetry's
 * threads read app, under its locks. Errors: ENOMEM. Thread: control.
 */
int telemetry_open(struct app *app, struct err *e);

/*
 * Let nobody read app any more; waits for who does. Endpoints stay and answer null. Thread:
 * control, before the run is closed.
 */
void telemetry_close(void);

/*
 * `show telemetry`: the socket, and the endpoints with a line of help each. ENOENT when EAL has no
 * telemetry. Thread: control.
 */
int telemetry_show(struct out *out, struct err *e);
