/* Traffic management of a port: shapers, WRED profiles and the tree of scheduling nodes;
 * port_tm_show.h shows it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port;
struct ports;

#define PORT_TM_NONE UINT32_MAX /* no parent, no shaper profile */
#define PORT_TM_SHARED_MAX 255  /* maximum number of shared shapers per node */

/* Operations and their numbers, in the order of the command's arguments. */
enum port_tm_op {
	PORT_TM_SHAPER_ADD, /* profile, committed rate and size, peak rate and size, bytes, mode */
	PORT_TM_SHAPER_DEL, /* profile */
	PORT_TM_SHARED_ADD, /* shared shaper, profile; port stopped */
	PORT_TM_SHARED_SET, /* shared shaper, profile; port started */
	PORT_TM_SHARED_DEL, /* shared shaper */
	PORT_TM_WRED_ADD,   /* profile, per color: letter, min, max, 1 / probability, log2 weight */
	PORT_TM_WRED_DEL,   /* profile */
	PORT_TM_NODE_DEL,   /* node; port stopped */
	PORT_TM_NODE_SHAPER,  /* node, profile; port started */
	PORT_TM_NODE_PARENT,  /* node, parent, priority, weight; port started */
	PORT_TM_NODE_SUSPEND, /* node */
	PORT_TM_NODE_RESUME,  /* node */
	PORT_TM_COMMIT,       /* 0: delete the hierarchy if it fails */
	PORT_TM_MARK_ECN,     /* green, yellow, red: 0 or 1 */
	PORT_TM_MARK_DSCP,
	PORT_TM_MARK_DEI,
};

/* Execute an operation. Errors: -ENODEV; -EINVAL the port's state; the driver's error. Thread:
 * control, for all of this file. */
int port_tm_do(struct ports *ps, uint16_t id, enum port_tm_op op, const uint64_t *n, struct err *e);

struct port_tm_node {
	uint32_t node, parent, priority, weight, level, shaper; /* PORT_TM_NONE */
	bool leaf;
	uint32_t sp_priorities; /* for a node that is not a leaf */
	bool packet_mode;       /* weights count packets instead of bytes */
	uint32_t cman, wred;    /* for a leaf */
	uint64_t stats;         /* RTE_TM_STATS_ */
	uint32_t n_shared, shared[PORT_TM_SHARED_MAX];
};

/* Add a node to the tree, which takes effect at commit. Errors: those of port_tm_do(). */
int port_tm_node_add(struct ports *ps, uint16_t id, const struct port_tm_node *node, struct err *e);
