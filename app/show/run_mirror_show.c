/* Statistics of port mirrors: per queue, and per port in forward statistics. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "show/run_mirror_show.h"

#include "base/out.h"
#include "run/run.h"
#include "run/run_mirror_queue.h"

#include <rte_mempool.h>

#include <inttypes.h>
#include <string.h>

/* Add a queue's counts since the last clear. */
static void
queue_add(struct run_mirror_sum *sum, const struct run_mirror_queue *mq)
{
	const struct run_mirror_sum now = run_mirror_queue_read(mq), *base = &mq->base;

	sum->received += now.received - base->received;
	sum->sent += now.sent - base->sent;
	sum->no_mbuf += now.no_mbuf - base->no_mbuf;
	sum->full += now.full - base->full;
	sum->segments += now.segments - base->segments;
}

static void
sum_show(struct out *o, const struct run_mirror_sum *sum)
{
	out_u64(o, "received", "    %-14" PRIu64 " received\n", sum->received);
	out_u64(o, "sent", "    %-14" PRIu64 " sent\n", sum->sent);
	out_u64(o, "no_mbuf", "    %-14" PRIu64 " dropped: no free mbuf in the pool\n",
		sum->no_mbuf);
	out_u64(o, "full", "    %-14" PRIu64 " dropped: Tx queue full\n", sum->full);
	out_u64(o, "segments",
		"    %-14" PRIu64
		" dropped: multi-segment packet, which the Tx queue cannot send\n",
		sum->segments);
}

static void
queue_show(struct out *o, const struct run_mirror_queue *mq)
{
	struct run_mirror_sum sum = { 0 };

	queue_add(&sum, mq);
	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "rx_queue", "  RX queue %" PRIu64, mq->rx_queue);
	out_u64(o, "tx_queue", " -> TX queue %" PRIu64, mq->tx_queue);
	out_u64(o, "lcore", " on lcore %" PRIu64 ", ", mq->lcore);
	out_str(o, "manner", "%s", mq->clones ? "clone" : "copy");
	out_text(o, mq->clones ? "s\n" : "");
	out_str(o, "reason", mq->clones ? NULL : ": %s\n", mq->clones ? NULL : mq->why);
	sum_show(o, &sum);
	out_unnest(o);
}

void
run_mirror_show_all(const struct run *r)
{
	const struct run_mirror *m = &r->mirror;
	unsigned int shown = 0;

	out_nest(r->out, "mirrors", OUT_ARRAY);
	for (uint16_t i = 0; i < RTE_MAX_ETHPORTS; i++) {
		if (!m->target[i].on)
			continue;
		shown++;
		out_nest(r->out, NULL, OUT_OBJECT);
		out_u64(r->out, "from", "Port %" PRIu64 " is mirrored", i);
		out_u64(r->out, "to", " to port %" PRIu64 "\n", m->target[i].to);
		out_nest(r->out, "queues", OUT_ARRAY);
		for (unsigned int k = 0; k < m->n_queues; k++)
			if (m->queues[k].rx_port == i && m->queues[k].tx_port == m->target[i].to)
				queue_show(r->out, &m->queues[k]);
		out_unnest(r->out);
		out_unnest(r->out);
	}
	out_unnest(r->out);
	out_u64(r->out, "pool_in_use", NULL,
		m->pool != NULL ? rte_mempool_in_use_count(m->pool) : 0);
	if (shown == 0)
		out_text(r->out, "No port is mirrored\n");
}

void
run_mirror_show_port(const struct run *r, uint16_t port)
{
	struct run_mirror_sum sum = { 0 };
	unsigned int queues = 0;
	uint16_t to = 0;

	for (unsigned int i = 0; i < r->mirror.n_queues; i++)
		if (r->mirror.queues[i].rx_port == port) {
			queue_add(&sum, &r->mirror.queues[i]);
			to = r->mirror.queues[i].tx_port;
			queues++;
		}
	if (queues == 0)
		return;
	out_nest(r->out, "mirror", OUT_OBJECT);
	out_u64(r->out, "to", "  Mirrored to port %" PRIu64 "\n", to);
	sum_show(r->out, &sum);
	out_unnest(r->out);
}
