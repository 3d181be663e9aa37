/* Checksums and segmentation that a guest offloads: done by the Tx port or in software. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/csum_gso.h"
#include "stream/stream.h"

#include <rte_mbuf.h>

#include <stdbool.h>
#include <stdint.h>

/* Indexes in stream_count.named. */
enum vhost_counter {
	VHOST_CSUM_PASSED,
	VHOST_CSUM_MADE,
	VHOST_SEGMENTS_PASSED,
	VHOST_CUT,
	VHOST_CUT_FAILED,
};

struct vhost_offload {
	struct csum_gso gso; /* gso_size is set for each packet */
	bool to_guest;       /* the Tx port is a guest's, with negotiated features */
	bool cuts;           /* guests were offered segmentation, so gso is initialised */
};

/* Whether m has offloads from a guest that still have to be done. */
static inline bool
vhost_offload_due(const struct rte_mbuf *m)
{
	return (m->ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK) == RTE_MBUF_F_RX_L4_CKSUM_NONE ||
		(m->ol_flags & RTE_MBUF_F_RX_LRO) != 0;
}

/*
 * Do m's offloads: request them from the Tx port, or set checksums and segment in software. Puts
 * the packets into out[0..max) in order. Thread: the stream's worker. Returns how many; 0 if mbufs
 * or room in out are short, and then the caller still owns m. Counts: made, enum vhost_counter.
 */
uint16_t vhost_offload_do(struct vhost_offload *o, struct stream *s, struct rte_mbuf *m,
	struct rte_mbuf **out, uint16_t max);
