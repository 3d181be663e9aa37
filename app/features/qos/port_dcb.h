/* Data center bridging: traffic classes of a port by the priorities of VLAN tags, each with queues
 * of its own, and pause frames for one of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port;
struct port_dcb;
struct ports;

/*
 * Let all of it act at the next start, with as many queues as the driver gives classes: settings
 * rxq and txq, as port config all would. All ports stopped. Errors: -ENODEV; -EBUSY; -ENOTSUP the
 * driver knows no DCB; -ERANGE classes, or VT where pools come behind other queues. Thread: control,
 * all of this file.
 */
int port_dcb_set(struct ports *ps, uint16_t id, const struct port_dcb *dcb, struct err *e);

/*
 * Show classes with their queues, of a port or PORT_ALL. JSON: {"ports": [{"port", "classes":
 * [{"class", "priority", "bandwidth_percent", "first_rxq", "rxqs", "first_txq", "txqs"}]}]}.
 */
int port_dcb_show(struct ports *ps, uint16_t id, struct err *e);

struct port_dcb_pause {
	bool rx, tx; /* send some when Rx rings are full; answer others' */
	uint32_t high_water, low_water;
	uint16_t pause_time;
	uint8_t priority;
};

/* Pause frames of one priority. Errors: -ENODEV; what the driver returned. */
int port_dcb_pause(struct ports *ps, uint16_t id, const struct port_dcb_pause *pause,
	struct err *e);

struct port_dcb_queue_pause {
	bool rx, tx;
	uint16_t txq, rxq; /* the queue that a pause stops; that which asks for one */
	uint8_t txq_class, rxq_class;
	uint16_t pause_time;
};

/* The same by queue. Errors as above. */
int port_dcb_queue_pause(struct ports *ps, uint16_t id, const struct port_dcb_queue_pause *pause,
	struct err *e);
