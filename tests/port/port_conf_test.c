/* Configuration of ports and queues through the commands: numbers, lengths, thresholds, speed, RSS,
 * offloads. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_conf.h"

#include "fixtures/port_faults.h"
#include "fixtures/setting_words.h"
#include "fixtures/unit.h"
#include "memory/pool.h"
#include "port/port_descriptors.h"
#include "port/port_setup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

TEST(thresholds)
{
	static const struct setting_word rows[] = {
		{ "rxpt", "driver", 0 },
		{ "rxpt", "0", 0 },
		{ "rxpt", "255", 0 },
		{ "rxpt", "256", -ERANGE },
		{ "rxpt", "-1", -EINVAL },
		{ "rxpt", "", -EINVAL },
		{ "rxpt", "8x", -EINVAL },
		{ "txrst", "65535", 0 },
		{ "txrst", "65536", -ERANGE },
		{ "tx-offloads", "0x10000", 0 },
		{ "tx-offloads", "8000", 0 },
		{ "tx-offloads", "", -EINVAL },
		{ "tx-offloads", "0x1ffffffffffffffff", -EINVAL },
		{ "tx-offloads", "-1", -EINVAL },
		{ "tx-offloads", "fast", -EINVAL },
		{ "eth-link-speed", "10000", 0 },
		{ "eth-link-speed", "77", -EINVAL },
		{ "rxq", "1025", -ERANGE },
		{ "rxq", "1024", 0 },
		{ "gso-segsz", "1", -ERANGE },
	};

	SETTING_WORDS(((struct app *)*state)->settings, rows);
}

#define TOO_MANY \
	"rxq 2000: expected 0..1024 queues, the limit of this DPDK is RTE_MAX_QUEUES_PER_PORT; use more ports, or a DPDK built with a larger one\n"

TEST(queues)
{
	struct app *app = *state;
	static const struct port_fixture_row steps[] = {
		{ "port config all rxq 2", STOP_ALL_FIRST },
		{ "port stop all", STOPPED, NULL },
		{ "port config all rxq 2001", "",
			"Fail: input rxq (2001) can't be greater than max_rx_queues (2000) of port 0\n" },
		{ "port config all rxq 2000", "", TOO_MANY },
		{ "port config all rxd 9999", "",
			"Fail: input rxd (9999) can't be greater than max_rxds (4096) of port 0\n" },
		{ "port config all rxd 7", "",
			"Fail: input rxd (7) can't be less than min_rxds (8) of port 0\n" },
		{ "port config all rxq 0", NULL, NULL },
		{ "port config all txq 0", "",
			"Warning: Either rx or tx queues should be non zero\n" },
		{ "port config 0 rxq 0 ring_size 64", "",
			"Invalid RX queue 0 (must be < nb_rxq=0)\n" },
		{ "port 0 rxq 0 rx_offload keep_crc off", "", "port 0 has no Rx queues\n" },
		{ "port config all rxq 4", NULL, NULL },
		{ "port config all txq 3", NULL, NULL },
		{ "port config all rxd 8", NULL, NULL },
		{ "port config all rxd 4096", "",
			"Pool mb_pool_0 has 8191 buffers; the receive rings of all ports need 32768 and the lcores' caches up to 375: 24952 are missing. Use fewer queues or descriptors, or restart with --total-num-mbufs=33143 or more.\n" },
		{ "port config all rxd 4097", "",
			"Fail: input rxd (4097) can't be greater than max_rxds (4096) of port 0\n" },
		{ "port config all rxd 256", NULL, NULL },
		{ "port config 1 rxq 3 ring_size 64", NULL, NULL },
		{ "port config all rxfreet 16", NULL, NULL },
		{ "port config 1 rxq 3 ring_size 16", "",
			"Invalid rx ring_size, must > rx_free_thresh: 16\n" },
		{ "port config all txpt 3", NULL, NULL },
		{ "port config all drop-en on", NULL, NULL },
		{ "port 1 txq 2 deferred_start on", NULL, NULL },
		{ "port 1 rxq 1 deferred_start on", NULL, NULL },
		{ "port start all", CONFIGURED, NULL },
	};
	const struct port *p = &app->ports.port[1];
	struct rte_eth_rxconf rx;
	struct rte_eth_txconf tx;
	uint16_t n;

	PORT_FIXTURE_ROWS(steps);
	assert_int_equal(p->n_rxq, 4);
	assert_int_equal(p->n_txq, 3);
	port_rxconf(p, 3, &rx, &n);
	assert_int_equal(n, 64);
	assert_int_equal(rx.rx_free_thresh, 16);
	assert_int_equal(rx.rx_drop_en, 1);
	port_rxconf(p, 2, &rx, &n);
	assert_int_equal(n, 256);
	port_txconf(p, 2, &tx, &n);
	assert_int_equal(n, 0);
	assert_int_equal(tx.tx_thresh.pthresh, 3);
	assert_int_equal(tx.tx_deferred_start, 1);
	for (uint16_t queue = 0; queue < p->n_txq; queue++)
		assert_int_equal(p->txq[queue].stopped, queue == 2);
	for (uint16_t queue = 0; queue < p->n_rxq; queue++)
		assert_int_equal(p->rxq[queue].stopped, queue == 1);
	assert_int_equal(port_descriptors(&app->ports),
		7 * 256 + 64 + 6 * RTE_ETH_DEV_FALLBACK_TX_RINGSIZE);
}

TEST(queues_back)
{
	struct app *app = *state;
	static const struct port_fixture_row steps[] = {
		{ "port 0 rxq 4 start", "", "Invalid RX queue 4 (must be < nb_rxq=4)\n" },
		{ "port 9 rxq 0 start", NO_PORT },
		{ "port 0 rxq 0 setup", "",
			"Failed to setup RX queue: Fail to configure port 0 rx queues: queue 0, driver net_null: "
			"Device or resource busy\n" },
		{ "port stop 1", STOPPED, NULL },
		{ "port 1 rxq 0 start", "", "Please start port 1 first\n" },
		{ "port 1 txq 2 deferred_start off", NULL, NULL },
		{ "port 1 txq 3 deferred_start off", "",
			"Invalid TX queue 3 (must be < nb_txq=3)\n" },
		{ "port 1 rxq 0 setup", NULL, NULL },
		/* Queues alone are set up anew. */
		{ "port start 1", MAC(1) CHECKING "Done\n", NULL },
		{ "port stop all", STOPPED, NULL },
		{ "port config all rxd 0", NULL, NULL },
		{ "port config all rxq 1", NULL, NULL },
		{ "port config all txq 1", NULL, NULL },
		{ "port config all drop-en off", NULL, NULL },
		{ "port start all", CONFIGURED, NULL },
	};
	struct rte_eth_rxconf rx;
	uint16_t n;

	static const struct port_fixture_row broken[] = {
		{ "port 0 rxq 0 stop", "",
			"port 0, Rx queue 0: driver net_null cannot stop it: Input/output error\n" },
		{ "port 0 rxq 0 start", "",
			"port 0, Rx queue 0: driver net_null cannot start it: Input/output error\n" },
	};

	port_fixture_says("port 0 rxq 0 stop", "", "");
	assert_true(app->ports.port[0].rxq[0].stopped);
	port_fixture_says("port 0 rxq 0 start", "", "");
	assert_false(app->ports.port[0].rxq[0].stopped);
	port_faults.queue = -ENOTSUP;
	port_fixture_says("port 0 rxq 0 stop", "", "Function not supported in PMD\n");
	port_faults.queue = -EIO;
	PORT_FIXTURE_ROWS(broken);
	assert_false(app->ports.port[0].rxq[0].stopped);
	PORT_FIXTURE_ROWS(steps);
	port_rxconf(&app->ports.port[1], 3, &rx, &n);
	assert_int_equal(n, 0);
	assert_int_equal(rx.rx_drop_en, 0);
	assert_false(app->ports.port[1].txq[2].stopped);
}

TEST(lengths)
{
	struct app *app = *state;
	static const struct port_fixture_row steps[] = {
		{ "port config mtu 9 1500", NO_PORT },
		{ "port config mtu 0 67", "", "MTU (67) < device min MTU (68) for port_id 0\n" },
		{ "port config mtu 0 9001", "",
			"MTU (9001) > device max MTU (9000) for port_id 0\n" },
		{ "port config mtu 0 1400", NULL, NULL },
		{ "port config all max-pkt-len 1000", STOP_ALL_FIRST },
		{ "port stop all", STOPPED, NULL },
		{ "port config all max-pkt-len 63", "", "max-pkt-len can not be less than 64\n" },
		{ "port config all max-pkt-len 99999", "",
			"MTU (99981) > device max MTU (9000) for port_id 0\n" },
		{ "port config all max-pkt-len 1018", NULL, NULL },
		{ "port start all", CONFIGURED, NULL },
	};
	static const struct port_fixture_row refused[] = {
		{ "port config mtu 1 1200", "", "Set MTU failed. diag=-16\n" },
		{ "port stop all", STOPPED, NULL },
		{ "port config all max-pkt-len 2018", "",
			"Failed to set MTU to 2000 for port 1: Device or resource busy\n" },
		{ "port start all", STARTED, NULL },
	};
	const struct port *p = app->ports.port;

	PORT_FIXTURE_ROWS(steps);
	assert_int_equal(p[0].mtu, 1000);
	assert_int_equal(p[1].mtu, 1000);
	port_faults.port = 1;
	port_faults.mtu = -EBUSY;
	PORT_FIXTURE_ROWS(refused);
	assert_int_equal(p[0].mtu, 1000);
	assert_int_equal(p[1].mtu, 1000);
	assert_int_equal(setting_u64(app->settings, "max-pkt-len"), 0);
}

TEST(burst_and_speed)
{
	struct app *app = *state;
	static const struct port_fixture_row steps[] = {
		{ "port config all burst 64", STOP_ALL_FIRST },
		{ "port config 0 speed 10000 duplex full", STOP_FIRST },
		{ "port config all speed 10000 duplex full", STOP_ALL_FIRST },
		{ "port stop all", STOPPED, NULL },
		{ "port config all burst 600", "", "burst must be >= 1 && <= 512\n" },
		{ "port config all burst 0", "",
			"PMD does not recommend a burst size.\nUser provided value must be between 1 and 512\n" },
		{ "port config all burst 64", NULL, NULL },
		{ "port config all speed 10 duplex half", NULL, NULL },
		{ "port config all speed 10000 duplex half", "",
			"Invalid speed/duplex parameters\n" },
		{ "port config 9 speed 10000 duplex full", NO_PORT },
		{ "port config 0 speed 10000 duplex full", NULL, NULL },
		{ "port config all speed auto duplex auto", NULL, NULL },
		{ "port start all", CONFIGURED, NULL },
	};

	PORT_FIXTURE_ROWS(steps);
	assert_int_equal(setting_u64(app->settings, "burst"), 64);
	assert_int_equal(app->ports.port[0].conf.link_speeds, RTE_ETH_LINK_SPEED_AUTONEG);
}

TEST(speeds)
{
	struct app *app = *state;
	static const struct {
		const char *line;
		uint32_t bits;
	} cases[] = {
		{ "port config 0 speed 2500 duplex full", RTE_ETH_LINK_SPEED_2_5G },
		{ "port config 0 speed 5000 duplex auto", RTE_ETH_LINK_SPEED_5G },
		{ "port config 0 speed 25000 duplex full", RTE_ETH_LINK_SPEED_25G },
		{ "port config 0 speed 200000 duplex full", RTE_ETH_LINK_SPEED_200G },
		{ "port config all speed 100 duplex half", RTE_ETH_LINK_SPEED_100M_HD },
	};

	port_fixture_says("port stop all", STOPPED, "");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		port_fixture_says(cases[i].line, "", "");
		assert_int_equal(app->ports.port[0].conf.link_speeds,
			cases[i].bits | RTE_ETH_LINK_SPEED_FIXED);
	}
	port_fixture_says("port config all speed auto duplex auto", "", "");
	port_fixture_set("eth-link-speed", "2500");
	app->ports.port[1].prepared = false; /* as one that is new */
	port_fixture_says("port start all", CONFIGURED, "");
	assert_int_equal(app->ports.port[1].conf.link_speeds,
		RTE_ETH_LINK_SPEED_2_5G | RTE_ETH_LINK_SPEED_FIXED);
	port_fixture_set("eth-link-speed", "auto");
}

TEST(rss)
{
	struct app *app = *state;
	static const struct port_fixture_row steps[] = {
		{ "port config all rss 1x", "",
			"flowtype_id should be greater than 0 and less than 64.\n" },
		{ "port config all rss udp", "",
			"Configuration of RSS hash at ethernet port 0 failed with error (95): Operation not supported.\n"
			"Configuration of RSS hash at ethernet port 1 failed with error (95): Operation not supported.\n"
			"The ports have one receive queue, so RSS is off: stop the ports and use \"port config all rxq N\" first.\n" },
		{ "port stop all", STOPPED, NULL },
		{ "port config all rxq 2", NULL, NULL },
		{ "port start all", CONFIGURED, NULL },
	};
	const struct ports *ps = &app->ports;
	char expected[64];

	PORT_FIXTURE_ROWS(steps);
	assert_int_equal(ps->port[0].conf.rxmode.mq_mode, RTE_ETH_MQ_RX_RSS);
	assert_int_equal(ps->port[0].conf.rx_adv_conf.rss_conf.rss_hf,
		RTE_ETH_RSS_IP & ps->port[0].info.flow_type_rss_offloads);
	snprintf(expected, sizeof(expected), "rss_hf %#llx\n", (unsigned long long)RTE_ETH_RSS_UDP);
	if ((RTE_ETH_RSS_UDP & ~ps->port[0].info.flow_type_rss_offloads) == 0) {
		port_fixture_says("port config all rss udp", expected, "");
		assert_int_equal(ps->rss_hf, RTE_ETH_RSS_UDP);
		port_fixture_says("port config all rss none", "rss_hf 0\n", "");
		port_fixture_says("port config all rss default", "", "");
	}
	port_fixture_says("port stop all", STOPPED, "");
	port_fixture_says("port config all rxq 1", "", "");
	port_fixture_says("port start all", CONFIGURED, "");
}

TEST(offloads)
{
	struct app *app = *state;
	static const struct port_fixture_row steps[] = {
		{ "port config 0 rx_offload vlan_strip on", "",
			"Error: Can't config offload when Port 0 is not stopped\n" },
		{ "port config 9 tx_offload mbuf_fast_free on", "",
			"Error during getting device (port 9) info: No such device\n" },
		{ "port stop all", STOPPED, NULL },
		{ "port config all rx_offload scatter on", "",
			"Rx offload SCATTER is not supported by port 0 (driver net_null)\n" },
		{ "port 0 rxq 1 rx_offload scatter off", "",
			"Error: input queue_id should be 0 ... 0\n" },
	};
	struct port *p = app->ports.port;

	PORT_FIXTURE_ROWS(steps);
	port_faults.rx_can = RTE_ETH_RX_OFFLOAD_SCATTER | RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	p[0].info.rx_offload_capa = p[1].info.rx_offload_capa = port_faults.rx_can;
	port_fixture_says("port config all rx_offload SCATTER on", "", "");
	assert_int_equal(p[1].conf.rxmode.offloads, RTE_ETH_RX_OFFLOAD_SCATTER);
	assert_int_equal(p[1].rxq[0].offloads, RTE_ETH_RX_OFFLOAD_SCATTER);
	/* A queue that comes later has the offloads of its port. */
	assert_int_equal(p[1].n_queues, 4); /* test queues needed them */
	assert_int_equal(p[1].rxq[4].offloads, 0);
	port_fixture_says("port config all rxq 5", "", "");
	assert_int_equal(p[1].n_queues, 5);
	assert_int_equal(p[1].rxq[4].offloads, RTE_ETH_RX_OFFLOAD_SCATTER);
	port_fixture_says("port config all rxq 1", "", "");
	port_fixture_says("port 0 rxq 0 rx_offload vlan_strip on", "",
		"Rx offload VLAN_STRIP: driver net_null supports it for whole ports only; use \"port config 0 rx_offload\"\n");
	p[0].info.rx_queue_offload_capa = RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	port_fixture_says("port 0 rxq 0 rx_offload vlan_strip on", "", "");
	assert_int_equal(p[0].rxq[0].offloads, port_faults.rx_can);
	assert_int_equal(p[0].conf.rxmode.offloads, RTE_ETH_RX_OFFLOAD_SCATTER);
	port_fixture_says("port start all", CONFIGURED, "");
	assert_int_equal(port_faults.rxq_setups, 2);
	port_fixture_says("port stop all", STOPPED, "");
	port_fixture_says("port config all rx_offload scatter off", "", "");
	port_fixture_says("port 0 rxq 0 rx_offload vlan_strip off", "", "");
	port_fixture_says("port start all", CONFIGURED, "");
	assert_int_equal(p[0].rxq[0].offloads, 0);
}

/* A queue's pool has another mempool driver than the setting's; a port takes only some. */
TEST(pool_drivers)
{
	struct app *app = *state;
	static const struct port_fixture_row refused[] = {
		{ "port config 0 pool_ops ring_bogus", "",
			"mempool driver \"ring_bogus\": expected one of default, ring_mp_mc, ring_sp_sc, ring_mp_sc, ring_sp_mc, ring_mt_hts, ring_mt_rts, stack, lf_stack, bucket\n" },
		{ "port config 0 rxq 9 pool_ops stack", "",
			"Invalid RX queue 9 (must be < nb_rxq=2)\n" },
		{ "port config 7 pool_ops stack", "", "Invalid port 7: expected 0 or 1\n" },
		{ "port config 0 pool_ops stack", "",
			"port 0 (net_null) does not support mempool driver stack; use --mbuf-pool-ops=NAME, \"set pool ops NAME\" or \"port config 0 pool_ops NAME\" with one of: bucket\n" },
		{ "port config 1 pool_ops stack", "", "" },
	};
	static const struct port_fixture_row steps[] = {
		{ "port stop all", STOPPED, NULL },
		{ "port config all rxq 2", NULL, NULL },
		{ "port config all txq 1", NULL, NULL },
	};
	const struct port *p = app->ports.port;
	struct rte_mempool *usual = pool_for(&app->pools, 0, 0);

	PORT_FIXTURE_ROWS(steps);
	port_faults.pool_ops = "bucket";
	port_faults.port = 0;
	PORT_FIXTURE_ROWS(refused);
	port_fixture_says("port config 1 rxq 0 pool_ops default", "", "");
	/* The port that takes one driver does not start with the pool of another. */
	port_fixture_says("port start 0", CONFIGURING(0),
		"port 0 (net_null) does not support mempool driver ring_mp_mc; use --mbuf-pool-ops=NAME, \"set pool ops NAME\" or \"port config 0 pool_ops NAME\" with one of: bucket\n");
	port_fixture_says("port config 0 pool_ops bucket", "", "");
	port_fixture_says("port start all", MAC(0) CONFIGURING(1) MAC(1) CHECKING "Done\n",
		"testpmd: create a new mbuf pool <mb_pool_0_bucket>: n=8191, size=2176, socket=0\n"
		"testpmd: preferred mempool ops selected: bucket\n"
		"testpmd: create a new mbuf pool <mb_pool_0_stack>: n=8191, size=2176, socket=0\n"
		"testpmd: preferred mempool ops selected: stack\n");
	assert_string_equal(port_rx_pool(&p[0], 0, 0)->name, "mb_pool_0_bucket");
	assert_ptr_equal(port_rx_pool(&p[0], 1, 0), port_rx_pool(&p[0], 0, 0));
	assert_ptr_equal(port_rx_pool(&p[1], 0, 0), usual);
	assert_string_equal(port_rx_pool(&p[1], 1, 0)->name, "mb_pool_0_stack");
	port_faults.pool_ops = NULL;
	port_fixture_says("port stop all", STOPPED, NULL);
	port_fixture_says("port config 0 pool_ops default", "", "");
	port_fixture_says("port config 1 pool_ops default", "", "");
	port_fixture_says("port start all", STARTED, NULL);
	assert_ptr_equal(port_rx_pool(&p[0], 0, 0), usual);
}

TESTS(.setup = port_faults_setup, .teardown = port_fixture_teardown, .before = port_faults_calm);
