/* Cut large packets into segments that fit, with DPDK's GSO library. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/pkt_parse.h"
#include "stream/stream.h"

#include <rte_gso.h>
#include <rte_mbuf.h>

#include <stdint.h>

struct err;

#define CSUM_GSO_SEGMENTS 2048 /* of one packet at most: testpmd's bound */

struct csum_gso {
	struct rte_gso_ctx context;
	struct pkt_tunnel_ports ports;
	uint16_t header_room; /* bytes that an mbuf of the pool takes */
	bool parse_tunnel;
};

/*
 * Get ready. segsz: bytes of a segment with its headers, from Ethernet on. Thread: control. Returns
 * 0, or -ENOTSUP with e filled: the transmit queue frees mbufs without looking at their references,
 * or the stream's pool has its data in external memory; both forbid mbufs that refer to others.
 */
int csum_gso_init(struct csum_gso *gso, const struct stream *s, uint16_t segsz, struct err *e);

/*
 * Put m, or the segments that it was cut into, into out[0..max), checksums still to be made (but
 * that of a UDP packet, which is made before it becomes fragments). Cut are whole TCP and UDP
 * packets on IPv4, plain or (if parse_tunnel) in VXLAN or, TCP only, GRE on IPv4. Thread: the
 * stream's worker. Returns packets in out; 0: m could not be cut for lack of mbufs or of room in
 * out, and is still the caller's. Counts: made.
 */
uint16_t csum_gso_cut(const struct csum_gso *gso, struct stream *s, struct rte_mbuf *m,
	struct rte_mbuf **out, uint16_t max);
