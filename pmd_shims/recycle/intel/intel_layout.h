/* Fields of the private queue structs of Intel's drivers that a shim needs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"

#include <stdint.h>

/*
 * Byte offsets in the driver's Rx queue, then related constants. A field described as "check only"
 * is not used; it is in the table so that a wrong layout is found because two fields overlap.
 */
#define INTEL_RX_FIELDS(F) \
	F(pool, 8, "its mempool") \
	F(ring, 8, "pointer to the descriptors") \
	F(sw_ring, 8, "pointer to the mbufs, by slot") \
	F(size, 2, "number of descriptors") \
	F(tail, 2, "slot of the next packet to be received") \
	F(rearm_n, 2, "number of slots without an mbuf") \
	F(rearm_start, 2, "first slot without an mbuf") \
	F(port, 2, "ethdev's port number") \
	F(queue, 2, "ethdev's queue number") \
	F(doorbell, 8, "pointer to the NIC's tail register") \
	F(fake, 128, "the driver's dummy mbuf") \
	F(vector, 2, "ixgbe, 16 bits: not 0 if a vector function receives") \
	F(ring_iova, 8, "IOVA of the descriptors; check only") \
	F(desc_size, 0, "bytes of a descriptor") \
	F(rearm, 0, "mbufs that the driver rearms at a time, never across the ring's end")

struct intel_rx_layout {
	struct shim_releases releases;
	INTEL_RX_FIELDS(SHIM_FIELD)
};

/* Byte offsets in the driver's Tx queue, then related constants. */
#define INTEL_TX_FIELDS(F) \
	F(ring, 8, "pointer to the descriptors") \
	F(sw_ring, 8, "pointer to the entries with mbufs") \
	F(size, 2, "number of descriptors") \
	F(tail, 2, "slot of the next packet to be sent") \
	F(free, 2, "number of free slots") \
	F(rs_thresh, 2, "number of packets that are freed together") \
	F(next_done, 2, "slot whose descriptor shows that the next of these were sent") \
	F(next_rs, 2, "slot of the next descriptor that asks for a report") \
	F(doorbell, 8, "pointer to the NIC's tail register") \
	F(port, 2, "ethdev's port number") \
	F(queue, 2, "ethdev's queue number") \
	F(offloads, 8, "ixgbe, 64 bits: Tx offloads") \
	F(ipsec, 1, "ixgbe, 8 bits: not 0 if IPsec is used") \
	F(ring_iova, 8, "IOVA of the descriptors; check only") \
	F(prefetch, 1, "the NIC's prefetch threshold; check only") \
	F(bare, 0, \
		"1: every vector function keeps bare mbuf pointers, and with fast free copies them into the mempool cache") \
	F(done_offset, 0, "offset in a descriptor of 16 bytes of a 32-bit word ...") \
	F(done_mask, 0, "... in which all of these bits are set once the packet was sent") \
	F(least, 0, "minimum batch: what receive functions of the release arm at a time")

struct intel_tx_layout {
	struct shim_releases releases;
	INTEL_TX_FIELDS(SHIM_FIELD)
};
