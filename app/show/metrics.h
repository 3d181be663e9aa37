/* Latency and bit rates measured by DPDK's libraries, updated by a separate thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct app;
struct args;
struct err;
struct metrics;
struct ports;

struct metrics_config {
	bool latency;  /* time from Rx to Tx, on all queues of all started ports */
	bool bit_rate; /* peak and mean bit/s of every port */
};

/*
 * Start measuring. ports must be started and must outlive the result. Returns NULL with e set if a
 * library or the thread fails; NULL with e untouched if config enables nothing. Thread: control,
 * all of this file.
 */
struct metrics *metrics_open(const struct metrics_config *config, struct ports *ports,
	struct err *e);

/*
 * Stop the thread and remove the callbacks from the ports, before they are closed; m may be NULL.
 */
void metrics_close(struct metrics *m);

/*
 * `show metrics`: every metric of rte_metrics, global and per port. Says so if nothing is measured.
 * Returns 0.
 */
int metrics_show(struct app *app, const struct args *a, struct err *e);
