/* Packets that a NIC split: empty segments go, what the driver knows of the packet and what belongs to a
 * segment stay where they belong. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/packets/run_split.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/unit.h"
#include "port/port.h"
#include "run/run.h"

#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include <stdint.h>
#include <string.h>

enum { SEGMENTS = 4, END = UINT16_MAX, SPLIT_BYTES = 2048 };

#define KNOWN (RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED | RTE_MBUF_F_RX_RSS_HASH)

extern const struct engine engine_io;

static struct ports ports;
static struct port_queue queues[PORT_QUEUES_MAX];
static struct rte_mempool *pools[PORT_QUEUES_MAX][PORT_POOLS_MAX];
static struct run run;
static struct stream *streams[1];
static uint8_t outside[SPLIT_BYTES];
static struct rte_mbuf_ext_shared_info outside_info;

static void
nothing(void *addr, void *opaque)
{
}

/* A run of one stream, whose port splits packets or does not. */
static struct stream *
begin(bool split)
{
	struct stream *s = engine_fixture_stream(&engine_io);
	struct port *p = &ports.port[FIXTURE_IN];
	struct err e;

	err_clear(&e);
	engine_fixture_begin(s);
	p->state = PORT_STARTED;
	p->rxq = queues;
	p->rx_pools = pools;
	queues[0].offloads = split ? RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT : 0;
	pools[0][0] = pools[0][1] = engine_fixture_pool;
	streams[0] = s;
	run = (struct run){ .engine_run = s->engine, .streams = streams, .ports = &ports };
	run.plan.n_streams = 1;
	assert_int_equal(run_split_begin(&run, &e), 0);
	assert_string_equal(e.text, "");
	return s;
}

static void
end(struct stream *s)
{
	run_split_end(&run);
	assert_null(run.split);
	engine_fixture_end(s);
}

/* A packet of segments of these lengths; the last one lies outside of the pool. */
static struct rte_mbuf *
packet(const uint16_t *bytes)
{
	struct rte_mbuf *pkt = NULL, *m = NULL;

	for (unsigned int i = 0; bytes[i] != END; i++) {
		struct rte_mbuf *last = m;

		m = rte_pktmbuf_alloc(engine_fixture_pool);
		assert_non_null(m);
		if (bytes[i + 1] == END) {
			rte_mbuf_ext_refcnt_update(&outside_info, 1);
			rte_pktmbuf_attach_extbuf(m, outside, RTE_BAD_IOVA, sizeof(outside),
				&outside_info);
		}
		m->data_len = bytes[i];
		if (pkt == NULL)
			pkt = m;
		else
			last->next = m;
		pkt->nb_segs = (uint16_t)(i + 1);
		pkt->pkt_len = (i > 0 ? pkt->pkt_len : 0) + bytes[i];
	}
	pkt->ol_flags |= KNOWN;
	pkt->packet_type = RTE_PTYPE_L2_ETHER_ARP;
	pkt->vlan_tci = 5;
	pkt->hash.rss = 0x12345678;
	memset(pkt->dynfield1, 0x5a, sizeof(pkt->dynfield1));
	return pkt;
}

/* The packet has segments of these lengths, with all that the driver knew of it. */
static void
check(struct rte_mbuf *pkt, const uint16_t *bytes)
{
	uint8_t field[sizeof(pkt->dynfield1)];
	const struct rte_mbuf *m = pkt;
	uint32_t total = 0;
	unsigned int n = 0;

	memset(field, 0x5a, sizeof(field));
	for (; bytes[n] != END; n++, m = m->next) {
		assert_non_null(m);
		assert_int_equal(m->data_len, bytes[n]);
		total += bytes[n];
		assert_int_equal((m->ol_flags & RTE_MBUF_F_EXTERNAL) != 0, m->buf_addr == outside);
	}
	assert_null(m);
	assert_int_equal(pkt->nb_segs, n);
	assert_int_equal(pkt->pkt_len, total);
	assert_int_equal(pkt->ol_flags & KNOWN, KNOWN);
	assert_int_equal(pkt->packet_type, RTE_PTYPE_L2_ETHER_ARP);
	assert_int_equal(pkt->vlan_tci, 5);
	assert_int_equal(pkt->hash.rss, 0x12345678);
	assert_memory_equal(pkt->dynfield1, field, sizeof(field));
}

static const struct {
	uint16_t from[SEGMENTS + 1], to[SEGMENTS + 1];
} rows[] = {
	{ { 100, END }, { 100, END } },
	{ { 14, 100, END }, { 14, 100, END } },
	{ { 0, 100, END }, { 100, END } },
	{ { 0, 0, 100, END }, { 100, END } },
	{ { 60, 0, END }, { 60, END } },
	{ { 14, 0, 100, END }, { 14, 100, END } },
	{ { 0, 14, 0, 100, END }, { 14, 100, END } },
	{ { 0, 14, 100, 0, END }, { 14, 100, END } },
	{ { 14, 0, 0, 0, END }, { 14, END } },
	{ { 0, END }, { 0, END } },
	{ { 0, 0, 0, END }, { 0, END } },
};

/* One at a time, then all in one burst; without the offload they stay as they are. */
static void
around(bool split)
{
	struct rte_mbuf *pkts[ARRAY_SIZE(rows)], *in[ARRAY_SIZE(rows)];
	struct stream *s = begin(split);
	const uint16_t n = ARRAY_SIZE(rows);

	for (uint16_t some = 1; some <= n; some += n - 1)
		for (uint16_t i = 0; i + some <= n; i++) {
			for (uint16_t k = 0; k < some; k++)
				pkts[k] = packet(rows[i + k].from);
			assert_int_equal(rte_eth_tx_burst(FIXTURE_IN, 0, pkts, some), some);
			assert_int_equal(rte_eth_rx_burst(FIXTURE_IN, 0, in, n), some);
			for (uint16_t k = 0; k < some; k++) {
				check(in[k], split ? rows[i + k].to : rows[i + k].from);
				rte_pktmbuf_free(in[k]);
			}
			assert_int_equal(rte_mbuf_ext_refcnt_read(&outside_info), 1);
		}
	end(s);
}

TEST(empty_segments_go)
{
	around(true);
}

TEST(others_stay)
{
	around(false);
}

static int
setup(void **state)
{
	outside_info.free_cb = nothing;
	rte_mbuf_ext_refcnt_set(&outside_info, 1);
	return engine_fixture_open(state);
}

TESTS(.setup = setup, .teardown = engine_fixture_close);
