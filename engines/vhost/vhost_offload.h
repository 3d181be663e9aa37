/* What a guest left to be done to a packet: passed on to the port that transmits it, or done in
 * software. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/csum_gso.h"
#include "stream/stream.h"

#include <rte_mbuf.h>

#include <stdbool.h>
#include <stdint.h>

/* Counters of the engine, by their place. */
enum vhost_counter {
	VHOST_CSUM_PASSED,
	VHOST_CSUM_MADE,
	VHOST_SEGMENTS_PASSED,
	VHOST_CUT,
	VHOST_CUT_FAILED,
};

struct vhost_offload {
	struct csum_gso gso; /* gso_size is each packet's own */
	bool to_guest;       /* the transmitting port is a guest's: it agreed to what, or will */
	bool cuts;           /* guests were offered segmentation, and gso is there */
};

/* Whether m is as a guest left it, something still to be done. */
static inline bool
vhost_offload_due(const struct rte_mbuf *m)
{
	return (m->ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK) == RTE_MBUF_F_RX_L4_CKSUM_NONE ||
		(m->ol_flags & RTE_MBUF_F_RX_LRO) != 0;
}

/*
 * Do what is due: ask the port for it, or make checksums and segments here, into out[0..max). Order
 * stays. Thread: the stream's worker. Returns packets in out; 0: m could not be cut for lack of
 * mbufs or of room in out, and is still the caller's. Counts: made, enum vhost_counter.
 */
uint16_t vhost_offload_do(struct vhost_offload *o, struct stream *s, struct rte_mbuf *m,
	struct rte_mbuf **out, uint16_t max);
