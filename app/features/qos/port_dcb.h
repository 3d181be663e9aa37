/* Data center bridging: traffic classes of a port by VLAN priority, each with its own queues, and
 * priority flow control (pause frames). */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port;
struct port_dcb;
struct ports;

/*
 * Configure traffic classes for the next start. Sets rxq and txq of all ports to the number of
 * queues that the driver needs, as port config all does; all ports must be stopped. Errors:
 * -ENODEV; -EBUSY; -ENOTSUP the driver has no DCB; -ERANGE classes, or VT although the pools follow
 * other queues. Thread: control, for all of this file.
 */
int port_dcb_set(struct ports *ps, uint16_t id, const struct port_dcb *dcb, struct err *e);

/*
 * Show the classes and their queues. id: a port or PORT_ALL. JSON: {"ports": [{"port", "classes":
 * [{"class", "priority", "bandwidth_percent", "first_rxq", "rxqs", "first_txq", "txqs"}]}]}.
 */
int port_dcb_show(struct ports *ps, uint16_t id, struct err *e);

struct port_dcb_pause {
	bool rx, tx; /* react to received pause frames; send pause frames when Rx rings are full */
	uint32_t high_water, low_water;
	uint16_t pause_time;
	uint8_t priority;
};

/* Set pause frames of one priority. Errors: -ENODEV; the driver's error. */
int port_dcb_pause(struct ports *ps, uint16_t id, const struct port_dcb_pause *pause,
	struct err *e);

struct port_dcb_queue_pause {
	bool rx, tx;
	uint16_t txq, rxq; /* the paused Tx queue; the Rx queue that sends pause frames */
	uint8_t txq_class, rxq_class;
	uint16_t pause_time;
};

/* Set pause frames by queue and class. Errors: -ENODEV; the driver's error. */
int port_dcb_queue_pause(struct ports *ps, uint16_t id, const struct port_dcb_queue_pause *pause,
	struct err *e);
