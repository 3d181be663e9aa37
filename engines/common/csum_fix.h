/* Set the checksums of a packet, in software or by Tx offload flags. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/pkt_parse.h"
#include "stream/stream.h"

#include <rte_ether.h>
#include <rte_mbuf.h>

#include <stdint.h>

/* What is to be done to every packet of a stream; fixed per run. */
struct csum_fix {
	struct stream_csum want;
	struct pkt_tunnel_ports ports;
	struct rte_ether_addr addresses[2]; /* destination and source that mac_swap writes */
	uint64_t tx_flags; /* of every packet: tags and MACsec that the port inserts */
	uint16_t vlan, vlan_outer;
};

/*
 * Give pkts[0..n) their addresses, checksums, offload requests (ol_flags, tx_offload) and tags to
 * be inserted. Inner headers are read when want.parse_tunnel says so. A header that is not sound,
 * and what lies behind it, is left as it is; so are fragments' UDP/TCP/SCTP and a UDP checksum of
 * 0. Hardware is asked only where its notion of the packet is ours, else software does the work.
 * Thread: the stream's worker.
 */
void csum_fix_burst(const struct csum_fix *fix, struct rte_mbuf **pkts, uint16_t n);

/*
 * Write the right UDP, TCP or SCTP checksum of a layer with l4_len > 0, in software; a UDP checksum
 * of 0 stays.
 */
void csum_fix_l4(struct rte_mbuf *m, const struct pkt_net *net);
