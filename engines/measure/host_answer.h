/* What a port with addresses answers: ARP, neighbour solicitations, ICMP and ICMPv6 echo requests. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/measure/hosts.h"

#include <rte_ether.h>
#include <rte_mbuf.h>

/* Bytes that a packet may grow by: a stripped VLAN tag, and the option of an advertisement. */
#define HOST_ANSWER_GROWTH (4 + 8)

/* Return whether a packet could be a request, by its types alone. Thread: any. */
bool host_answer_may(struct rte_mbuf *m);

/*
 * Convert a request for one of a port's addresses into its answer in place. The request has to be
 * whole: right checksums, sent to the port's MAC address (own), or as RFC 826 and RFC 4861 have it, no
 * fragment and no IP options. m: of one segment, writable, with HOST_ANSWER_GROWTH bytes behind it.
 * Returns false for any other packet, whose bytes are not specified then. Thread: any.
 * Source: RFC 826, 792, 4443, 4861, 4862.
 */
bool host_answer_make(struct rte_mbuf *m, const struct hosts *h, uint16_t port,
	const struct rte_ether_addr *own);
