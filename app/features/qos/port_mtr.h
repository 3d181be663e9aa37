/* Meters of a port: profiles, policies, meters that flow rules name, and what they have counted. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;
struct rte_flow_action;

#define PORT_MTR_DSCPS 64 /* code points of IP that a packet's color may come from */
#define PORT_MTR_PCPS 16  /* priorities of a VLAN tag, its drop eligible bit among them */

/*
 * What the port can; texts are testpmd's. JSON: the same names. Errors of all: -ENODEV; what the
 * driver says. Thread: control, all of this file.
 */
int port_mtr_show(struct ports *ps, uint16_t id, struct err *e);

/* What changes with a handful of numbers, in the order of the command's words. */
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

/* Where a packet's color comes from before it is metered, as the command's words stand. */
enum { PORT_MTR_OUTER_VLAN, PORT_MTR_INNER_VLAN, PORT_MTR_OUTER_IP, PORT_MTR_INNER_IP };

/* Do it. Errors as above. */
int port_mtr_do(struct ports *ps, uint16_t id, enum port_mtr_op op, const uint64_t *n,
	struct err *e);

struct port_mtr {
	uint32_t meter, profile, policy;
	bool enabled, shared;
	uint64_t stats;      /* RTE_MTR_STATS_ */
	unsigned int color;  /* of packets without one, enum rte_color */
	uint32_t previous;   /* not 0: the color that an earlier meter gave counts */
	const uint8_t *dscp; /* PORT_MTR_DSCPS colors, NULL: none */
	const uint8_t *vlan; /* PORT_MTR_PCPS colors, NULL: none */
};

/* A meter for the action meter of flow rules. Errors as above, and -ENOMEM. */
int port_mtr_create(struct ports *ps, uint16_t id, const struct port_mtr *meter, struct err *e);

/*
 * What is done with packets by their color: actions[0..2], green, yellow, red, up to END each, NULL:
 * nothing. They stay the caller's.
 */
int port_mtr_policy(struct ports *ps, uint16_t id, uint32_t policy,
	const struct rte_flow_action *const *actions, struct err *e);

/*
 * Colors by code point or by VLAN priority. colors: PORT_MTR_DSCPS or PORT_MTR_PCPS of enum
 * rte_color, NULL: none. protocol: PORT_MTR_.
 */
int port_mtr_colors(struct ports *ps, uint16_t id, uint32_t meter, unsigned int protocol,
	const uint8_t *colors, struct err *e);

/* Where colors come from. JSON: {"protocols": []}. */
int port_mtr_protocols_show(struct ports *ps, uint16_t id, uint32_t meter, struct err *e);

/* At which priority they come from there. JSON: {"priority"}. */
int port_mtr_priority_show(struct ports *ps, uint16_t id, uint32_t meter, unsigned int protocol,
	struct err *e);

/* What a meter has counted; clear: and begin anew. JSON: a member per figure. */
int port_mtr_stats_show(struct ports *ps, uint16_t id, uint32_t meter, bool clear, struct err *e);
