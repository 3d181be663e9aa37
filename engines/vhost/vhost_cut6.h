/* Cut TCP packets on IPv6, which DPDK's GSO library leaves whole. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/pkt_parse.h"
#include "stream/stream.h"

#include <rte_mbuf.h>

#include <stdint.h>

/*
 * Put copies of m in segments of tso_segsz bytes of payload into out[0..max), checksums still to be
 * made. net: m's layer, TCP on IPv6. Thread: the stream's worker. Returns packets in out, m is
 * gone; 0: no mbufs, a segment does not fit into one, or there is no room in out, and m is still the
 * caller's. Counts: made.
 */
uint16_t vhost_cut6(struct stream *s, struct rte_mbuf *m, const struct pkt_net *net,
	struct rte_mbuf **out, uint16_t max);
