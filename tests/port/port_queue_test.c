/* Queues of a port and their descriptors, also what no embedded driver tells: testpmd's text, JSON,
 * refusals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_queue.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <rte_version.h>

#include <errno.h>
#include <string.h>

/* Whether the driver answers as a NIC would; else as net_null does. */
static struct {
	bool on;
} fake;

int
rte_eth_rx_queue_info_get(uint16_t id, uint16_t queue, struct rte_eth_rxq_info *q)
{
	if (!fake.on)
		return -ENOTSUP;
	*q = (struct rte_eth_rxq_info){
		.conf = { .rx_thresh = { 8, 7, 6 }, .rx_free_thresh = 32, .rx_drop_en = 1 },
		.scattered_rx = 1,
		.queue_state = RTE_ETH_QUEUE_STATE_STARTED,
		.nb_desc = 512,
		.rx_buf_size = 2048,
	};
	return 0;
}

int
rte_eth_tx_queue_info_get(uint16_t id, uint16_t queue, struct rte_eth_txq_info *q)
{
	if (!fake.on)
		return -ENOTSUP;
	*q = (struct rte_eth_txq_info){
		.conf = { .tx_thresh = { 36, 1, 2 },
			.tx_rs_thresh = 33,
			.tx_free_thresh = 31,
			.tx_deferred_start = 1 },
		.nb_desc = 256,
		.queue_state = RTE_ETH_QUEUE_STATE_HAIRPIN,
	};
	return 0;
}

int
rte_eth_rx_burst_mode_get(uint16_t id, uint16_t queue, struct rte_eth_burst_mode *mode)
{
	mode->flags = RTE_ETH_BURST_FLAG_PER_QUEUE;
	strcpy(mode->info, "Vector AVX2");
	return 0;
}

static int
rxq(struct ports *ps, uint16_t id, struct err *e)
{
	return port_queue_show(ps, id, 0, true, e);
}

static int
txq(struct ports *ps, uint16_t id, struct err *e)
{
	return port_queue_show(ps, id, 0, false, e);
}

static int
used(struct ports *ps, uint16_t id, struct err *e)
{
	return port_queue_used(ps, id, 0, true, e);
}

static int
used_beyond(struct ports *ps, uint16_t id, struct err *e)
{
	return port_queue_used(ps, id, 1, true, e);
}

static int
desc(struct ports *ps, uint16_t id, struct err *e)
{
	return port_queue_desc(ps, port_fixture_args("port=%u queue=0 descriptor=3 way=rxq", id),
		e);
}

static int
desc_beyond(struct ports *ps, uint16_t id, struct err *e)
{
	return port_queue_desc(ps, port_fixture_args("port=%u queue=9 descriptor=3 way=txq", id),
		e);
}

#define FIRST_CHECKED 4 /* cases before it ask the driver whether there is such a port */
static const struct port_fixture_case cases[] = {
	{ rxq, false, "", "", -ENOTSUP,
		"Failed to retrieve information for port: 0, RX queue: 0\nerror desc: Operation not supported(-95)" },
	{ txq, false, "", "", -ENOTSUP,
		"Failed to retrieve information for port: 0, TX queue: 0\nerror desc: Operation not supported(-95)" },
	{ rxq, true,
		"\n********************* Infos for port 0 , RX queue 0  *********************\n"
		"Mempool: NULL\nRX prefetch threshold: 8\nRX host threshold: 7\nRX writeback threshold: 6\n"
		"RX free threshold: 32\nRX drop packets: on\nRX deferred start: off\nRX scattered packets: on\n"
		"Rx queue state: started\nRX buffer size: 2048\nNumber of RXDs: 512\n"
		"Burst mode: Vector AVX2 (per queue)\n",
		"\"port\": 0, \"queue\": 0, \"direction\": \"rx\", \"mempool\": null, \"prefetch_threshold\": 8, "
		"\"host_threshold\": 7, \"writeback_threshold\": 6, \"free_threshold\": 32, \"drop\": true, "
		"\"deferred_start\": false, \"scattered\": true, \"state\": \"started\", \"buffer_bytes\": 2048, "
		"\"descriptors\": 512, \"burst_mode\": \"Vector AVX2\", \"burst_mode_per_queue\": true",
		0, "" },
	{ txq, true,
		"\n********************* Infos for port 0 , TX queue 0  *********************\n"
		"TX prefetch threshold: 36\nTX host threshold: 1\nTX writeback threshold: 2\nTX RS threshold: 33\n"
		"TX free threshold: 31\nTX deferred start: on\nNumber of TXDs: 256\nTx queue state: hairpin\n",
		"\"port\": 0, \"queue\": 0, \"direction\": \"tx\", \"prefetch_threshold\": 36, \"host_threshold\": 1, "
		"\"writeback_threshold\": 2, \"rs_threshold\": 33, \"free_threshold\": 31, \"deferred_start\": true, "
		"\"descriptors\": 256, \"state\": \"hairpin\"",
		0, "" },
	{ used_beyond, false, "", "", -EINVAL, "Invalid queueid = 1: port 0 has 1 Rx queues" },
	{ desc, false, "", "", -ENOTSUP,
		"Invalid input: queue id = 0, desc id = 3: Operation not supported" },
	{ desc_beyond, false, "", "", -EINVAL, "Invalid queueid = 9: port 0 has 1 Tx queues" },
};

TEST(text)
{
	port_fixture_cases_text(*state, cases, ARRAY_SIZE(cases), &fake.on);
}

TEST(json)
{
	port_fixture_cases_json(*state, cases, ARRAY_SIZE(cases), &fake.on);
}

/* Info asks the driver first, as testpmd does. */
TEST(missing)
{
	port_fixture_cases_missing(*state, cases + FIRST_CHECKED,
		ARRAY_SIZE(cases) - FIRST_CHECKED);
}

/* net_null tells since DPDK 25.11. */
TEST(used_count)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };

	if (used(&b->ports, 0, &e) == 0) {
		assert_string_equal(out_check_results(&b->printed), "Used desc count = 0\n");
		return;
	}
	assert_string_equal(out_check_results(&b->printed), "");
	assert_string_equal(e.text,
		"port 0, Rx queue 0: driver net_null cannot report it: Operation not supported");
}

/*
 * What ethdev of 25.11 leaves of a port when its driver fails to stop: it counts as started, and has
 * no functions.
 */
TEST(half_stopped)
{
	struct port_fixture *b = *state;
	struct rte_eth_fp_ops own = rte_eth_fp_ops[0];

	rte_eth_fp_ops[0].rx_queue_count = NULL;
	rte_eth_fp_ops[0].rx_descriptor_status = NULL;
	rte_eth_fp_ops[0].tx_descriptor_status = NULL;
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
	rte_eth_fp_ops[0].tx_queue_count = NULL;
#endif
	for (unsigned int rx = 0; rx < 2; rx++) {
		struct err e = { 0 };

		assert_int_equal(port_queue_used(&b->ports, 0, 0, rx, &e), -ENOTSUP);
		assert_int_equal(ON_PORTS(port_queue_desc, "port=0 queue=0 descriptor=3 way=%s",
					 rx ? "rxq" : "txq"),
			-ENOTSUP);
	}
	rte_eth_fp_ops[0] = own;
}

/* Descriptors are asked about only while the driver has some. */
TEST(stopped)
{
	struct port_fixture *b = *state;
	int (*const shows[])(struct ports *, uint16_t, struct err *) = { used, desc };
	unsigned int i;

	b->ports.port[0].state = PORT_STOPPED;
	for (i = 0; i < ARRAY_SIZE(shows); i++) {
		struct err e = { 0 };

		assert_int_equal(shows[i](&b->ports, 0, &e), -EBUSY);
		assert_string_equal(e.text,
			"port 0 is stopped and its queues are empty; use \"port start 0\" first");
	}
	b->ports.port[0].state = PORT_STARTED;
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
