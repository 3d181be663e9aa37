/* dma placement auto: lcores for streams, near the memory and the engines of their guests. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_auto_priv.h"
#include "stream/plan.h"

#include <errno.h>
#include <stdlib.h>

/* A stream and the bytes per second of those of its directions that are guests'. */
struct stream_load {
	unsigned int stream;
	int node; /* DMA_NODE_ANY: of any lcore */
	bool guest;
	double bytes, largest;
};

/* Add one direction of a stream: bytes go to the node of the lcore for which its queue is placed. */
static void
stream_add(struct stream_load *to, const struct dma_topology *t, const struct dma_queue *queue,
	const struct dma_places *p, int way, uint16_t port, uint16_t id)
{
	for (unsigned int i = 0; i < p->n / GUEST_WAYS; i++) {
		const double bytes = queue[i].load[way].bytes;

		if (queue[i].port != port || queue[i].queue != id)
			continue;
		if (!to->guest || bytes > to->largest) {
			to->node = t->lcore[p->place[GUEST_WAYS * i].lcore].node;
			to->largest = bytes;
		}
		to->guest = true;
		to->bytes += bytes;
	}
}

/* Guests before others, the largest load first, else in the order of the plan. */
static int
stream_order(const void *one, const void *other)
{
	const struct stream_load *a = one, *b = other;

	if (a->guest != b->guest)
		return a->guest ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return a->stream < b->stream ? -1 : 1;
}

int
dma_streams_place(unsigned int *lcore, const struct plan *plan, const struct dma_topology *t,
	const struct dma_queue *queue, unsigned int n, struct err *e)
{
	struct stream_load *load = calloc(plan->n_streams, sizeof(*load));
	double bytes[RTE_MAX_LCORE] = { 0 };
	unsigned int streams[RTE_MAX_LCORE] = { 0 };
	struct dma_places p;
	bool guests = false;

	if (load == NULL)
		return err_set(e, ENOMEM, "no memory to place %u streams", plan->n_streams);
	if (dma_place_all(&p, t, queue, n, NULL, e) != 0) {
		free(load);
		return -e->code;
	}
	for (unsigned int i = 0; i < plan->n_streams; i++) {
		const struct plan_stream *s = &plan->streams[i];

		load[i] = (struct stream_load){ .stream = i, .node = DMA_NODE_ANY };
		stream_add(&load[i], t, queue, &p, GUEST_RX, s->rx_port, s->rx_queue);
		stream_add(&load[i], t, queue, &p, GUEST_TX, s->tx_port, s->tx_queue);
		guests = guests || load[i].guest;
		lcore[i] = s->lcore;
	}
	qsort(load, plan->n_streams, sizeof(*load), stream_order);
	for (unsigned int i = 0; guests && i < plan->n_streams; i++) {
		unsigned int best = RTE_MAX_LCORE;

		for (unsigned int k = 0; k < t->n_lcores; k++)
			if ((load[i].node == DMA_NODE_ANY || t->lcore[k].node == load[i].node) &&
				(best == RTE_MAX_LCORE || bytes[k] < bytes[best] ||
					(bytes[k] == bytes[best] && streams[k] < streams[best])))
				best = k;
		bytes[best] += load[i].bytes;
		streams[best]++;
		lcore[load[i].stream] = t->lcore[best].id;
	}
	dma_place_free(&p);
	free(load);
	return 0;
}
