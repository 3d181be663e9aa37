/* Latency and bit rates by DPDK's own libraries, kept fresh by a thread of their own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct err;
struct metrics;
struct out;
struct ports;

struct metrics_config {
	/* time of packets between receive and transmit, of all queues of all started ports */
	bool latency;
	bool bit_rate; /* peak and mean bits per second of every port */
};

/*
 * Begin to measure; ports must be started and outlive it. Returns NULL with e filled when a library or the thread
 * fails; NULL with e untouched when config asks for nothing. Thread: control, all of this file.
 */
struct metrics *metrics_open(const struct metrics_config *config, struct ports *ports,
	struct err *e);

/* End the thread and take the callbacks off the ports; NULL is fine. Before ports are closed. */
void metrics_close(struct metrics *m);

/*
 * `show metrics`: every metric of rte_metrics, global and per port. ENOENT when nothing is
 * measured.
 */
int metrics_show(const struct metrics *m, struct out *out, struct err *e);
