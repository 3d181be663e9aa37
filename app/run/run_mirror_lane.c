/* A lane of a mirror: what one receive queue gives, once more, by one transmit queue. */
#include "run/run_mirror_lane.h"

#include "pmd_shims/extbuf.h"

#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 /* packets that are sent together */ };

/* Once more the packet; NULL: it is counted why not. */
static struct rte_mbuf *
again(struct run_mirror_lane *lane, struct rte_mbuf *m)
{
	struct rte_mbuf *more = lane->clones ? rte_pktmbuf_clone(m, lane->pool)
					     : rte_pktmbuf_copy(m, lane->pool, 0, UINT32_MAX);

	if (unlikely(more == NULL)) {
		counter_add(&lane->count.no_mbuf, 1);
	} else if (unlikely(more->nb_segs > 1 && !lane->segments)) {
		counter_add(&lane->count.segments, 1);
		rte_pktmbuf_free(more);
		more = NULL;
	}
	return more;
}

/* Of a receive call. Thread: the lane's lcore, which owns its transmit queue too. */
static uint16_t
on_rx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, uint16_t max, void *arg)
{
	struct run_mirror_lane *lane = arg;
	struct rte_mbuf *out[CHUNK];

	if (lane->mark)
		extbuf_mark(pkts, n);
	for (uint16_t i = 0; i < n;) {
		uint16_t made = 0, sent;

		for (; i < n && made < CHUNK; i++) {
			out[made] = again(lane, pkts[i]);
			made += out[made] != NULL;
		}
		sent = rte_eth_tx_burst(lane->tx_port, lane->tx_queue, out, made);
		rte_pktmbuf_free_bulk(out + sent, made - sent);
		counter_add(&lane->count.sent, sent);
		counter_add(&lane->count.full, made - sent);
	}
	counter_add(&lane->count.received, n);
	return n;
}

int
run_mirror_lane_open(struct run_mirror_lane *lane, struct err *e)
{
	lane->callback = rte_eth_add_rx_callback(lane->rx_port, lane->rx_queue, on_rx, lane);
	if (lane->callback == NULL)
		return err_set(e, rte_errno, "port %u queue %u cannot be mirrored: %s",
			lane->rx_port, lane->rx_queue, strerror(rte_errno));
	return 0;
}

void
run_mirror_lane_close(struct run_mirror_lane *lane)
{
	/* Nobody receives any more, so that its memory is free. */
	if (lane->callback != NULL &&
		rte_eth_remove_rx_callback(lane->rx_port, lane->rx_queue, lane->callback) == 0)
		rte_free((void *)(uintptr_t)lane->callback);
	lane->callback = NULL;
}

struct run_mirror_sum
run_mirror_lane_read(const struct run_mirror_lane *lane)
{
	const struct run_mirror_count *c = &lane->count;

	return (struct run_mirror_sum){ counter_read(&c->received), counter_read(&c->sent),
		counter_read(&c->no_mbuf), counter_read(&c->full), counter_read(&c->segments) };
}
