/* Segments large packets with DPDK's GSO library. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/pkt_parse.h"
#include "stream/stream.h"

#include <rte_gso.h>
#include <rte_mbuf.h>

#include <stdint.h>

struct err;

#define CSUM_GSO_SEGMENTS 2048 /* maximum per packet, as in testpmd */

struct csum_gso {
	struct rte_gso_ctx context;
	struct pkt_tunnel_ports ports;
	uint16_t header_room; /* bytes that fit into an mbuf of the pool */
	bool parse_tunnel;
};

/*
 * Initialise. segsz: bytes of a segment, including the Ethernet header. Thread: control. Returns 0,
 * or -ENOTSUP with e set if indirect mbufs are not possible: with mbuf_fast_free on the Tx port, or
 * with a pool of external buffers.
 */
int csum_gso_init(struct csum_gso *gso, const struct stream *s, uint16_t segsz, struct err *e);

/*
 * Put m or its segments into out[0..max). The caller has to set checksums, except that of UDP,
 * which is set before fragmentation. Segments unfragmented TCP and UDP packets on IPv4, and with
 * parse_tunnel those in VXLAN or (TCP only) GRE on IPv4. Thread: the stream's worker. Returns the
 * packets in out; 0 if mbufs or room in out are short, and then the caller still owns m. Counts:
 * made.
 */
uint16_t csum_gso_cut(const struct csum_gso *gso, struct stream *s, struct rte_mbuf *m,
	struct rte_mbuf **out, uint16_t max);
