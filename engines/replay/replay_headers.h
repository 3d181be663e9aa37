/* The headers of a captured packet: where they are, which flow they are of, and how addresses in
 * them are replaced. Pure functions over bytes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/replay/replay_words.h"

#include <rte_ether.h>

#include <stdbool.h>
#include <stdint.h>

/* The headers after Ethernet and VLAN tags; offsets are from the packet's first byte. */
struct replay_headers {
	uint8_t version; /* 4, 6; 0: neither IP nor ARP */
	bool arp;        /* for IPv4 over Ethernet; then version is 0 */
	uint8_t tags;    /* number of VLAN tags */
	uint16_t src_at; /* of two addresses, one after the other; ARP: of the sender's */
	uint16_t dst_at;
	uint16_t sum_at; /* IPv4: of the header's checksum */
	uint8_t proto;   /* of layer 4, after extension headers */
	uint16_t l4_at;  /* 0: a later fragment, or an extension header that cannot be skipped */
	bool fragment;   /* the first or a later one */
	bool routed; /* the checksum of layer 4 is over another destination, of a source route */
};

/* Find the headers of packet[0..n). What is cut off or malformed is not found. */
void replay_headers_find(const uint8_t *packet, uint32_t n, struct replay_headers *h);

/*
 * A number of the packet's flow: equal for packets of the same addresses, protocol and ports. As a
 * NIC's RSS, it leaves out the ports of fragments; packets that are not IP have 0.
 */
uint32_t replay_headers_flow(const uint8_t *packet, uint32_t n, const struct replay_headers *h);

/*
 * Replace addresses, as asked, in packet[0..n), and correct the checksums of IPv4, TCP, UDP,
 * UDP-Lite, DCCP and ICMPv6 by the difference: right ones stay right, wrong ones wrong. smac, dmac:
 * for r->mac. Addresses in ARP are replaced like those of IPv4.
 */
void replay_headers_rewrite(uint8_t *packet, uint32_t n, const struct replay_headers *h,
	const struct replay_rewrite *r, const struct rte_ether_addr *smac,
	const struct rte_ether_addr *dmac);
