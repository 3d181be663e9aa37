/* Begins and ends the binding of mbufs to slots of two Intel rings. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/direct/direct_slots.h"

#include "pmd_shims/direct/direct_rearm.h"
#include "pmd_shims/recycle/intel/intel.h"

#include <rte_byteorder.h>
#include <rte_common.h>
#include <rte_mempool.h>

/* The two rings between two bursts; all numbers but size and stride are slots. */
struct rings {
	struct rte_mbuf **rx;
	char *tx, *desc; /* Tx entries, and Tx descriptors */
	size_t stride;
	uint16_t size;
	uint16_t rx_first, rx_free; /* first slot to be armed, and how many */
	uint16_t tx_first, tx_used; /* the oldest packet in the Tx ring, and how many */
};

static struct rings
rings_of(const struct direct *d)
{
	const struct intel_rx_layout *rx = d->from.layout;
	const struct intel_tx_layout *tx = d->to.layout;
	const uint16_t size = d->from.size;

	return (struct rings){ .rx = shim_pointer(d->from.rxq, rx->sw_ring),
		.tx = shim_pointer(d->to.txq, tx->sw_ring),
		.desc = shim_pointer(d->to.txq, tx->ring),
		.stride = d->to.ops == &intel_tx_ops_8 ? 8 : 16,
		.size = size,
		.rx_first = shim_u16(d->from.rxq, rx->rearm_start),
		.rx_free = shim_u16(d->from.rxq, rx->rearm_n),
		.tx_first = (uint16_t)(shim_u16(d->to.txq, tx->next_done) + 1 + size -
				    shim_u16(d->to.txq, tx->rs_thresh)) %
			size,
		.tx_used = size - 1 - shim_u16(d->to.txq, tx->free) };
}

static struct rte_mbuf **
tx_entry(const struct rings *r, uint16_t slot)
{
	return (struct rte_mbuf **)(void *)(r->tx + (size_t)(slot & (r->size - 1)) * r->stride);
}

bool
direct_slots_possible(const struct direct *d)
{
	const struct intel_tx_layout *tx = d->to.layout;

	return d->rx_ops->receive_bound != NULL && d->tx_ops->send_bound != NULL &&
		shim_u16(d->to.txq, tx->size) == d->from.size;
}

/*
 * Make the number of free Rx slots equal to that of packets in the Tx ring, or larger by less than a
 * batch. Returns false if packets that are not sent yet are too many, or the pool is empty.
 */
static bool
rings_level(struct direct *d)
{
	struct rings r = rings_of(d);

	while (r.tx_used > r.rx_free) {
		if (d->tx_ops->take(d, d->batch) == 0)
			return false;
		direct_free(d);
		r = rings_of(d);
	}
	while (r.rx_free - r.tx_used >= d->from.batch) {
		if (!direct_top_up(d))
			return false;
		r = rings_of(d);
	}
	return d->unknown == 0;
}

void
direct_slots_try(struct direct *d)
{
	struct direct_slots *const s = &d->slots;
	const uint64_t address = d->data_at + d->iova;
	void *mbufs[DIRECT_BATCH_MAX];
	uint16_t floating, first;
	struct rings r;

	s->until_try = d->from.size;
	if (!rings_level(d))
		return;
	r = rings_of(d);
	floating = r.rx_free - r.tx_used;
	if (rte_mempool_get_bulk(d->from.pool, mbufs, floating) != 0)
		return;
	s->floating = floating;
	/* The Tx slot of Rx slot rx_first. */
	first = r.tx_first + r.size - floating;
	for (uint16_t i = 0; i < r.size; i++) {
		const uint16_t slot = (r.rx_first + i) & (r.size - 1);
		struct rte_mbuf **entry = tx_entry(&r, first + i);

		if (i < floating)
			r.rx[slot] = mbufs[i];
		else if (i < r.rx_free)
			r.rx[slot] = *entry;
		*entry = r.rx[slot];
		/* Descriptors of packets that are not sent yet already have this address. */
		*(volatile uint64_t *)(void *)(r.desc +
			((first + i) & (r.size - 1)) * INTEL_TX_DESC) =
			rte_cpu_to_le_64((uintptr_t)r.rx[slot] + address);
	}
	s->on = true;
	d->receive = d->rx_ops->receive_bound;
	d->send = d->tx_ops->send_bound;
}

void
direct_slots_leave(struct direct *d)
{
	struct direct_slots *const s = &d->slots;

	if (!s->on)
		return;
	/* They are the first free ones of the Rx ring, unless that is another one by now. */
	if (direct_has_queues(d)) {
		const struct rings r = rings_of(d);

		for (uint16_t i = 0; i < s->floating; i++)
			rte_mempool_put(d->from.pool, r.rx[(r.rx_first + i) & (r.size - 1)]);
	}
	s->on = false;
	s->until_try = DIRECT_SLOTS_PAUSE;
	d->receive = d->rx_ops->receive;
	d->send = d->tx_ops->send;
}
