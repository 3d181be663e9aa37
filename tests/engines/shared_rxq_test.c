/* shared_rxq: packets are counted for the stream of the port that they came in by. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/engine_fixture.h"

extern const struct engine engine_shared_rxq;

#define MATES 4

static const uint16_t ports[] = { 0, 0, 1, 2, 3, 1, 1, 0, RTE_MAX_ETHPORTS - 1, RTE_MAX_ETHPORTS,
	UINT16_MAX, 0 };

/*
 * A driver that says by which port each packet came in; those of the fixture's rings say it anew
 * from 24.11 on.
 */
static uint16_t
come_in(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, uint16_t max, void *arg)
{
	for (uint16_t i = 0; i < n; i++)
		pkts[i]->port = ports[i];
	return n;
}

/*
 * Streams of ports 0 and 1 on this lcore and queue, of port 2 on another queue, of port 3 on
 * another lcore.
 */
TEST(attribution)
{
	struct stream *siblings[MATES];
	const struct rte_eth_rxtx_callback *driver;
	struct engine_fixture_frame f;
	unsigned int i;

	for (i = 0; i < MATES; i++) {
		siblings[i] = engine_fixture_stream(&engine_shared_rxq);
		siblings[i]->rx_port = (uint16_t)i;
		siblings[i]->siblings = siblings;
		siblings[i]->n_siblings = MATES;
		siblings[i]->index = i;
	}
	siblings[2]->rx_queue = 1;
	siblings[3]->lcore++;
	for (i = 0; i < MATES; i++)
		engine_fixture_begin(siblings[i]);
	engine_fixture_ether(&f, NULL, 0x9000);
	for (i = 0; i < ARRAY_SIZE(ports); i++)
		engine_fixture_put(f.bytes, f.n, 0);
	driver = rte_eth_add_rx_callback(FIXTURE_IN, 0, come_in, NULL);
	assert_non_null(driver);
	siblings[0]->record = STREAM_RECORD_BURSTS;
	engine_fixture_poll(siblings[0]);
	engine_fixture_poll(siblings[0]);
	assert_int_equal(rte_eth_remove_rx_callback(FIXTURE_IN, 0, driver), 0);
	assert_int_equal(siblings[0]->count.rx, 4 + 5);
	assert_int_equal(siblings[0]->count.named[0], 5);
	assert_string_equal(engine_shared_rxq.counters[0].name, "unknown_port");
	assert_int_equal(siblings[1]->count.rx, 3);
	assert_int_equal(siblings[1]->count.named[0], 0);
	assert_int_equal(siblings[2]->count.rx, 0);
	assert_int_equal(siblings[3]->count.rx, 0);
	assert_int_equal(siblings[0]->rx_bursts.cell[ARRAY_SIZE(ports)], 1);
	assert_int_equal(siblings[0]->rx_bursts.cell[0], 1);
	for (i = 0; i < MATES; i++)
		engine_fixture_end(siblings[i]);
}

TESTS(.setup = engine_fixture_open, .teardown = engine_fixture_close);
