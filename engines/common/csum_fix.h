/* Sets the checksums of packets in software or by Tx offload flags. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/pkt_parse.h"
#include "stream/stream.h"

#include <rte_ether.h>
#include <rte_mbuf.h>

#include <stdint.h>

/* One's complement sum and CRC32c of a packet's bytes over all segments. */

/*
 * The one's complement sum of n bytes at off as 16-bit words in memory order; an odd last byte is
 * padded with 0. off + n: at most the packet's length. Thread: any. Returns 0 only if all bytes are
 * 0. Source: RFC 1071.
 */
uint16_t csum_sum(const struct rte_mbuf *m, uint32_t off, uint32_t n);

/* How a stream's packets are changed; constant in a run. */
struct csum_fix {
	struct stream_csum want;
	struct pkt_tunnel_ports ports;
	struct rte_ether_addr addresses[2]; /* destination and source MAC address, if mac_swap */
	uint64_t tx_flags; /* for all packets: VLAN tags and MACsec inserted by the port */
	uint16_t vlan, vlan_outer;
};

/*
 * Set MAC addresses, checksums, offloads (ol_flags, tx_offload) and VLAN tags of pkts[0..n). Inner
 * headers are parsed if want.parse_tunnel. A malformed header and everything after it is not
 * changed, nor are UDP, TCP and SCTP in fragments and a UDP checksum of 0. Offloads are used only
 * if the hardware parses the packet as we do, otherwise software. Thread: the stream's worker.
 */
void csum_fix_burst(const struct csum_fix *fix, struct rte_mbuf **pkts, uint16_t n);

/*
 * Set the UDP, TCP or SCTP checksum of a layer with l4_len > 0, in software. A UDP checksum of 0 is
 * not changed.
 */
void csum_fix_l4(struct rte_mbuf *m, const struct pkt_net *net);
