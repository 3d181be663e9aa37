/* Replaces packets by copies in segments of given lengths (txsplit), to test a driver's
 * multi-segment Tx. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "memory/pool_blocks.h"
#include "stream/stream.h"

#include <rte_mbuf.h>

#include <stdbool.h>
#include <stdint.h>

struct err;

#define CSUM_SPLIT_MAX 255 /* segments per packet, as in testpmd */

struct csum_split {
	struct pool_blocks blocks; /* source of mbufs for the copies */
	uint16_t lengths[CSUM_SPLIT_MAX];
	uint8_t n;   /* number of lengths; 0: packets are not split */
	bool random; /* use a random number of lengths, 1..n */
};

/*
 * Initialise from the settings txsplit and txpkts. Thread: control. Returns 0, or -errno with e
 * set.
 */
int csum_split_init(struct csum_split *split, const struct stream *s, struct err *e);

/* Return unused mbufs. Allowed without csum_split_init(). Thread: control, stopped. */
void csum_split_fini(struct csum_split *split);

/*
 * Replace pkts[0..n) by copies whose segments have the given lengths; the last one takes the rest.
 * n: 0..BURST_MAX. A packet is left unchanged if mbufs are short or a segment does not fit into
 * one. Thread: the stream's worker.
 */
void csum_split_burst(struct csum_split *split, struct stream *s, struct rte_mbuf **pkts,
	uint16_t n);
