/* Segments TCP packets on IPv6, which DPDK's GSO library does not support. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/pkt_parse.h"
#include "stream/stream.h"

#include <rte_mbuf.h>

#include <stdint.h>

/*
 * Copy m into segments of tso_segsz bytes of payload in out[0..max), without setting checksums, and
 * free m. net: m's layer, TCP on IPv6. Thread: the stream's worker. Returns the packets in out; 0
 * if there is no mbuf, a segment does not fit into one, or out has no room, and then the caller
 * still owns m. Counts: made.
 */
uint16_t vhost_cut6(struct stream *s, struct rte_mbuf *m, const struct pkt_net *net,
	struct rte_mbuf **out, uint16_t max);
