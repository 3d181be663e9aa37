/* Receives from Rx queues shared by several ports, counts each packet for its port of arrival, and
 * frees it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/pkt.h"
#include "engines/engine.h"

enum { UNKNOWN_PORT };

static const struct stat_row counters[] = {
	{ .name = "unknown_port",
		.help = "packets from a port without a stream on this lcore and queue" },
};

struct shared_rxq {
	/* by port, the stream with the same lcore and Rx queue; NULL: none */
	struct stream *of_port[RTE_MAX_ETHPORTS];
};

static int
shared_rxq_init(struct stream *s, struct err *e)
{
	struct shared_rxq *q = s->state;
	unsigned int i;

	for (i = 0; i < s->n_siblings; i++) {
		struct stream *mate = s->siblings[i];

		if (mate->lcore == s->lcore && mate->rx_queue == s->rx_queue)
			q->of_port[mate->rx_port] = mate;
	}
	return 0;
}

/*
 * Count n packets of a port as received and absorbed by the port's stream, so that each stream's
 * counters are consistent. Only streams of this lcore: each counter has a single writer.
 */
static void
attribute(struct stream *s, uint16_t port, struct rte_mbuf **pkts, uint16_t n)
{
	const struct shared_rxq *q = s->state;
	struct stream *owner = port < RTE_DIM(q->of_port) ? q->of_port[port] : NULL;

	if (unlikely(owner == NULL)) {
		owner = s;
		stream_count_named(s, UNKNOWN_PORT, n);
	}
	counter_add(&owner->count.rx, n);
	if (stream_records(s, STREAM_RECORD_BYTES))
		counter_add(&owner->count.rx_bytes, stream_bytes(pkts, n));
	stream_absorb(owner, pkts, n);
}

static void
shared_rxq_sink(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t first, i;

	for (first = 0; first < n; first = i) {
		uint16_t port = pkts[first]->port;

		for (i = first + 1; i < n && pkts[i]->port == port; i++)
			;
		attribute(s, port, pkts + first, i - first);
	}
}

ENGINE_LOOP(shared_rxq, stream_rx_uncounted, NULL, shared_rxq_sink)

const struct engine engine_shared_rxq = {
	.name = "shared_rxq",
	.help = "receive from shared Rx queues, count packets for their port of arrival, free them",
	.flags = ENGINE_NO_TX,
	.state_size = sizeof(struct shared_rxq),
	.init = shared_rxq_init,
	.loop = shared_rxq_loop,
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters),
};
