/* Congestion management: early drop of Rx queues. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Show the capabilities, JSON: {"modes", "objects"}; show the configuration, JSON: {"object",
 * "queue", "mode", "min_percent", "max_percent", "inverse"}. Errors of all functions: -ENODEV; the
 * driver's error. Thread: control, for all of this file.
 */
int port_cman_show(struct ports *ps, uint16_t id, struct err *e);
int port_cman_config_show(struct ports *ps, uint16_t id, struct err *e);

struct port_cman_red {
	bool mempool; /* use the fill level of the queue's pool instead of its ring */
	uint8_t min_percent, max_percent;
	uint16_t inverse; /* 1 / maximum drop probability */
};

/* Set random early detection of one queue; red NULL: reset to the driver's default. */
int port_cman_set(struct ports *ps, uint16_t id, uint16_t queue, const struct port_cman_red *red,
	struct err *e);
