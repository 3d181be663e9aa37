/* Forwarding without mbufs between two queues: completed receive descriptors become transmit
 * descriptors. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The problem: a forwarder that only moves frames reads and writes an mbuf per packet four times:
 * the driver fills it at reception, the engine looks at it, the driver reads it at transmission and
 * frees it. Nothing of it reaches the wire. What does are an address and a length, which the receive
 * descriptor has and the transmit descriptor wants.
 *
 * The idea: read completed receive descriptors as pairs of address and length (struct direct_pkt),
 * and write transmit descriptors from them. The two arrays of mbufs of the drivers stay exact: the
 * pointer to a packet's mbuf moves from its slot of the Rx ring to its slot of the Tx ring, and
 * pointers of sent packets move back in batches. No mbuf is read or written; its address follows
 * from that of its data. If the two rings have as many slots, an mbuf can be bound to one slot of
 * each: then the arrays and the addresses in Tx descriptors do not change. See direct_slots.h.
 *
 * The rings belong to the drivers before and after. All counters of both queues are those that the
 * drivers' own functions would have left, so that these may use the queues between two calls, after
 * direct_pause(). That is how captures, mirrors and a port's stop work, and how a ring that cannot be
 * handled now is left to the driver for a burst (direct_usable()).
 *
 * Why not an mbuf that is filled lazily: it is a cache line per packet all the same. Why not a driver
 * of our own: it would have to initialize cards; the stock drivers do that well.
 *
 * A layout that was never run with this release has to be proved first, as for recycling: the drivers'
 * own functions forward until both queues have agreed with it in many states (recycle.c), in the
 * fields that recycling uses and in those that only this uses.
 *
 * Limits: both queues belong to one lcore. Packets have one segment, in the buffer of an mbuf of a
 * pool whose buffers lie in its mbufs. Functions are compiled for the layouts of the release at compile
 * time; others read offsets at run time, which costs a few instructions per packet. Offloads that need an mbuf's fields are refused. Packets that are received
 * with an error are given back to the pool.
 */
#pragma once

#include "pmd_shims/direct/direct_half.h"

/* The layouts that may be used, as recycling has them. tables_only: none newer than the tables. Thread: any. */
struct shim_layouts direct_layouts(bool tables_only);

/*
 * Bind two queues of started ports that only the caller's lcore uses; does not change them. slots:
 * bind mbufs to slots while that is possible. known: the layouts to use. If one of them is not from the
 * table, direct_usable() is false until the queues have agreed with it. Errors: ENOTSUP with the
 * reason, ENOMEM. Thread: control.
 */
struct direct *direct_bind(const struct recycle_ends *ends, const struct shim_layouts *known,
	bool slots, const struct direct_count *count, struct err *e);

/*
 * Free a binding, after direct_pause(); NULL is fine. The lcore must no longer use it. Thread:
 * control.
 */
void direct_unbind(struct direct *d);

/*
 * Prepare for other functions that use the queues: the Rx ring is armed in full. Thread: the lcore that owns the queues, or
 * control when that does not run.
 */
void direct_pause(struct direct *d);

/*
 * Remove bad packets from the last burst, pkts[0..n), and return their mbufs to the pool. Returns
 * how many are left. Thread: the lcore that owns the queues.
 */
uint16_t direct_drop_bad(struct direct *d, struct direct_pkt *pkts, uint16_t n);

/* Return the mbufs of received packets to the pool. Thread: the lcore. */
void direct_drop(struct direct *d, const struct direct_pkt *pkts, uint16_t n);

/*
 * Returns how many packets can be sent, after sent mbufs were returned to the pool if there is no
 * room for n. For packets of another binding with the same pool. Thread: the lcore.
 */
uint16_t direct_room(struct direct *d, uint16_t n);

/*
 * True if a queue has callbacks, such as those of captures: they need mbufs. Thread: any.
 */
static inline bool
direct_observed(const struct direct *d)
{
	const struct rte_ethdev_qdata *rx = &rte_eth_fp_ops[d->from.port].rxq,
				      *tx = &rte_eth_fp_ops[d->to.port].txq;

	return unlikely(((void *const volatile *)(void *)rx->clbk)[d->from.queue] != NULL ||
		((void *const volatile *)(void *)tx->clbk)[d->to.queue] != NULL);
}

/* What direct_usable() asks: compares layouts that are not proved. Thread: the lcore that owns the queues. */
bool direct_queues_ready(struct direct *d);

/* The proof of the queues' layouts. Thread: any. */
enum recycle_proof direct_proof(const struct direct *d);

/*
 * True if packets can be forwarded without mbufs now. Otherwise call direct_pause() and use the
 * drivers' functions. Thread: the lcore that owns the queues.
 */
static inline bool
direct_usable(struct direct *d)
{
	return likely(!direct_observed(d)) && direct_stands(d) &&
		(likely(!d->asks) || direct_queues_ready(d));
}

/*
 * Re-arm sent mbufs, then receive into pkts[0..n), at most max and at most what the Tx ring has
 * room for; pass all of them to direct_send(), or those that direct_drop_bad() leaves. Returns n.
 * Thread: the lcore that owns the queues.
 */
static inline uint16_t
direct_receive(struct direct *d, struct direct_pkt *pkts, uint16_t max)
{
	HOT_ASSERT(direct_valid(d));
	return d->receive(d, pkts, max);
}

static inline uint64_t
direct_bytes(const struct direct_pkt *pkts, uint16_t n)
{
	uint64_t bytes = 0;

	for (uint16_t i = 0; i < n; i++)
		bytes += pkts[i].length;
	return bytes;
}

/*
 * Transmit pkts[0..n), for which there is room. The last one may be held back until the next call,
 * or until direct_flush(). Thread: the lcore that owns the queues.
 */
static inline void
direct_send(struct direct *d, const struct direct_pkt *pkts, uint16_t n)
{
	HOT_ASSERT(direct_valid(d) && (n == 0 || (d->begun && n <= d->room)));
	HOT_ASSERT(direct_packets_valid(d, pkts, n));
	d->send(d, pkts, n);
}

/*
 * Transmit the packet that was held back. Call it whenever nothing was received. Thread: as
 * direct_pause().
 */
static inline void
direct_flush(struct direct *d)
{
	if (unlikely(d->held.data != NULL))
		d->tx_ops->flush(d);
}
