/* Merge received TCP/IPv4 segments of a flow into larger packets, with DPDK's GRO library. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "stream/stream.h"

#include <rte_gro.h>
#include <rte_mbuf.h>

#include <stdint.h>

struct err;

struct csum_gro {
	struct rte_gro_param param;
	void *table; /* holds packets between polls; NULL: each burst is merged by itself */
	uint16_t flush_cycles; /* polls after which the table is emptied */
	uint16_t polls;        /* since it was */
};

/*
 * Get ready. flush_cycles: 1 merges within bursts, more holds packets back for so many polls.
 * Thread: control. Returns 0, or -ENOMEM with e filled.
 */
int csum_gro_init(struct csum_gro *gro, const struct stream *s, uint16_t flush_cycles,
	struct err *e);

/*
 * Merge what is in pkts[0..n) and what is held; pkts[0..result) is what is to be forwarded now.
 * Only whole, plain, untagged packets without IP options are candidates, which the library takes
 * for granted. pkts has room for BURST_MAX. n may be 0: then only what is held may come. Thread:
 * the stream's worker. Counts: absorbed and named[which], by what was merged into another packet.
 */
uint16_t csum_gro_merge(struct csum_gro *gro, struct stream *s, struct rte_mbuf **pkts, uint16_t n,
	unsigned int which);

/*
 * Free what is held, counted absorbed and in named[which], and the table. Thread: control, stopped.
 */
void csum_gro_fini(struct csum_gro *gro, struct stream *s, unsigned int which);
