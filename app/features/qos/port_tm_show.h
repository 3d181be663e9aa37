/* Show capabilities and statistics of traffic management. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Show the capabilities of the port, of a level, of a node. Names are testpmd's in text and JSON;
 * JSON has objects "nonleaf", "leaf", and "marks" by color. Difference to testpmd: for a level with
 * only leaves testpmd reads the wrong side of the union below level 4. Errors of all functions:
 * -ENODEV; the driver's error. Thread: control, for all of this file.
 */
int port_tm_show_port(struct ports *ps, uint16_t id, struct err *e);
int port_tm_show_level(struct ports *ps, uint16_t id, uint32_t level, struct err *e);
int port_tm_show_node(struct ports *ps, uint16_t id, uint32_t node, struct err *e);

/* Show whether a node is a leaf. JSON: {"leaf": bool}. */
int port_tm_show_type(struct ports *ps, uint16_t id, uint32_t node, struct err *e);

/*
 * Show the statistics of a node; clear: then reset them. JSON: one member per counter. Further
 * error: -EINVAL the port is not started.
 */
int port_tm_show_stats(struct ports *ps, uint16_t id, uint32_t node, bool clear, struct err *e);
