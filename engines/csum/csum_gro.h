/* Merges received TCP/IPv4 segments of a flow into larger packets with DPDK's GRO library. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "stream/stream.h"

#include <rte_gro.h>
#include <rte_mbuf.h>

#include <stdint.h>

struct err;

struct csum_gro {
	struct rte_gro_param param;
	void *table;           /* holds packets between polls; NULL: merge only within a burst */
	uint16_t flush_cycles; /* polls after which the table is flushed */
	uint16_t polls;        /* polls since the last flush */
};

/*
 * Initialise. flush_cycles: number of polls for which packets are held; 1: merge only within a
 * burst. Thread: control. Returns 0, or -ENOMEM with e set.
 */
int csum_gro_init(struct csum_gro *gro, const struct stream *s, uint16_t flush_cycles,
	struct err *e);

/*
 * Merge pkts[0..n) with each other and with held packets; then forward pkts[0..result). Only
 * unfragmented, untagged packets without IP options are merged, because the library assumes that.
 * pkts has room for BURST_MAX. n may be 0 to get held packets only. Thread: the stream's worker.
 * Counts: packets that were merged into another one, as absorbed and in named[which].
 */
uint16_t csum_gro_merge(struct csum_gro *gro, struct stream *s, struct rte_mbuf **pkts, uint16_t n,
	unsigned int which);

/*
 * Free the held packets, counted as absorbed and in named[which], and the table. Thread: control,
 * stopped.
 */
void csum_gro_fini(struct csum_gro *gro, struct stream *s, unsigned int which);
