/* Virtual functions of a port, ruled from its physical function: what drivers of such NICs have
 * functions of their own for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/vendor/port_driver.h"

#include <stdint.h>

struct err;
struct ports;

#define PORT_VF_TCS 16 /* traffic classes that a list of bandwidths may have */

/* What changes with numbers, in the order of the command's words; vf first where there is one. */
enum port_vf_op {
	PORT_VF_MAC_ANTISPOOF,    /* vf, on */
	PORT_VF_VLAN_ANTISPOOF,   /* vf, on */
	PORT_VF_VLAN_STRIPQ,      /* vf, on */
	PORT_VF_VLAN_INSERT,      /* vf, VLAN, 0: none */
	PORT_VF_VLAN_TAG,         /* vf, on */
	PORT_VF_VLAN_FILTER,      /* VLAN, mask of vfs, on */
	PORT_VF_MAC,              /* vf and an address */
	PORT_VF_MAC_ADD,          /* the same, one more */
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
	PORT_VF_TX_LOOPBACK,      /* on; of the whole port */
	PORT_VF_QUEUES_DROP,      /* on; of the whole port */
	PORT_VF_STRICT_PRIORITY,  /* mask of traffic classes; of the whole port */
};

/* Do it. Errors as port_driver_do(). Thread: control, all of this file. */
int port_vf_do(struct ports *ps, uint16_t id, enum port_vf_op op,
	const struct port_driver_args *args, struct err *e);

/*
 * Show what a VF has received and sent. JSON: {"port", "vf", "rx_packets", ...}. Errors as above.
 */
int port_vf_stats_show(struct ports *ps, uint16_t id, uint16_t vf, struct err *e);

/* Shares of bandwidth of the traffic classes of a VF, percent[0..n). Errors as above. */
int port_vf_tc_bandwidth(struct ports *ps, uint16_t id, uint16_t vf, uint8_t n, uint8_t *percent,
	struct err *e);

/* Shares of all traffic classes of a stopped port. Errors as above, and -EBUSY it is started. */
int port_vf_tcs_bandwidth(struct ports *ps, uint16_t id, uint8_t n, uint8_t *percent,
	struct err *e);
