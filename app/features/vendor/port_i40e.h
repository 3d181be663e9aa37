/* What net_i40e has beyond ethdev: regions of queues, types of packets, input sets, flow director by
 * template. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

enum port_i40e_region_op {
	PORT_I40E_REGION_QUEUES,   /* region, first queue, how many */
	PORT_I40E_REGION_FLOWTYPE, /* region, hardware's type of packets */
	PORT_I40E_REGION_PRIORITY, /* user priority, region */
	PORT_I40E_REGION_FLUSH,    /* 1: let all of it act; 0: take all away */
};

/*
 * Regions of queues that packets are spread within. Errors of all: -ENODEV; -ENOTSUP another
 * driver's port; what the driver returned. Thread: control, all of this file.
 */
int port_i40e_region(struct ports *ps, uint16_t id, enum port_i40e_region_op op, const uint64_t *n,
	struct err *e);

/* JSON: {"port", "regions": [{"region", "queues", "first_queue", "priorities", "flowtypes"}]}. */
int port_i40e_regions_show(struct ports *ps, uint16_t id, struct err *e);

/* Hardware's types of packets by flow type. JSON: {"mappings": [{"pctypes": [], "flowtype"}]}. */
int port_i40e_pctypes_show(struct ports *ps, uint16_t id, struct err *e);
int port_i40e_pctypes_reset(struct ports *ps, uint16_t id, struct err *e);

/* pctypes[0..n), 0..63 each, lead to that flow type from now on. Errors as above, and -ERANGE. */
int port_i40e_pctypes_set(struct ports *ps, uint16_t id, const uint16_t *pctypes, unsigned int n,
	uint16_t flowtype, struct err *e);

/*
 * Packet types by hardware's. JSON: {"mappings": [{"hardware", "software"}]}. valid: only those
 * that are known.
 */
int port_i40e_ptypes_show(struct ports *ps, uint16_t id, bool valid, struct err *e);
int port_i40e_ptypes_reset(struct ports *ps, uint16_t id, struct err *e);
int port_i40e_ptypes_set(struct ports *ps, uint16_t id, uint16_t hardware, uint32_t software,
	struct err *e);

/* Another packet type instead of target, or of all with its bits (mask). */
int port_i40e_ptypes_replace(struct ports *ps, uint16_t id, uint32_t target, bool mask,
	uint32_t with, struct err *e);

enum port_i40e_inset { PORT_I40E_HASH, PORT_I40E_FDIR, PORT_I40E_FDIR_FLEX };
enum port_i40e_inset_op { PORT_I40E_GET, PORT_I40E_SET, PORT_I40E_CLEAR };

/*
 * Fields that hash or flow director look at, by number 0..63, of one of hardware's types of packets.
 * JSON of get: {"field", "enabled"}. Errors as above, and -EBUSY while a port is started.
 */
int port_i40e_inset(struct ports *ps, uint16_t id, uint8_t pctype, enum port_i40e_inset kind,
	enum port_i40e_inset_op op, uint8_t field, struct err *e);
int port_i40e_inset_none(struct ports *ps, uint16_t id, uint8_t pctype, enum port_i40e_inset kind,
	struct err *e);

struct port_i40e_template {
	const char *flow; /* "ipv4-udp", or a flow type's number */
	const char *path; /* of a file that holds such a packet */
	uint16_t queue;
	uint32_t number; /* that hardware marks the packet with */
	bool add, drop;
};

/* A rule of flow director by an example of its packets. Errors as above; of the file. */
int port_i40e_flow_director(struct ports *ps, uint16_t id, const struct port_i40e_template *rule,
	struct err *e);

/* Drop what came from the port itself, of one port or PORT_ALL of net_i40e; drivers have it since DPDK 24.11. */
int port_i40e_source_prune(struct ports *ps, uint16_t id, bool on, struct err *e);
