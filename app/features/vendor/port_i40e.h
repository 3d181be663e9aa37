/* Functions of net_i40e beyond ethdev: queue regions, packet types, input sets, flow director by
 * template. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

enum port_i40e_region_op {
	PORT_I40E_REGION_QUEUES,   /* region, first queue, number of queues */
	PORT_I40E_REGION_FLOWTYPE, /* region, hardware flow type */
	PORT_I40E_REGION_PRIORITY, /* user priority, region */
	PORT_I40E_REGION_FLUSH,    /* 1: apply all regions; 0: delete all */
};

/*
 * Configure queue regions, within which RSS spreads packets. Errors of all functions: -ENODEV;
 * -ENOTSUP another driver's port; the driver's error. Thread: control, for all of this file.
 */
int port_i40e_region(struct ports *ps, uint16_t id, enum port_i40e_region_op op, const uint64_t *n,
	struct err *e);

/* Show the regions. JSON: {"port", "regions": [{"region", "queues", "first_queue", "priorities",
 * "flowtypes"}]}. */
int port_i40e_regions_show(struct ports *ps, uint16_t id, struct err *e);

/* Show the packet classification types (pctypes) by flow type, or reset them to the driver's
 * defaults. JSON: {"mappings": [{"pctypes": [], "flowtype"}]}. */
int port_i40e_pctypes_show(struct ports *ps, uint16_t id, struct err *e);
int port_i40e_pctypes_reset(struct ports *ps, uint16_t id, struct err *e);

/* Map pctypes[0..n), each 0..63, to a flow type. Further error: -ERANGE. */
int port_i40e_pctypes_set(struct ports *ps, uint16_t id, const uint16_t *pctypes, unsigned int n,
	uint16_t flowtype, struct err *e);

/*
 * Show the packet type of each hardware type, or reset them to the driver's defaults. valid: show
 * only mapped ones. JSON: {"mappings": [{"hardware", "software"}]}.
 */
int port_i40e_ptypes_show(struct ports *ps, uint16_t id, bool valid, struct err *e);
int port_i40e_ptypes_reset(struct ports *ps, uint16_t id, struct err *e);
int port_i40e_ptypes_set(struct ports *ps, uint16_t id, uint16_t hardware, uint32_t software,
	struct err *e);

/* Replace the packet type target, or with mask all types that contain its bits. */
int port_i40e_ptypes_replace(struct ports *ps, uint16_t id, uint32_t target, bool mask,
	uint32_t with, struct err *e);

enum port_i40e_inset { PORT_I40E_HASH, PORT_I40E_FDIR, PORT_I40E_FDIR_FLEX };
enum port_i40e_inset_op { PORT_I40E_GET, PORT_I40E_SET, PORT_I40E_CLEAR };

/*
 * Get, set or clear a field, 0..63, of the input set of RSS or flow director for a pctype; clear
 * all fields. JSON of get: {"field", "enabled"}. Further error: -EBUSY a port is started.
 */
int port_i40e_inset(struct ports *ps, uint16_t id, uint8_t pctype, enum port_i40e_inset kind,
	enum port_i40e_inset_op op, uint8_t field, struct err *e);
int port_i40e_inset_none(struct ports *ps, uint16_t id, uint8_t pctype, enum port_i40e_inset kind,
	struct err *e);

struct port_i40e_template {
	const char *flow; /* "ipv4-udp", or the number of a flow type */
	const char *path; /* file with an example packet */
	uint16_t queue;
	uint32_t number; /* ID with which the hardware marks packets */
	bool add, drop;
};

/* Add or delete a flow director rule, given by an example packet. Further errors: of the file. */
int port_i40e_flow_director(struct ports *ps, uint16_t id, const struct port_i40e_template *rule,
	struct err *e);

/* Drop received packets with the port's own source MAC address, or not. id: a port or PORT_ALL.
 * Needs DPDK 24.11. */
int port_i40e_source_prune(struct ports *ps, uint16_t id, bool on, struct err *e);
