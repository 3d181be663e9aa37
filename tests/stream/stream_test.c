/* stream_rx() with drivers that limit a receive call, and stream_tx() to full queues. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/stream.h"

#include "base/base.h"
#include "base/hist.h"
#include "fixtures/engine_fixture.h"

#include <rte_ethdev.h>
#include <rte_malloc.h>

#include <stdlib.h>

extern const struct engine engine_io;

enum { CALL = 32, DEALS = 8 };

static struct {
	uint16_t waiting, most; /* packets that are there; the most that a call asked for */
	unsigned int calls;
} wire;

/* Gives multiples of DEALS, as vector functions do. */
static uint16_t
wire_rx(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	wire.calls++;
	wire.most = RTE_MAX(wire.most, n);
	n = RTE_MIN((uint16_t)(n - n % DEALS), wire.waiting);
	assert_int_equal(n > 0 ? rte_pktmbuf_alloc_bulk(engine_fixture_pool, pkts, n) : 0, 0);
	wire.waiting -= n;
	return n;
}

TEST(test_calls)
{
	static const struct {
		uint16_t max, call, waiting, n, calls;
	} rows[] = {
		{ 32, CALL, 500, 32, 1 },
		{ 500, CALL, 500, 496, 16 }, /* the last call is for 20 */
		{ 500, CALL, 512, 496, 16 },
		{ 512, CALL, 512, 512, 16 },
		{ 512, CALL, 96, 96, 4 }, /* the third was full: there may be more */
		{ 512, CALL, 97, 97, 4 },
		{ 512, CALL, 0, 0, 1 },
		{ 33, CALL, 64, 32, 2 },
		{ 512, UINT16_MAX, 512, 512, 1 },
	};
	struct stream *s = engine_fixture_stream(&engine_io);
	struct rte_mbuf *pkts[BURST_MAX];
	uint64_t all = 0;

	rte_eth_fp_ops[FIXTURE_IN].rx_pkt_burst = wire_rx;
	s->record = STREAM_RECORD_BURSTS;
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t before = counter_read(&s->rx_bursts.cell[rows[i].n]);

		memset(&wire, 0, sizeof(wire));
		wire.waiting = rows[i].waiting;
		s->rx_call = rows[i].call;
		assert_int_equal(stream_rx(s, pkts, rows[i].max), rows[i].n);
		assert_int_equal(wire.calls, rows[i].calls);
		assert_true(wire.most <= rows[i].call);
		assert_int_equal(counter_read(&s->rx_bursts.cell[rows[i].n]), before + 1);
		rte_pktmbuf_free_bulk(pkts, rows[i].n);
		all += rows[i].n;
		assert_int_equal(counter_read(&s->count.rx), all);
	}
	free(s->state);
	rte_free(s);
}

static unsigned int calls; /* of a port that takes nothing */

static uint16_t
full_tx(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	calls++;
	return 0;
}

/*
 * A run that ends leaves within the first of its waits of an hour, but not before short ones are over.
 */
TEST(test_retries)
{
	static const struct {
		uint16_t retries;
		uint32_t retry_us;
		bool ending;
		unsigned int calls;
	} rows[] = {
		{ 0, 0, false, 1 },
		{ 3, 1, false, 4 },
		{ 1000, 0, false, 1001 },
		{ 3, 1, true, 4 },
		{ 65535, 3600000000, true, 1 },
	};
	struct stream *s = engine_fixture_stream(&engine_io);
	eth_tx_burst_t tx = rte_eth_fp_ops[FIXTURE_OUT].tx_pkt_burst;
	struct rte_mbuf *pkts[4];
	atomic_bool ending;

	rte_eth_fp_ops[FIXTURE_OUT].tx_pkt_burst = full_tx;
	s->ending = &ending;
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		const uint64_t retried = counter_read(&s->count.tx_retried);

		calls = 0;
		atomic_store(&ending, rows[i].ending);
		s->retries = rows[i].retries;
		s->retry_us = rows[i].retry_us;
		assert_int_equal(rte_pktmbuf_alloc_bulk(engine_fixture_pool, pkts, 4), 0);
		assert_int_equal(stream_tx(s, pkts, 4), 0);
		assert_int_equal(calls, rows[i].calls);
		assert_int_equal(counter_read(&s->count.tx_retried) - retried, calls - 1);
		assert_int_equal(counter_read(&s->count.tx_dropped), 4 * (i + 1));
		assert_int_equal(rte_mempool_avail_count(engine_fixture_pool),
			ENGINE_FIXTURE_MBUFS);
	}
	rte_eth_fp_ops[FIXTURE_OUT].tx_pkt_burst = tx;
	free(s->state);
	rte_free(s);
}

static uint16_t
one_tx(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	if (calls++ > 0)
		return 0;
	rte_pktmbuf_free(pkts[0]);
	return 1;
}

/* Bytes are counted of packets that the port took, not of those that were dropped. */
TEST(test_bytes_of_dropped)
{
	struct stream *s = engine_fixture_stream(&engine_io);
	eth_tx_burst_t tx = rte_eth_fp_ops[FIXTURE_OUT].tx_pkt_burst;
	struct rte_mbuf *pkts[4];

	rte_eth_fp_ops[FIXTURE_OUT].tx_pkt_burst = one_tx;
	atomic_store(&s->record, STREAM_RECORD_BYTES);
	calls = 0;
	assert_int_equal(rte_pktmbuf_alloc_bulk(engine_fixture_pool, pkts, 4), 0);
	for (unsigned int i = 0; i < 4; i++)
		rte_pktmbuf_append(pkts[i], (uint16_t)(60 + 100 * i));
	assert_int_equal(stream_tx(s, pkts, 4), 1);
	assert_int_equal(counter_read(&s->count.tx_dropped), 3);
	assert_int_equal(counter_read(&s->count.tx_bytes), 60);
	assert_int_equal(rte_mempool_avail_count(engine_fixture_pool), ENGINE_FIXTURE_MBUFS);
	rte_eth_fp_ops[FIXTURE_OUT].tx_pkt_burst = tx;
	free(s->state);
	rte_free(s);
}

TESTS(.setup = engine_fixture_open, .teardown = engine_fixture_close);
