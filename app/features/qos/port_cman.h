/* Congestion management: when an Rx queue drops early. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * What a port can, and is set to. JSON: {"modes", "objects"}; {"object", "queue", "mode",
 * "min_percent", "max_percent", "inverse"}. Errors of all: -ENODEV; what the driver returned.
 * Thread: control, all of this file.
 */
int port_cman_show(struct ports *ps, uint16_t id, struct err *e);
int port_cman_config_show(struct ports *ps, uint16_t id, struct err *e);

struct port_cman_red {
	bool mempool; /* by how full the queue's pool is, not its ring */
	uint8_t min_percent, max_percent;
	uint16_t inverse; /* 1 / probability at the most */
};

/* Random early detection of one queue; red NULL: as the driver begins. */
int port_cman_set(struct ports *ps, uint16_t id, uint16_t queue, const struct port_cman_red *red,
	struct err *e);
