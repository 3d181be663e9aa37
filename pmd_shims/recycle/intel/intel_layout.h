/* Fields of Intel's private queue structs whose offsets a shim has to know. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim_layout.h"

#include <stdint.h>

/* Byte offsets in the driver's Rx queue, and what goes with them. */
#define INTEL_RX_FIELDS(F) \
	F(pool, 8, "its mempool") \
	F(ring, 8, "descriptors") \
	F(sw_ring, 8, "mbufs, by slot") \
	F(size, 2, "descriptors there are") \
	F(tail, 2, "slot that is received into next") \
	F(rearm_n, 2, "slots that have no mbuf") \
	F(rearm_start, 2, "the first of these") \
	F(port, 2, "of ethdev") \
	F(queue, 2, "of ethdev") \
	F(doorbell, 8, "pointer to the NIC's register") \
	F(fake, 128, "the driver's dummy mbuf") \
	F(vector, 2, "ixgbe, 16 bits: not 0 when a vector function receives") \
	F(ring_iova, 8, "the descriptors for the NIC; here that nothing else be taken for it") \
	F(desc_size, 0, "bytes") \
	F(rearm, 0, "mbufs that the driver rearms at a time, without a look at the ring's end")

struct intel_rx_layout {
	struct shim_releases releases;
	INTEL_RX_FIELDS(SHIM_FIELD)
};

/* The same of its Tx queue. */
#define INTEL_TX_FIELDS(F) \
	F(ring, 8, "descriptors") \
	F(sw_ring, 8, "entries with mbufs") \
	F(size, 2, "descriptors there are") \
	F(tail, 2, "slot that is sent from next") \
	F(free, 2, "slots that may be used") \
	F(rs_thresh, 2, "packets that are freed together") \
	F(next_done, 2, "slot whose descriptor tells of the next such") \
	F(port, 2, "of ethdev") \
	F(queue, 2, "of ethdev") \
	F(offloads, 8, "ixgbe, 64 bits") \
	F(ipsec, 1, "ixgbe, 8 bits") \
	F(ring_iova, 8, "as above") \
	F(prefetch, 1, "the NIC's threshold; as above") \
	F(bare, 0, \
		"1: every vector function keeps bare pointers, and copies them into the mempool cache under fast free") \
	F(done_offset, 0, "in a descriptor of 16 bytes: a word that ...") \
	F(done_mask, 0, "... has all of these bits when the packet was sent") \
	F(least, 0, "handed out at a time: what receive functions of the release arm")

struct intel_tx_layout {
	struct shim_releases releases;
	INTEL_TX_FIELDS(SHIM_FIELD)
};
