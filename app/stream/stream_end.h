/* Properties of a stream's Rx and Tx port for engines, copied from the port when a run starts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ether.h>

#include <stdbool.h>
#include <stdint.h>

/*
 * Checksum and segmentation settings of a Tx port for the csum engine (csum set, tso set, set port
 * gro|gso).
 */
struct stream_csum {
	bool ip_hw, udp_hw, tcp_hw, sctp_hw, outer_ip_hw, outer_udp_hw;
	bool parse_tunnel; /* look into VXLAN, GRE, ... for inner headers */
	bool mac_swap; /* swap MAC addresses as testpmd's csum does: write peer and own address */
	bool gso, gro;
	uint16_t tso_segsz;        /* bytes of payload per segment; 0: no TSO */
	uint16_t tunnel_tso_segsz; /* as tso_segsz, for tunnelled packets */
};

/*
 * One end of a stream: a queue of a port, and properties of the port, copied when the run starts.
 */
struct stream_end {
	uint16_t port, queue;
	int socket;
	struct rte_ether_addr mac, peer; /* own address; destination of frames sent from here */
	uint64_t offloads;               /* RTE_ETH_{RX,TX}_OFFLOAD_* enabled on the queue */
	uint16_t vlan, vlan_outer;       /* tags that transmit inserts if the offload is on */
	uint16_t mtu;
	struct stream_csum csum; /* of the Tx end; of the Rx end only gro is used */
};
