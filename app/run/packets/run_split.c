/* Removes empty segments of received packets, where a port splits packets behind a header. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/packets/run_split.h"

#include "base/err.h"
#include "engines/engine.h"
#include "memory/mbuf_readonly.h"
#include "port/port.h"
#include "run/run.h"

#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void
segment_free(struct rte_mbuf *m)
{
	m->next = NULL;
	m->nb_segs = 1;
	rte_pktmbuf_free_seg(m);
}

/* Free the first segment. What the driver knows of the packet moves to the second one. */
static struct rte_mbuf *
first_free(struct rte_mbuf *m, uint64_t own)
{
	struct rte_mbuf *next = m->next;

	next->pkt_len = m->pkt_len;
	next->nb_segs = m->nb_segs - 1;
	next->port = m->port;
	next->packet_type = m->packet_type;
	next->vlan_tci = m->vlan_tci;
	next->vlan_tci_outer = m->vlan_tci_outer;
	next->hash = m->hash;
	next->tx_offload = m->tx_offload;
	memcpy(next->dynfield1, m->dynfield1, sizeof(next->dynfield1));
	next->ol_flags = (m->ol_flags & ~own) | (next->ol_flags & own);
	segment_free(m);
	return next;
}

/* Return the packet without its empty segments; an empty packet keeps one. */
static struct rte_mbuf *
whole(struct rte_mbuf *pkt, uint64_t own)
{
	struct rte_mbuf *m;

	while (pkt->data_len == 0 && pkt->next != NULL)
		pkt = first_free(pkt, own);
	for (m = pkt; m->next != NULL;) {
		struct rte_mbuf *next = m->next;

		if (next->data_len != 0) {
			m = next;
			continue;
		}
		m->next = next->next;
		pkt->nb_segs--;
		segment_free(next);
	}
	return pkt;
}

/* Rx callback. Thread: the stream's worker. */
static uint16_t
on_rx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, uint16_t max, void *arg)
{
	const struct run_split_queue *q = arg;

	for (uint16_t i = 0; i < n; i++)
		if (pkts[i]->nb_segs > 1)
			pkts[i] = whole(pkts[i], q->own);
	return n;
}

bool
run_split_splits(const struct port *p, uint16_t queue)
{
	return ((p->conf.rxmode.offloads | p->rxq[queue].offloads) &
		       RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT) != 0 &&
		p->rx_pools[queue][1] != NULL;
}

static int
queue_open(struct run_split_queue *q, struct err *e)
{
	q->callback = rte_eth_add_rx_callback(q->port, q->queue, on_rx, q);
	if (q->callback == NULL)
		return err_set(e, rte_errno,
			"port %u queue %u splits packets, but empty segments cannot be removed: %s",
			q->port, q->queue, rte_strerror(rte_errno));
	return 0;
}

int
run_split_begin(struct run *r, struct err *e)
{
	const unsigned int n = r->plan.n_streams;
	const uint64_t own = RTE_MBUF_F_EXTERNAL | RTE_MBUF_F_INDIRECT | mbuf_readonly_lookup();
	int ret = 0;

	if ((r->engine_run->flags & ENGINE_NO_RX) != 0)
		return 0;
	r->split = calloc(n, sizeof(*r->split));
	if (r->split == NULL)
		return err_set(e, ENOMEM, "no memory to join split packets in %u streams", n);
	for (unsigned int i = 0; i < n && ret == 0; i++) {
		const struct stream *s = r->streams[i];
		const struct port *p = port_at(r->ports, s->rx_port);

		if (p == NULL || s->rx_queue >= PORT_QUEUES_MAX ||
			!run_split_splits(p, s->rx_queue))
			continue;
		r->split[r->n_split] =
			(struct run_split_queue){ s->rx_port, s->rx_queue, own, NULL };
		ret = queue_open(&r->split[r->n_split++], e);
	}
	if (ret != 0)
		run_split_end(r);
	return ret;
}

void
run_split_end(struct run *r)
{
	for (unsigned int i = 0; i < r->n_split; i++) {
		struct run_split_queue *q = &r->split[i];

		/* No lcore receives any more, so the callback can be freed. */
		if (q->callback != NULL &&
			rte_eth_remove_rx_callback(q->port, q->queue, q->callback) == 0)
			rte_free((void *)(uintptr_t)q->callback);
	}
	free(r->split);
	r->split = NULL;
	r->n_split = 0;
}
