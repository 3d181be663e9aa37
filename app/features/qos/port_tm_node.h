/* Show a traffic management node. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct ports;

/*
 * Show a node's place in the tree and its parameters. JSON: {"node", "parent", "level", "priority",
 * "weight", "shaper", "shared_shapers", "stats_mask", "leaf", and parameters of a leaf or of
 * another node}, without absent values. Errors: -ENODEV; -ENOSYS before DPDK 24.11; the driver's
 * error. Thread: control.
 */
int port_tm_node_show(struct ports *ps, uint16_t id, uint32_t node, struct err *e);
