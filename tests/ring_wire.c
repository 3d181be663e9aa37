/* The wire counts what it gives and what it takes, and asserts. */
#include "ring_wire.h"

#include "err.h"
#include "rig.h"

#include <rte_malloc.h>

#include <stdlib.h>

extern const struct engine engine_ring_pipeline;

struct ring_wire ring_wire;

uint16_t
ring_wire_rx(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t k, give;

	ring_wire.asked = n;
	ring_wire.calls++;
	n = RTE_MIN(n, ring_wire.waiting);
	give = ring_wire.least > 1 ? n - n % ring_wire.least : n;
	for (k = 0; k < give; k++) {
		pkts[k] = rte_pktmbuf_alloc(rig_pool);
		if (pkts[k] == NULL)
			break;
		pkts[k]->hash.usr = ring_wire.next_in++;
	}
	ring_wire.waiting -= k;
	return k;
}

uint16_t
ring_wire_tx(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	for (uint16_t k = 0; k < n; k++) {
		assert_true(pkts[k]->hash.usr >= ring_wire.next_out);
		ring_wire.skipped += pkts[k]->hash.usr - ring_wire.next_out;
		ring_wire.next_out = pkts[k]->hash.usr + 1;
		rte_pktmbuf_free(pkts[k]);
	}
	return n;
}

void
ring_wire_plug(uint16_t least)
{
	ring_wire = (struct ring_wire){ .least = least };
	rte_eth_fp_ops[RIG_IN].rx_pkt_burst = ring_wire_rx;
	rte_eth_fp_ops[RIG_OUT].tx_pkt_burst = ring_wire_tx;
}

struct ring_link *
ring_wire_link(unsigned int size, enum ring_mode mode)
{
	struct err e = { 0 };
	struct ring_link *l = ring_link_open(size, false, NULL, SOCKET_ID_ANY, &e);

	assert_string_equal(e.text, "");
	assert_non_null(l);
	atomic_store(&l->mode, (uint8_t)mode);
	return l;
}

struct stream *
ring_wire_stream(uint16_t burst)
{
	struct stream *s = rig_stream(&engine_ring_pipeline);

	s->burst = burst;
	s->rx_call = UINT16_MAX;
	return s;
}

void
ring_wire_close(struct stream *s)
{
	free(s->state);
	rte_free(s);
	assert_int_equal(rte_mempool_avail_count(rig_pool), RIG_MBUFS);
}
