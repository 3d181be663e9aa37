/* Receive and transmit without mbufs on queues of net_i40e, net_ice and net_ixgbe. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/direct/direct_intel.h"

#include "base/base.h"
#include "base/err.h"
#include "pmd_shims/direct/direct_rearm.h"
#include "pmd_shims/direct/direct_slots.h"
#include "pmd_shims/recycle/intel/intel.h"
#include "pmd_shims/recycle/intel/intel_rows.h"

#include <rte_bitops.h>
#include <rte_mempool.h>

#include <errno.h>
#include <string.h>

/* A chip's formats of descriptors, which have two 64-bit words that matter. */
struct format {
	/* of a completed Rx descriptor; done, whole and error are in the second word */
	unsigned int length_word, length_at;
	uint64_t length_mask;
	uint64_t done, whole, error;
	/* of the second word of a Tx descriptor */
	uint64_t command;  /* for a whole packet */
	uint64_t report;   /* ask the NIC to report that it was sent */
	uint64_t per_byte; /* times the packet's length: added to command */
};

/* Intel XL710 datasheet, 8.3.2.2 and 8.4.2.1. */
static const struct format xl710 = { .length_word = 1,
	.length_at = 38,
	.length_mask = 0x3fff,
	.done = 1,
	.whole = 2,
	.error = UINT64_C(1) << 19,
	.command = 0x5 << 4,
	.report = 0x2 << 4,
	.per_byte = UINT64_C(1) << 34 };

/* Intel E810 datasheet, 10.4.2.2 and 10.5.2.1: flexible Rx descriptors, of any profile. */
static const struct format e810 = { .length_word = 0,
	.length_at = 32,
	.length_mask = 0x3fff,
	.done = 1,
	.whole = 2,
	.error = UINT64_C(1) << 10,
	.command = 0x1 << 4,
	.report = 0x2 << 4,
	.per_byte = UINT64_C(1) << 34 };

/* Intel 82599 datasheet, 7.1.6.2 and 7.2.3.2.4. */
static const struct format i82599 = { .length_word = 1,
	.length_at = 32,
	.length_mask = 0xffff,
	.done = 1,
	.whole = 2,
	.error = UINT64_C(1) << 29,
	.command = UINT64_C(0x23300000),
	.report = UINT64_C(0x08000000),
	.per_byte = UINT64_C(1) << 46 | 1 };

static inline uint64_t
word_load(const char *desc, unsigned int which)
{
	return rte_le_to_cpu_64(((const volatile uint64_t *)(const void *)desc)[which]);
}

static inline void
word_store(char *desc, unsigned int which, uint64_t value)
{
	((volatile uint64_t *)(void *)desc)[which] = rte_cpu_to_le_64(value);
}

static __rte_always_inline uint16_t
open_slots(const struct direct *d, const struct intel_rx_layout *l)
{
	return intel_room(&d->from, l, 0);
}

/* What holds for a queue's positions between two calls: free slots are those before the next one. */
static bool
rx_valid(const struct direct *d, const struct intel_rx_layout *l)
{
	const void *rxq = d->from.rxq;
	const uint16_t size = d->from.size, tail = shim_u16(rxq, l->tail),
		       start = shim_u16(rxq, l->rearm_start), open = shim_u16(rxq, l->rearm_n);

	return shim_u16(rxq, l->size) == size && tail < size && start < size && open <= size &&
		start % l->rearm == 0 && (start + open) % size == tail;
}

/* As rx_valid(): packets are those from the oldest one, whose batch is reported next, to the tail. */
static bool
tx_valid(const struct direct *d, const struct intel_tx_layout *l)
{
	const void *txq = d->to.txq;
	const uint16_t size = shim_u16(txq, l->size), thresh = shim_u16(txq, l->rs_thresh),
		       tail = shim_u16(txq, l->tail), free = shim_u16(txq, l->free),
		       next_done = shim_u16(txq, l->next_done), next_rs = shim_u16(txq, l->next_rs);

	return tail < size && free < size && next_done < size && next_rs < size &&
		next_done % thresh == thresh - 1 &&
		next_rs == tail / thresh * thresh + thresh - 1 &&
		(next_done + 1 - thresh + size - 1 - free) % size == tail;
}

/* The Rx slots that are armed next. */
struct place {
	struct rte_mbuf **slots;
	char *desc;
};

static __rte_always_inline struct place
place_next(const struct direct *d, const struct intel_rx_layout *l)
{
	const uint16_t slot = shim_u16(d->from.rxq, l->rearm_start);

	return (struct place){ (struct rte_mbuf **)shim_pointer(d->from.rxq, l->sw_ring) + slot,
		(char *)shim_pointer(d->from.rxq, l->ring) + slot * l->desc_size };
}

/* Write the address of an mbuf's data. The second word is 0: no header buffer, and not done. */
static __rte_always_inline void
slot_point(char *desc, const struct rte_mbuf *m, uint64_t address)
{
	word_store(desc, 0, (uintptr_t)m + address);
	word_store(desc, 1, 0);
}

/* A direct_arm. stride: constant, of the sent mbufs. */
static __rte_always_inline void
arm(struct direct *d, const struct intel_rx_layout *l, size_t stride)
{
	const uint64_t address = d->data_at + d->iova;
	const uint16_t n = d->sent.n;
	const char *from = d->sent.first;

	for (uint16_t at = 0; at < n; at += l->rearm) {
		const struct place p = place_next(d, l);

		for (uint16_t i = 0; i < l->rearm; i++) {
			struct rte_mbuf *m = *(struct rte_mbuf *const *)(const void *)from;

			from += stride;
			p.slots[i] = m;
			slot_point(p.desc + i * l->desc_size, m, address);
		}
		intel_armed(&d->from, l);
	}
}

/* A direct_arm for mbufs that are bound to slots. */
static __rte_always_inline void
arm_bound(struct direct *d, uint16_t n, const struct intel_rx_layout *l)
{
	const uint64_t address = d->data_at + d->iova;

	for (uint16_t at = 0; at < n; at += l->rearm) {
		const struct place p = place_next(d, l);

		for (uint16_t i = 0; i < l->rearm; i++)
			slot_point(p.desc + i * l->desc_size, p.slots[i], address);
		intel_armed(&d->from, l);
	}
}

/* Receive what is done, at most max and what can be sent. */
static __rte_always_inline uint16_t
take_done(struct direct *d, struct direct_pkt *pkts, uint16_t max, const struct intel_rx_layout *l,
	const struct format *f)
{
	void *rxq = d->from.rxq;
	const char *ring = shim_pointer(rxq, l->ring);
	struct rte_mbuf *const *slots = shim_pointer(rxq, l->sw_ring);
	const uint16_t mask = shim_u16(rxq, l->size) - 1, tail = shim_u16(rxq, l->tail),
		       open = shim_u16(rxq, l->rearm_n);
	const uintptr_t data_at = d->data_at;
	uint64_t odd = 0;
	uint16_t n;

	HOT_ASSERT(rx_valid(d, l));
	/*
	 * Free slots may look done, but the armed slot before them never does: the NIC does not
	 * own it, since the tail register points to it.
	 */
	max = RTE_MIN(max, d->room);
	for (n = 0; n < max; n++) {
		const uint16_t slot = (tail + n) & mask;
		const char *desc = ring + slot * l->desc_size;
		const uint64_t state = word_load(desc, 1);
		uint64_t word = state;

		if ((state & f->done) == 0)
			break;
		odd |= state ^ f->whole;
		if (f->length_word == 0) {
			rte_io_rmb();
			word = word_load(desc, 0);
		}
		pkts[n].data = (uint8_t *)slots[slot] + data_at;
		pkts[n].length = word >> f->length_at & f->length_mask;
	}
	/* Packets are read after the words that show them as received. */
	rte_io_rmb();
	d->any_bad = (odd & (f->whole | f->error)) != 0;
	shim_u16_set(rxq, l->tail, (tail + n) & mask);
	shim_u16_set(rxq, l->rearm_n, open + n);
	return n;
}

/* A direct_rx for mbufs that are bound to slots. */
static __rte_always_inline uint16_t
receive_bound(struct direct *d, struct direct_pkt *pkts, uint16_t max,
	const struct intel_rx_layout *l, const struct format *f)
{
	uint16_t open = open_slots(d, l);

	for (unsigned int i = 0; i < DIRECT_BATCHES_MAX && open >= d->batch; i++) {
		const uint16_t n = d->tx_ops->take(d, d->batch);

		if (n == 0)
			break;
		arm_bound(d, n, l);
		open = open_slots(d, l);
	}
	/* The Tx ring is not emptied, so mbufs of the pool are needed. */
	if (unlikely(open > d->from.size / 2))
		direct_slots_leave(d);
	return take_done(d, pkts, max, l, f);
}

/* A direct_sort. */
static __rte_always_inline uint16_t
drop_bad(struct direct *d, struct direct_pkt *pkts, uint16_t n, const struct format *f)
{
	const struct intel_rx_layout *l = d->from.layout;
	const uint16_t mask = shim_u16(d->from.rxq, l->size) - 1,
		       first = shim_u16(d->from.rxq, l->tail) - n;
	const char *ring = shim_pointer(d->from.rxq, l->ring);
	uint16_t kept = 0;

	/* The descriptors are those of the last burst until the next call. */
	for (uint16_t i = 0; i < n; i++) {
		const char *desc = ring + ((first + i) & mask) * l->desc_size;

		if (((word_load(desc, 1) ^ f->whole) & (f->whole | f->error)) != 0)
			rte_mempool_put(d->from.pool, pkts[i].data - d->data_at);
		else
			pkts[kept++] = pkts[i];
	}
	return kept;
}

/* A direct_check: slots are found by a mask. */
static int
rx_check(struct direct *d, struct err *e)
{
	if (rte_is_power_of_2(d->from.size))
		return 0;
	return err_set(e, ENOTSUP, "port %u: %u receive descriptors: expected a power of 2",
		d->from.port, d->from.size);
}

/* A direct_take. stride: constant, of the queue's entries. */
static __rte_always_inline uint16_t
take(struct direct *d, const struct intel_tx_layout *l, size_t stride)
{
	const uint16_t n = d->batch, size = shim_u16(d->to.txq, l->size),
		       free = shim_u16(d->to.txq, l->free),
		       next_done = shim_u16(d->to.txq, l->next_done),
		       first = next_done + 1 - shim_u16(d->to.txq, l->rs_thresh);
	const char *entries = shim_pointer(d->to.txq, l->sw_ring);
	struct shim_mbufs *const sent = &d->sent;
	uint16_t last = first + n - 1;
	const bool wraps = last >= size;

	HOT_ASSERT(tx_valid(d, l));
	/* The last descriptor shows that all were sent. */
	if (wraps)
		last -= size;
	*sent = (struct shim_mbufs){ .first = entries + first * stride, .stride = stride };
	/* Check for as many: descriptors that were never used read as done. */
	if (size - 1 - free < n ||
		(rte_le_to_cpu_32(*(const volatile uint32_t *)(const void
				 *)((const char *)shim_pointer(d->to.txq, l->ring) +
			 last * INTEL_TX_DESC + l->done_offset)) &
			l->done_mask) != l->done_mask)
		return 0;
	if (unlikely(wraps)) {
		memcpy(d->list, sent->first, (size - first) * stride);
		memcpy((char *)d->list + (size - first) * stride, entries, (last + 1) * stride);
		sent->first = d->list;
	}
	sent->n = n;
	d->room = free + n;
	shim_u16_set(d->to.txq, l->free, d->room);
	shim_u16_set(d->to.txq, l->next_done,
		next_done + n < size ? next_done + n : next_done + n - size);
	return n;
}

/*
 * A direct_tx. stride: constant, of the queue's entries; 0: mbufs are bound to slots, so entries and
 * addresses are what they have to be. But the NIC may have overwritten the address in a
 * descriptor in which it reported.
 */
static __rte_always_inline void
transmit(struct direct *d, const struct direct_pkt *pkts, uint16_t n,
	const struct intel_tx_layout *l, size_t stride, const struct format *f)
{
	void *txq = d->to.txq;
	char *ring = shim_pointer(txq, l->ring), *entries = shim_pointer(txq, l->sw_ring);
	const uint16_t size = shim_u16(txq, l->size), thresh = shim_u16(txq, l->rs_thresh);
	const uintptr_t data_at = d->data_at;
	const uint64_t iova = d->iova;
	uint16_t tail = shim_u16(txq, l->tail), next_rs = shim_u16(txq, l->next_rs);

	if (unlikely(n == 0))
		return;
	HOT_ASSERT(tx_valid(d, l) && n <= shim_u16(txq, l->free));
	d->room = shim_u16(txq, l->free) - n;
	shim_u16_set(txq, l->free, d->room);
	while (n > 0) {
		/* next_rs is in the ring and not before the tail. */
		const uint16_t run = RTE_MIN(n, next_rs + 1 - tail);
		char *desc = ring + tail * INTEL_TX_DESC, *entry = entries + tail * stride;

		for (uint16_t i = 0; i < run; i++) {
			if (stride != 0) {
				*(struct rte_mbuf **)(void *)(entry + i * stride) =
					(struct rte_mbuf *)(void *)(pkts[i].data - data_at);
				word_store(desc + i * INTEL_TX_DESC, 0,
					(uintptr_t)pkts[i].data + iova);
			}
			word_store(desc + i * INTEL_TX_DESC, 1,
				f->command + pkts[i].length * f->per_byte);
		}
		tail += run;
		pkts += run;
		n -= run;
		if (tail <= next_rs)
			break;
		if (stride == 0)
			word_store(desc + (run - 1) * INTEL_TX_DESC, 0,
				(uintptr_t)pkts[-1].data + iova);
		word_store(desc + (run - 1) * INTEL_TX_DESC, 1,
			f->command + f->report + pkts[-1].length * f->per_byte);
		next_rs += thresh;
		if (tail == size) {
			tail = 0;
			next_rs = thresh - 1;
		}
	}
	shim_u16_set(txq, l->next_rs, next_rs);
	shim_u16_set(txq, l->tail, tail);
	rte_write32(rte_cpu_to_le_32(tail), shim_pointer(txq, l->doorbell));
}

/* A direct_check of the next packet to be reported. */
static int
tx_check(struct direct *d, struct err *e)
{
	const struct intel_tx_layout *l = d->to.layout;
	const uint16_t thresh = shim_u16(d->to.txq, l->rs_thresh),
		       tail = shim_u16(d->to.txq, l->tail);

	d->proof.tx_pointers.at[0] = l->doorbell != SHIM_NONE ? shim_pointer(d->to.txq, l->doorbell)
							      : NULL;
	if (l->next_rs != SHIM_NONE && l->doorbell != SHIM_NONE &&
		shim_u16(d->to.txq, l->next_rs) == tail / thresh * thresh + thresh - 1 &&
		(d->to.laid.by == SHIM_BY_TABLE
				? !shim_owned(shim_pointer(d->to.txq, l->doorbell), 1)
				: shim_register(shim_pointer(d->to.txq, l->doorbell))))
		return 0;
	return err_set(e, ENOTSUP, "port %u: transmit queue %u is not laid out as in %s",
		d->to.port, d->to.queue, d->to.laid.as);
}

/* A direct_prove: the tail register reads as it was last written. */
static enum shim_proof
tx_prove(struct direct *d)
{
	const struct intel_tx_layout *l = d->to.layout;
	const void *doorbell = shim_pointer(d->to.txq, l->doorbell);

	return doorbell == d->proof.tx_pointers.at[0] &&
			rte_le_to_cpu_32(rte_read32(doorbell)) == shim_u16(d->to.txq, l->tail)
		? SHIM_AGREED
		: SHIM_WRONG;
}

/*
 * The functions of a driver's Rx queue. l: the layout, whose offsets are constants if it is that of
 * the release at compile time, built; NULL: any. Sent mbufs are 8 bytes apart or 16.
 */
#define RX_OPS(id, name, chip, l, built) \
	static uint16_t id##_open(const struct direct *d) \
	{ \
		return open_slots(d, l); \
	} \
	static void id##_arm(struct direct *d) \
	{ \
		if (d->sent.stride == 8) \
			arm(d, l, 8); \
		else \
			arm(d, l, 16); \
	} \
	static uint16_t id##_receive(struct direct *d, struct direct_pkt *pkts, uint16_t max) \
	{ \
		direct_rearm(d, id##_open, id##_arm); \
		return take_done(d, pkts, max, l, &(chip)); \
	} \
	static uint16_t id##_receive_bound(struct direct *d, struct direct_pkt *pkts, \
		uint16_t max) \
	{ \
		return receive_bound(d, pkts, max, l, &(chip)); \
	} \
	static uint16_t id##_drop_bad(struct direct *d, struct direct_pkt *pkts, uint16_t n) \
	{ \
		return drop_bad(d, pkts, n, &(chip)); \
	} \
	const struct direct_rx_ops direct_rx_##id = { .driver = name, \
		.shim = &intel_rx_ops, \
		.check = rx_check, \
		.receive = id##_receive, \
		.receive_bound = id##_receive_bound, \
		.drop_bad = id##_drop_bad, \
		.open = id##_open, \
		.layout = built, \
		.layout_bytes = sizeof(struct intel_rx_layout) }

/* The functions of a driver's Tx queue. stride: bytes of an entry. */
#define TX_OPS(id, name, stride, chip, l, built) \
	static void id##_send_##stride(struct direct *d, const struct direct_pkt *pkts, \
		uint16_t n) \
	{ \
		transmit(d, pkts, n, l, stride, &(chip)); \
		direct_slots_count(d, n); \
	} \
	static void id##_send_bound_##stride(struct direct *d, const struct direct_pkt *pkts, \
		uint16_t n) \
	{ \
		transmit(d, pkts, n, l, 0, &(chip)); \
	} \
	static uint16_t id##_take_##stride(struct direct *d, uint16_t max) \
	{ \
		return take(d, l, stride); \
	} \
	static void id##_begin_##stride(struct direct *d) \
	{ \
		d->unknown = d->to.ops->held(&d->to); \
		d->room = shim_u16(d->to.txq, (l)->free); \
	} \
	const struct direct_tx_ops direct_tx_##id##_##stride = { .driver = name, \
		.shim = &intel_tx_ops_##stride, \
		.check = tx_check, \
		.prove = tx_prove, \
		.send = id##_send_##stride, \
		.send_bound = id##_send_bound_##stride, \
		.take = id##_take_##stride, \
		.begin = id##_begin_##stride, \
		.layout = built, \
		.layout_bytes = sizeof(struct intel_tx_layout) }

#define RX_BOUND ((const struct intel_rx_layout *)d->from.layout)
#define TX_BOUND ((const struct intel_tx_layout *)d->to.layout)

RX_OPS(i40e, "net_i40e", xl710, I40E_RX_BUILT, I40E_RX_BUILT);
RX_OPS(ice, "net_ice", e810, ICE_RX_BUILT, ICE_RX_BUILT);
RX_OPS(ixgbe, "net_ixgbe", i82599, IXGBE_RX_BUILT, IXGBE_RX_BUILT);
RX_OPS(any_i40e, "net_i40e", xl710, RX_BOUND, NULL);
RX_OPS(any_ice, "net_ice", e810, RX_BOUND, NULL);
RX_OPS(any_ixgbe, "net_ixgbe", i82599, RX_BOUND, NULL);
TX_OPS(i40e, "net_i40e", 8, xl710, I40E_TX_BUILT, I40E_TX_BUILT);
TX_OPS(i40e, "net_i40e", 16, xl710, I40E_TX_BUILT, I40E_TX_BUILT);
TX_OPS(ice, "net_ice", 8, e810, ICE_TX_BUILT, ICE_TX_BUILT);
TX_OPS(ice, "net_ice", 16, e810, ICE_TX_BUILT, ICE_TX_BUILT);
TX_OPS(ixgbe, "net_ixgbe", 8, i82599, IXGBE_TX_BUILT, IXGBE_TX_BUILT);
TX_OPS(any_i40e, "net_i40e", 8, xl710, TX_BOUND, NULL);
TX_OPS(any_i40e, "net_i40e", 16, xl710, TX_BOUND, NULL);
TX_OPS(any_ice, "net_ice", 8, e810, TX_BOUND, NULL);
TX_OPS(any_ice, "net_ice", 16, e810, TX_BOUND, NULL);
TX_OPS(any_ixgbe, "net_ixgbe", 8, i82599, TX_BOUND, NULL);
