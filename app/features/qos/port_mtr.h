/* Meters of a port: profiles, policies, meters for flow rules, and their statistics. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;
struct rte_flow_action;

#define PORT_MTR_DSCPS 64 /* DSCP values */
#define PORT_MTR_PCPS 16  /* VLAN priorities, including the drop eligible bit */

/*
 * Show the capabilities, with testpmd's names in text and JSON. Errors of all functions: -ENODEV;
 * the driver's error. Thread: control, for all of this file.
 */
int port_mtr_show(struct ports *ps, uint16_t id, struct err *e);

/* Operations and their numbers, in the order of the command's arguments. */
enum port_mtr_op {
	PORT_MTR_SRTCM,       /* profile, cir, cbs, ebs, 1: packets */
	PORT_MTR_TRTCM,       /* profile, cir, pir, cbs, pbs, 1: packets */
	PORT_MTR_TRTCM_4115,  /* profile, cir, eir, cbs, ebs, 1: packets */
	PORT_MTR_PROFILE_DEL, /* profile */
	PORT_MTR_POLICY_DEL,  /* policy */
	PORT_MTR_ENABLE,      /* meter */
	PORT_MTR_DISABLE,
	PORT_MTR_DEL,
	PORT_MTR_PROFILE,  /* meter, profile */
	PORT_MTR_STATS,    /* meter, RTE_MTR_STATS_ */
	PORT_MTR_COLOR_IN, /* meter, PORT_MTR_ protocol, priority */
};

/* Protocols that give the input color, in the order of the command's words. */
enum { PORT_MTR_OUTER_VLAN, PORT_MTR_INNER_VLAN, PORT_MTR_OUTER_IP, PORT_MTR_INNER_IP };

/* Execute an operation. */
int port_mtr_do(struct ports *ps, uint16_t id, enum port_mtr_op op, const uint64_t *n,
	struct err *e);

struct port_mtr {
	uint32_t meter, profile, policy;
	bool enabled, shared;
	uint64_t stats;      /* RTE_MTR_STATS_ */
	unsigned int color;  /* default input color, enum rte_color */
	uint32_t previous;   /* not 0: use the color from an earlier meter */
	const uint8_t *dscp; /* PORT_MTR_DSCPS colors, NULL: none */
	const uint8_t *vlan; /* PORT_MTR_PCPS colors, NULL: none */
};

/* Create a meter for the action meter of flow rules. Further error: -ENOMEM. */
int port_mtr_create(struct ports *ps, uint16_t id, const struct port_mtr *meter, struct err *e);

/*
 * Add a meter policy: actions[0..2] for green, yellow and red packets, each terminated by END;
 * NULL: no actions. The caller keeps ownership.
 */
int port_mtr_policy(struct ports *ps, uint16_t id, uint32_t policy,
	const struct rte_flow_action *const *actions, struct err *e);

/*
 * Set the input colors by DSCP or VLAN priority. colors: PORT_MTR_DSCPS or PORT_MTR_PCPS entries of
 * enum rte_color, NULL: the driver's default. protocol: PORT_MTR_OUTER_VLAN etc.
 */
int port_mtr_colors(struct ports *ps, uint16_t id, uint32_t meter, unsigned int protocol,
	const uint8_t *colors, struct err *e);

/* Show the protocols that give the input color. JSON: {"protocols": []}. */
int port_mtr_protocols_show(struct ports *ps, uint16_t id, uint32_t meter, struct err *e);

/* Show the priority of such a protocol. JSON: {"priority"}. */
int port_mtr_priority_show(struct ports *ps, uint16_t id, uint32_t meter, unsigned int protocol,
	struct err *e);

/* Show the statistics of a meter; clear: then reset them. JSON: one member per counter. */
int port_mtr_stats_show(struct ports *ps, uint16_t id, uint32_t meter, bool clear, struct err *e);
