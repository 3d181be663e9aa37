/* The queues of vhost ports with dmas=auto: their counters and their channels. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/text.h"
#include "features/dma/dma_auto_priv.h"
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"

#include <rte_cycles.h>
#include <rte_dmadev.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <stdlib.h>

static bool
read_way(uint16_t port, uint16_t queue, int way, struct guest_way *to)
{
	struct net_async_vhost_virtqueue v;

	if (net_async_vhost_virtqueue(port, queue, way == GUEST_RX, &v) != 0 || !v.movable)
		return false;
	*to = (struct guest_way){ .engines = v.engines,
		.leaving = v.leaving,
		.lost = v.lost,
		.packets = v.stats.packets,
		.bytes = v.stats.bytes,
		.in_flight = v.stats.in_flight,
		.load = { 0, 1 },
		.at = { v.dma, v.vchan },
		.to = { -1, 0 } };
	return true;
}

/* Read the pool of packets from a guest. */
static void
pool_read(struct guest_queue *q)
{
	struct rte_eth_rxq_info info;

	q->room = UINT16_MAX;
	q->pool[GUEST_RX] = q->pool[GUEST_TX] = q->pool_to = DMA_NODE_ANY;
	if (rte_eth_rx_queue_info_get(q->port, q->queue, &info) != 0 || info.mp == NULL)
		return;
	q->room = (uint16_t)(rte_pktmbuf_data_room_size(info.mp) - RTE_PKTMBUF_HEADROOM);
	q->pool[GUEST_RX] = info.mp->socket_id;
}

bool
dma_guests_read(struct guest_queues *to)
{
	struct rte_eth_dev_info info;
	struct guest_queue one, *more;
	uint16_t port;

	*to = (struct guest_queues){ .tsc = rte_rdtsc() };
	RTE_ETH_FOREACH_DEV(port) {
		if (!net_async_vhost_is(port) || rte_eth_dev_info_get(port, &info) != 0)
			continue;
		for (uint16_t q = 0; q < RTE_MIN(info.nb_rx_queues, info.nb_tx_queues); q++) {
			one = (struct guest_queue){ .port = port, .queue = q };
			pool_read(&one);
			if (!read_way(port, q, GUEST_RX, &one.way[GUEST_RX]) ||
				!read_way(port, q, GUEST_TX, &one.way[GUEST_TX]))
				continue;
			more = realloc(to->queue, (to->n + 1) * sizeof(*more));
			if (more == NULL)
				return false;
			to->queue = more;
			to->queue[to->n++] = one;
		}
	}
	return true;
}

void
dma_guests_free(struct guest_queues *qs)
{
	free(qs->queue);
	*qs = (struct guest_queues){ 0 };
}

bool
dma_guests_same(struct dma_channel a, struct dma_channel b)
{
	return a.dma == b.dma && (a.dma < 0 || a.vchan == b.vchan);
}

bool
dma_guests_idle(struct dma_channel c)
{
	enum rte_dma_vchan_status status;

	return rte_dma_vchan_status(c.dma, c.vchan, &status) == 0 && status == RTE_DMA_VCHAN_IDLE;
}

struct guest_way *
dma_guests_owner(struct guest_queues *qs, struct dma_channel c, bool to)
{
	for (unsigned int i = 0; i < GUEST_WAYS * qs->n; i++) {
		struct guest_way *w = &qs->queue[i / GUEST_WAYS].way[i % GUEST_WAYS];
		const struct dma_channel *its = to ? &w->to : &w->at;

		if (its->dma == c.dma && its->vchan == c.vchan)
			return w;
	}
	return NULL;
}

void
dma_guests_add(struct text *to, int16_t dma)
{
	struct guest_queues qs;
	const bool all = dma_guests_read(&qs);

	for (unsigned int i = 0; i < GUEST_WAYS * qs.n; i++) {
		const struct guest_queue *q = &qs.queue[i / GUEST_WAYS];

		if (q->way[i % GUEST_WAYS].at.dma == dma)
			text_add(to, "%s" GUEST_WAY, to->n > 0 ? ", " : "",
				GUEST_WAY_OF(q, i % GUEST_WAYS));
	}
	to->cut |= !all;
	dma_guests_free(&qs);
}
