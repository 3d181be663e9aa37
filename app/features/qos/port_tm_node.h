/* A node of traffic management, shown as it was added. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct ports;

/*
 * Where a node stands in the tree and what it was added with. JSON: {"node", "parent", "level",
 * "priority", "weight", "shaper", "shared_shapers", "stats_mask", "leaf", and what is a leaf's or an
 * inner node's}; what there is not is missing. Errors: -ENODEV; -ENOSYS before DPDK
 * 24.11; what the driver says. Thread: control.
 */
int port_tm_node_show(struct ports *ps, uint16_t id, uint32_t node, struct err *e);
