/* A mirror's queue: send the packets of one receive queue on one transmit queue too. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_mirror_queue.h"

#include "pmd_shims/extbuf.h"

#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 /* packets that are sent together */ };

/* Return a clone or copy of the packet; NULL after counting the reason. */
static struct rte_mbuf *
again(struct run_mirror_queue *mq, struct rte_mbuf *m)
{
	struct rte_mbuf *more = mq->clones ? rte_pktmbuf_clone(m, mq->pool)
					   : rte_pktmbuf_copy(m, mq->pool, 0, UINT32_MAX);

	if (unlikely(more == NULL)) {
		counter_add(&mq->count.no_mbuf, 1);
	} else if (unlikely(more->nb_segs > 1 && !mq->segments)) {
		counter_add(&mq->count.segments, 1);
		rte_pktmbuf_free(more);
		more = NULL;
	}
	return more;
}

/* Rx callback. Thread: the lcore of both queues. */
static uint16_t
on_rx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, uint16_t max, void *arg)
{
	struct run_mirror_queue *mq = arg;
	struct rte_mbuf *out[CHUNK];

	if (mq->mark)
		extbuf_mark(pkts, n);
	for (uint16_t i = 0; i < n;) {
		uint16_t made = 0, sent;

		for (; i < n && made < CHUNK; i++) {
			out[made] = again(mq, pkts[i]);
			made += out[made] != NULL;
		}
		sent = rte_eth_tx_burst(mq->tx_port, mq->tx_queue, out, made);
		rte_pktmbuf_free_bulk(out + sent, made - sent);
		counter_add(&mq->count.sent, sent);
		counter_add(&mq->count.full, made - sent);
	}
	counter_add(&mq->count.received, n);
	return n;
}

int
run_mirror_queue_open(struct run_mirror_queue *mq, struct err *e)
{
	mq->callback = rte_eth_add_rx_callback(mq->rx_port, mq->rx_queue, on_rx, mq);
	if (mq->callback == NULL)
		return err_set(e, rte_errno, "port %u queue %u cannot be mirrored: %s", mq->rx_port,
			mq->rx_queue, strerror(rte_errno));
	return 0;
}

void
run_mirror_queue_close(struct run_mirror_queue *mq)
{
	/* No lcore receives any more, so the callback can be freed. */
	if (mq->callback != NULL &&
		rte_eth_remove_rx_callback(mq->rx_port, mq->rx_queue, mq->callback) == 0)
		rte_free((void *)(uintptr_t)mq->callback);
	mq->callback = NULL;
}

struct run_mirror_sum
run_mirror_queue_read(const struct run_mirror_queue *mq)
{
	const struct run_mirror_count *c = &mq->count;

	return (struct run_mirror_sum){ counter_read(&c->received), counter_read(&c->sent),
		counter_read(&c->no_mbuf), counter_read(&c->full), counter_read(&c->segments) };
}
