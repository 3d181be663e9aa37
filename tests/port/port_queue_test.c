/* Queues of a port and their descriptors, also what no embedded driver tells: testpmd's text, JSON,
 * refusals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <rte_version.h>

#include <errno.h>
#include <string.h>

int
rte_eth_rx_queue_info_get(uint16_t id, uint16_t queue, struct rte_eth_rxq_info *q)
{
	*q = (struct rte_eth_rxq_info){
		.conf = { .rx_thresh = { 8, 7, 6 }, .rx_free_thresh = 32, .rx_drop_en = 1 },
		.scattered_rx = 1,
		.queue_state = RTE_ETH_QUEUE_STATE_STARTED,
		.nb_desc = 512,
		.rx_buf_size = 2048,
	};
	return port_fixture_card;
}

int
rte_eth_tx_queue_info_get(uint16_t id, uint16_t queue, struct rte_eth_txq_info *q)
{
	*q = (struct rte_eth_txq_info){
		.conf = { .tx_thresh = { 36, 1, 2 },
			.tx_rs_thresh = 33,
			.tx_free_thresh = 31,
			.tx_deferred_start = 1 },
		.nb_desc = 256,
		.queue_state = RTE_ETH_QUEUE_STATE_HAIRPIN,
	};
	return port_fixture_card;
}

int
rte_eth_rx_burst_mode_get(uint16_t id, uint16_t queue, struct rte_eth_burst_mode *mode)
{
	mode->flags = RTE_ETH_BURST_FLAG_PER_QUEUE;
	strcpy(mode->info, "Vector AVX2");
	return 0;
}

#define NO_PORT NULL, "Invalid port 9: expected 0\n", "ENODEV"
#define LACKS(way) \
	NULL, \
		"Failed to retrieve information for port: 0, " way \
		" queue: 0\nerror desc: Operation not supported(-95)\n", \
		"EOPNOTSUPP", .card = -ENOTSUP

TEST(answers)
{
	static const struct port_fixture_row rows[] = {
		{ "show rxq info 0 0", LACKS("RX") },
		{ "show txq info 0 0", LACKS("TX") },
		{ "show rxq info 0 0",
			"\n********************* Infos for port 0 , RX queue 0  *********************\n"
			"Mempool: NULL\nRX prefetch threshold: 8\nRX host threshold: 7\nRX writeback threshold: 6\n"
			"RX free threshold: 32\nRX drop packets: on\nRX deferred start: off\nRX scattered packets: on\n"
			"Rx queue state: started\nRX buffer size: 2048\nNumber of RXDs: 512\n"
			"Burst mode: Vector AVX2 (per queue)\n",
			NULL,
			"\"port\": 0, \"queue\": 0, \"direction\": \"rx\", \"mempool\": null, \"prefetch_threshold\": 8, "
			"\"host_threshold\": 7, \"writeback_threshold\": 6, \"free_threshold\": 32, \"drop\": true, "
			"\"deferred_start\": false, \"scattered\": true, \"state\": \"started\", \"buffer_bytes\": 2048, "
			"\"descriptors\": 512, \"burst_mode\": \"Vector AVX2\", \"burst_mode_per_queue\": true" },
		{ "show txq info 0 0",
			"\n********************* Infos for port 0 , TX queue 0  *********************\n"
			"TX prefetch threshold: 36\nTX host threshold: 1\nTX writeback threshold: 2\nTX RS threshold: 33\n"
			"TX free threshold: 31\nTX deferred start: on\nNumber of TXDs: 256\nTx queue state: hairpin\n",
			NULL,
			"\"port\": 0, \"queue\": 0, \"direction\": \"tx\", \"prefetch_threshold\": 36, \"host_threshold\": 1, "
			"\"writeback_threshold\": 2, \"rs_threshold\": 33, \"free_threshold\": 31, \"deferred_start\": true, "
			"\"descriptors\": 256, \"state\": \"hairpin\"" },
		{ "show port 0 rxq 1 desc used count", NULL,
			"Invalid queueid = 1: port 0 has 1 Rx queues\n", "EINVAL" },
		{ "show port 9 rxq 1 desc used count", NO_PORT },
		{ "show port 0 rxq 0 desc 3 status", NULL,
			"Invalid input: queue id = 0, desc id = 3: Operation not supported\n",
			"EOPNOTSUPP" },
		{ "show port 9 rxq 0 desc 3 status", NO_PORT },
		{ "show port 0 txq 9 desc 3 status", NULL,
			"Invalid queueid = 9: port 0 has 1 Tx queues\n", "EINVAL" },
	};

	PORT_FIXTURE_ROWS(rows);
}

/* net_null tells since DPDK 25.11. */
TEST(used_count)
{
	const struct err e = port_fixture_run("show port 0 rxq 0 desc used count");

	assert_string_equal(port_fixture_results(), e.code == 0 ? "Used desc count = 0\n" : "");
	assert_string_equal(port_fixture_failures(),
		e.code == 0
			? ""
			: "port 0, Rx queue 0: driver net_null cannot report it: Operation not supported\n");
}

/*
 * What ethdev of 25.11 leaves of a port when its driver fails to stop: it counts as started, and has
 * no functions.
 */
TEST(half_stopped)
{
	static const struct port_fixture_row rows[] = {
#define LACKS_USED(way, queue) \
	{ "show port 0 " way " 0 desc used count", NULL, \
		"port 0, " queue \
		" queue 0: driver net_null cannot report it: Operation not supported\n", \
		"EOPNOTSUPP" }
#define LACKS_STATUS(way) \
	{ \
		"show port 0 " way " 0 desc 3 status", NULL, \
			"Invalid input: queue id = 0, desc id = 3: Operation not supported\n", \
			"EOPNOTSUPP" \
	}
		LACKS_USED("rxq", "Rx"),
		LACKS_USED("txq", "Tx"),
		LACKS_STATUS("rxq"),
		LACKS_STATUS("txq"),
	};
	struct rte_eth_fp_ops own = rte_eth_fp_ops[0];

	rte_eth_fp_ops[0].rx_queue_count = NULL;
	rte_eth_fp_ops[0].rx_descriptor_status = NULL;
	rte_eth_fp_ops[0].tx_descriptor_status = NULL;
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
	rte_eth_fp_ops[0].tx_queue_count = NULL;
#endif
	PORT_FIXTURE_ROWS(rows);
	rte_eth_fp_ops[0] = own;
}

/* Descriptors are asked about only while the driver has some. */
TEST(stopped)
{
#define STOPPED \
	NULL, "port 0 is stopped and its queues are empty; use \"port start 0\" first\n", "EBUSY"
	static const struct port_fixture_row rows[] = {
		{ "show port 0 rxq 0 desc used count", STOPPED },
		{ "show port 0 rxq 0 desc 3 status", STOPPED },
	};
	struct port *p = &((struct app *)*state)->ports.port[0];

	p->state = PORT_STOPPED;
	PORT_FIXTURE_ROWS(rows);
	p->state = PORT_STARTED;
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
