/* What engines may know of a stream's Rx or Tx port: copied from the port when a run starts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ether.h>

#include <stdbool.h>
#include <stdint.h>

/*
 * What checksum work a port's transmit side asks of the csum engine (csum set, tso set, set port
 * gro|gso).
 */
struct stream_csum {
	bool ip_hw, udp_hw, tcp_hw, sctp_hw, outer_ip_hw, outer_udp_hw;
	bool parse_tunnel; /* look into VXLAN, GRE, ... for inner headers */
	bool mac_swap; /* swap MAC addresses as testpmd's csum does: write peer and own address */
	bool gso, gro;
	uint16_t tso_segsz;        /* bytes of payload per segment; 0: no TSO */
	uint16_t tunnel_tso_segsz; /* the same for tunnelled packets */
};

/*
 * One end of a stream: a queue of a port and what the engines may know of the port, copied when the
 * run starts.
 */
struct stream_end {
	uint16_t port, queue;
	int socket;
	struct rte_ether_addr mac, peer; /* own address; where frames sent from this port go */
	uint64_t offloads;               /* RTE_ETH_{RX,TX}_OFFLOAD_* in force on the queue */
	uint16_t vlan, vlan_outer;       /* tags that transmit inserts when the offload is on */
	uint16_t mtu;
	struct stream_csum csum; /* of the transmit end; of the receive end only gro counts */
};
