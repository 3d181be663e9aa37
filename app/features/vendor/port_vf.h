/* Control of virtual functions from the port of their physical function, with driver-specific
 * functions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/vendor/port_driver.h"

#include <stdint.h>

struct err;
struct ports;

#define PORT_VF_TCS 16 /* maximum number of traffic classes in a list of bandwidths */

/* Operations and their numbers, in the order of the command's arguments; vf comes first. */
enum port_vf_op {
	PORT_VF_MAC_ANTISPOOF,    /* vf, on */
	PORT_VF_VLAN_ANTISPOOF,   /* vf, on */
	PORT_VF_VLAN_STRIPQ,      /* vf, on */
	PORT_VF_VLAN_INSERT,      /* vf, VLAN, 0: none */
	PORT_VF_VLAN_TAG,         /* vf, on */
	PORT_VF_VLAN_FILTER,      /* VLAN, mask of vfs, on */
	PORT_VF_MAC,              /* vf, MAC address to set */
	PORT_VF_MAC_ADD,          /* vf, MAC address to add */
	PORT_VF_PROMISC,          /* vf, on */
	PORT_VF_ALLMULTI,         /* vf, on */
	PORT_VF_BROADCAST,        /* vf, on */
	PORT_VF_SPLIT_DROP,       /* vf, on */
	PORT_VF_RX_MODE,          /* vf, RTE_ETH_VMDQ_ACCEPT_, on */
	PORT_VF_RX,               /* vf, on */
	PORT_VF_TX,               /* vf, on */
	PORT_VF_RATE,             /* vf, Mbit/s, mask of queues */
	PORT_VF_MAX_BANDWIDTH,    /* vf, Mbit/s */
	PORT_VF_TC_MAX_BANDWIDTH, /* vf, traffic class, Mbit/s */
	PORT_VF_STATS_CLEAR,      /* vf */
	PORT_VF_TX_LOOPBACK,      /* on; for the whole port */
	PORT_VF_QUEUES_DROP,      /* on; for the whole port */
	PORT_VF_STRICT_PRIORITY,  /* mask of traffic classes; for the whole port */
};

/* Execute an operation. Errors: those of port_driver_do(). Thread: control, for all of this
 * file. */
int port_vf_do(struct ports *ps, uint16_t id, enum port_vf_op op,
	const struct port_driver_args *args, struct err *e);

/*
 * Show the statistics of a VF. JSON: {"port", "vf", "rx_packets", ...}. Errors: those of
 * port_driver_do().
 */
int port_vf_stats_show(struct ports *ps, uint16_t id, uint16_t vf, struct err *e);

/* Set the bandwidth shares of a VF's traffic classes, percent[0..n). Errors: those of
 * port_driver_do(). */
int port_vf_tc_bandwidth(struct ports *ps, uint16_t id, uint16_t vf, uint8_t n, uint8_t *percent,
	struct err *e);

/* Set the bandwidth shares of all traffic classes of a stopped port. Errors: those of
 * port_driver_do(); -EBUSY the port is started. */
int port_vf_tcs_bandwidth(struct ports *ps, uint16_t id, uint8_t n, uint8_t *percent,
	struct err *e);
