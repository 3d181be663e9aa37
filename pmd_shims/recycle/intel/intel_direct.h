/* Forwarding without mbufs between queues of net_i40e and net_ixgbe: completed receive descriptors
 * become transmit descriptors. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two arrays of mbufs of the drivers stay exact. The pointer to a packet's mbuf moves from its
 * slot of the Rx ring to its slot of the Tx ring. Pointers of sent packets move back in batches.
 * No mbuf is read or written: its address follows from that of its data. All counters of both
 * queues are those that the drivers' own functions would have left, so that other functions may
 * use the queues between two calls.
 */
#pragma once

#include "base/base.h"
#include "pmd_shims/recycle/shim.h"

#include <rte_branch_prediction.h>
#include <rte_ethdev.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct intel_direct;
struct intel_direct_format;

/* A received packet, in place of an mbuf. */
struct intel_direct_pkt {
	uint8_t *data;   /* first byte */
	uint64_t length; /* bytes, without the CRC */
};

/* Written by the lcore that owns the queues. */
struct intel_direct_count {
	counter *topped_up; /* mbufs from the pool, armed because too few packets were sent */
	counter *freed;     /* sent mbufs returned to the pool */
};

typedef uint16_t intel_direct_rx(struct intel_direct *d, struct intel_direct_pkt *pkts,
	uint16_t max);
typedef void intel_direct_tx(struct intel_direct *d, const struct intel_direct_pkt *pkts,
	uint16_t n);

struct intel_direct {
	intel_direct_rx *rx;
	intel_direct_tx *tx;
	uintptr_t data_at; /* bytes from an mbuf to the first byte of its data */
	uint64_t iova;     /* IOVA of a byte minus its address, for all mbufs of the pool */
	const struct intel_direct_format *format; /* of the Rx descriptors; private */
	bool any_bad; /* a packet of the last burst has an error, or is a part of one */
	/*
	 * False: the queues may have been used by other functions since the last call, so that
	 * mbufs in the Tx ring are not known.
	 */
	bool begun;
	uint16_t unknown; /* the oldest mbufs in the Tx ring, which are not known */
	struct intel_direct_count count;
	struct shim_rx from;
	struct shim_tx to;
};

/*
 * Bind two queues of started ports that only the caller's lcore uses; does not change them. Errors:
 * ENOTSUP with the reason, ENOMEM. Thread: control.
 */
struct intel_direct *intel_direct_bind(const struct recycle_ends *ends,
	const struct intel_direct_count *count, struct err *e);

/* Free a binding; NULL is fine. The lcore must no longer use it. Thread: control. */
void intel_direct_unbind(struct intel_direct *d);

/*
 * Remove bad packets from the last burst, pkts[0..n), and return their mbufs to the pool. Returns
 * how many are left.
 */
uint16_t intel_direct_drop_bad(struct intel_direct *d, struct intel_direct_pkt *pkts, uint16_t n);

/* True if the ports still use the bound functions. Thread: any. */
static inline bool
intel_direct_stands(const struct intel_direct *d)
{
	return likely(rte_eth_fp_ops[d->from.port].rx_pkt_burst == d->from.burst &&
		rte_eth_fp_ops[d->to.port].tx_pkt_burst == d->to.burst);
}

/*
 * True if a queue has callbacks, such as those of captures: they need mbufs. Thread: any.
 */
static inline bool
intel_direct_observed(const struct intel_direct *d)
{
	const struct rte_ethdev_qdata *rx = &rte_eth_fp_ops[d->from.port].rxq,
				      *tx = &rte_eth_fp_ops[d->to.port].txq;

	return unlikely(((void *const volatile *)(void *)rx->clbk)[d->from.queue] != NULL ||
		((void *const volatile *)(void *)tx->clbk)[d->to.queue] != NULL);
}

/*
 * Re-arm sent mbufs, then receive into pkts[0..n), at most max and at most what the Tx ring has
 * room for; pass all of them to intel_direct_send(), or those that intel_direct_drop_bad() leaves.
 * Returns n. Thread: the lcore that owns the queues.
 */
static inline uint16_t
intel_direct_receive(struct intel_direct *d, struct intel_direct_pkt *pkts, uint16_t max)
{
	return d->rx(d, pkts, max);
}

/* Transmit pkts[0..n); there is room for them. Thread: the lcore that owns the queues. */
static inline void
intel_direct_send(struct intel_direct *d, const struct intel_direct_pkt *pkts, uint16_t n)
{
	d->tx(d, pkts, n);
}
