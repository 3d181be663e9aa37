/* What re-arming of sent mbufs needs rarely: mbufs to and from the pool. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/direct/direct_rearm.h"

#include <rte_common.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

void
direct_begin(struct direct *d)
{
	d->tx_ops->begin(d);
	d->begun = true;
}

void
direct_free(struct direct *d)
{
	const struct shim_mbufs *sent = &d->sent;

	/* Mbufs that were sent by other functions may have other references and segments. */
	for (uint16_t i = 0; i < sent->n; i++)
		if (d->to.packets)
			rte_pktmbuf_free(shim_mbuf(sent, i));
		else
			rte_pktmbuf_free_seg(shim_mbuf(sent, i));
	d->unknown -= RTE_MIN(d->unknown, sent->n);
	counter_add(d->count.freed, sent->n);
}

bool
direct_top_up(struct direct *d)
{
	/* Without batches arming ends at the ring's end. */
	const uint16_t n = d->from.batch == 1 ? RTE_MIN(d->batch, d->from.ops->room(&d->from, 0))
					      : d->from.batch;
	void *mbufs[DIRECT_BATCH_MAX];
	const struct shim_mbufs all = { .first = mbufs, .stride = sizeof(mbufs[0]), .n = n };

	if (rte_mempool_get_bulk(d->from.pool, mbufs, n) != 0)
		return false;
	d->from.ops->arm(&d->from, &all, true);
	counter_add(d->count.topped_up, n);
	return true;
}
