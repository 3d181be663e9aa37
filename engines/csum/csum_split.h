/* Send copies of packets in segments of given lengths (txsplit), to test a driver's multi-segment
 * transmit. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "memory/pool_blocks.h"
#include "stream/stream.h"

#include <rte_mbuf.h>

#include <stdbool.h>
#include <stdint.h>

struct err;

#define CSUM_SPLIT_MAX 255 /* segments of one packet, as in testpmd */

struct csum_split {
	struct pool_blocks blocks; /* of the stream's pool, that copies are made of */
	uint16_t lengths[CSUM_SPLIT_MAX];
	uint8_t n;   /* of lengths; 0: packets are sent as they are */
	bool random; /* take the first 1..n of them, by chance */
};

/*
 * Get ready for what txsplit and txpkts say. Thread: control. Returns 0, or -errno with e filled.
 */
int csum_split_init(struct csum_split *split, const struct stream *s, struct err *e);

/* Put back what is left of blocks. Thread: control, when the worker has stopped; also without init. */
void csum_split_fini(struct csum_split *split);

/*
 * Put copies in the place of pkts[0..n), 0..BURST_MAX: each segment as long as given, the last one
 * as long as needed. What cannot be copied, for lack of mbufs or of room in them, stays as it is.
 * Thread: the stream's worker.
 */
void csum_split_burst(struct csum_split *split, struct stream *s, struct rte_mbuf **pkts,
	uint16_t n);
