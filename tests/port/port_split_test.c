/* Received packets cut into segments, several pools, joined packets: settings, commands, and what
 * drivers are told. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_split.h"

#include "fixtures/port_faults.h"
#include "fixtures/setting_words.h"
#include "fixtures/unit.h"

#include <rte_mbuf.h>
#include <rte_mbuf_ptype.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SPLIT RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT
#define ROOM (RTE_MBUF_DEFAULT_BUF_SIZE - RTE_PKTMBUF_HEADROOM)
#define REFUSED(says) \
	{ \
		"port start 0", CONFIGURING(0), says "\n" \
	}

TEST(words)
{
	static const struct setting_word rows[] = {
		{ "rxpkts", "off", 0 },
		{ "rxpkts", "64", 0 },
		{ "rxpkts", "64,0,128", 0 },
		{ "rxpkts", "1,2,3,4,5,6,7,8", 0 },
		{ "rxpkts", "1,2,3,4,5,6,7,8,9", -E2BIG },
		{ "rxpkts", "65534", 0 },
		{ "rxpkts", "65535", -ERANGE },
		{ "rxpkts", "99999999999999999999", -ERANGE },
		{ "rxpkts", "", -EINVAL },
		{ "rxpkts", "64,", -EINVAL },
		{ "rxpkts", ",64", -EINVAL },
		{ "rxpkts", "-1", -EINVAL },
		{ "rxpkts", "64;128", -EINVAL },
		{ "rxoffs", "0,32", 0 },
		{ "rxoffs", "0x20", -EINVAL },
		{ "rxoffs", "off", 0 },
		{ "rxhdrs", "off", 0 },
		{ "rxhdrs", "eth,ipv4,inner-ipv6-sctp", 0 },
		{ "rxhdrs", "eth,eth,eth,eth,eth,eth,eth", 0 },
		{ "rxhdrs", "eth,eth,eth,eth,eth,eth,eth,eth", -E2BIG },
		{ "rxhdrs", "", -EINVAL },
		{ "rxhdrs", "eth,", -EINVAL },
		{ "rxhdrs", "ETH", -EINVAL },
		{ "rxhdrs", "ipv", -EINVAL },
		{ "rxhdrs", "tcp", -EINVAL },
	};

	SETTING_WORDS(((struct app *)*state)->settings, rows);
}

/* The list given last says how many segments there are. tests/contract compares the rest. */
TEST(shown)
{
	static const struct port_fixture_row steps[] = {
		{ "set rxpkts 64,128", NULL, NULL },
		{ "set rxhdrs eth,ipv4", NULL, NULL },
		{ "show config rxpkts", "Number of segments: 3\nSegment sizes: 64,128,0\n", NULL },
		{ "show config rxhdrs", "Number of segments: 3\nPacket segs: eth, ipv4, payload\n",
			NULL },
		{ "set rxpkts 1,2", NULL, NULL },
		{ "show config rxhdrs", "Number of segments: 2\nPacket segs: eth, payload\n",
			NULL },
		{ "set rxpkts 9", NULL, NULL },
		{ "show config rxhdrs", "Number of segments: 1\nPacket segs: payload\n", NULL },
		{ "set rxpkts off", NULL, NULL },
		{ "set rxhdrs ipv6-udp", NULL, NULL },
		{ "show config rxpkts", "Number of segments: 2\nSegment sizes: 0,0\n", NULL },
		{ "set rxoffs 0,32,64", NULL, NULL },
		{ "set rxoffs x", NULL,
			"rxoffs \"x\": expected numbers of bytes such as 64,128, or off\n",
			"EINVAL" },
		{ "set rxpkts 1,65535", NULL, "rxpkts 65535: expected 0..65534 bytes\n", "ERANGE" },
		{ "show config rxoffs", "Number of offsets: 3\nSegment offsets: 0,32,64\n", NULL },
		{ "set rxoffs off", NULL, NULL },
		{ "set rxhdrs off", NULL, NULL },
	};

	PORT_FIXTURE_ROWS(steps);
}

/* Port 0 stopped, its driver able to split; port 1 never is. */
static void
split_on(struct app *app)
{
	port_faults.rx_can = SPLIT;
	port_faults.segments_can = (struct rte_eth_rxseg_capa){ .max_nseg = 4,
		.offset_allowed = 1,
		.offset_align_log2 = 2,
		.multi_pools = 1 };
	app->ports.port[0].info.rx_offload_capa |= SPLIT;
	port_fixture_says("port stop 0", STOPPED, "");
	port_fixture_says("port config 0 rx_offload buffer_split on", "", "");
}

static void
split_off(struct app *app)
{
	static const struct port_fixture_row steps[] = {
		{ "set rxpkts off", NULL, NULL },
		{ "set rxhdrs off", NULL, NULL },
		{ "set rxoffs off", NULL, NULL },
		{ "port config 0 rx_offload buffer_split off", NULL, NULL },
		{ "port start 0", CONFIGURING(0) STARTED_0, NULL },
	};

	PORT_FIXTURE_ROWS(steps);
	assert_int_equal(port_faults.n_segments, 0);
}

static void
started(const char *configuring)
{
	char expected[256];

	snprintf(expected, sizeof(expected), "%s" STARTED_0, configuring);
	port_fixture_says("port start 0", expected, "");
}

/* Cut packets anew, and start the running port again. */
static void
restarted(const char *rxpkts, const char *rxhdrs, const char *rxoffs)
{
	const char *const words[][2] = { { "rxpkts", rxpkts }, { "rxhdrs", rxhdrs },
		{ "rxoffs", rxoffs } };
	char line[64];

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		snprintf(line, sizeof(line), "set %s %s", words[i][0], words[i][1]);
		port_fixture_says(line, NULL, NULL);
	}
	port_fixture_says("port stop 0", STOPPED, "");
	started("");
}

TEST(segments)
{
	struct app *app = *state;
	struct rte_mempool *mp = app->pools.pool[0][0];
	const struct rte_eth_rxseg_split *s = port_faults.segments;

	split_on(app);
	/* One segment is no split. */
	port_fixture_says("set rxpkts 64", NULL, NULL);
	started(CONFIGURING(0));
	assert_int_equal(port_faults.n_segments, 0);
	/* Changed while the port runs: taken at its next start, queues alone. */
	restarted("64,0,128", "off", "0,32");
	assert_int_equal(port_faults.n_segments, 3);
	assert_int_equal(s[0].length, 64);
	assert_int_equal(s[0].offset, 0);
	assert_ptr_equal(s[0].mp, mp);
	assert_int_equal(s[1].length, RTE_MBUF_DEFAULT_BUF_SIZE - 32);
	assert_int_equal(s[1].offset, 32);
	assert_int_equal(s[2].length, 128);
	assert_int_equal(s[2].proto_hdr, 0);
	/* Headers: each segment names what the ones before it did not. A length wins. */
	restarted("off", "eth,ipv4,ipv4-udp", "0,32");
	assert_int_equal(port_faults.n_segments, 4);
	assert_int_equal(s[0].proto_hdr, RTE_PTYPE_L2_ETHER);
	assert_int_equal(s[0].length, 0);
	assert_int_equal(s[1].proto_hdr, RTE_PTYPE_L3_IPV4_EXT_UNKNOWN);
	assert_int_equal(s[2].proto_hdr, RTE_PTYPE_L4_UDP);
	assert_int_equal(s[3].proto_hdr, 0);
	assert_int_equal(s[3].length, RTE_MBUF_DEFAULT_BUF_SIZE);
	restarted("14,0", "eth", "0,32");
	assert_int_equal(s[0].proto_hdr, 0);
	assert_int_equal(s[0].length, 14);
	/* The first segment's buffer has the headroom. */
	restarted("0,0", "off", "off");
	assert_int_equal(s[0].length, ROOM);
	port_fixture_says("port stop 0", STOPPED, "");
	split_off(app);
}

TEST(refused)
{
	struct app *app = *state;
	struct port *p = &app->ports.port[0];
	static const struct port_fixture_row steps[] = {
		{ "set rxpkts 1,2,3,4,5", NULL, NULL },
		REFUSED("rxpkts, rxhdrs: 5 segments: driver net_null of port 0 supports at most 4"),
		{ "set rxpkts 2049,0", NULL, NULL },
		{ "port start 0", "",
			"rxpkts 2049, rxoffs 0: segment 0 of port 0 does not fit its buffers of 2176 bytes, headroom of 128 included"
			"; use a larger --mbuf-size\n" },
		{ "set rxpkts 2048,2176", NULL, NULL },
		{ "set rxoffs 0,4", NULL, NULL },
		{ "port start 0", "",
			"rxpkts 2176, rxoffs 4: segment 1 of port 0 does not fit its buffers of 2176 bytes; use a larger --mbuf-size\n" },
		{ "set rxpkts 64,0", NULL, NULL },
		{ "set rxoffs 0,2176", NULL, NULL },
		{ "port start 0", "",
			"rxpkts 0, rxoffs 2176: segment 1 of port 0 does not fit its buffers of 2176 bytes; use a larger --mbuf-size\n" },
		{ "set rxoffs 0,6", NULL, NULL },
		{ "port start 0", "",
			"rxoffs 6: driver net_null of port 0 requires multiples of 4 bytes\n" },
	};

	split_on(app);
	PORT_FIXTURE_ROWS(steps);
	p->info.rx_seg_capa.offset_allowed = 0;
	port_fixture_says("port start 0", "",
		"rxoffs 6: driver net_null of port 0 does not support offsets\n");
	assert_int_equal(p->state, PORT_STOPPED);
	split_off(app);
	/* Without the offload nobody asks. */
	port_fixture_says("set rxpkts 1,2,3,4,5", "", "");
	port_fixture_says("port stop 0", STOPPED, "");
	started("");
	assert_int_equal(port_faults.n_segments, 0);
	port_fixture_says("set rxpkts off", "", "");
}

TEST(pools)
{
	struct app *app = *state;
	struct port *p = &app->ports.port[0];
	struct rte_mempool *small = app->pools.pool[0][0], *large;

	large = rte_pktmbuf_pool_create("large", 1023, 0, 0, 4096, 0);
	assert_non_null(large);
	split_on(app);
	setting_parse(app->settings, "multi-rx-mempool", "on", NULL);
	port_fixture_says("port start 0", CONFIGURING(0),
		"multi-rx-mempool: expected two or more sizes in --mbuf-size, found 1\n");
	app->pools.pool[0][1] = large;
	app->pools.config.n_sizes = 2;
	app->pools.config.sizes[0] = 2176;
	app->pools.config.sizes[1] = 4096;
	port_fixture_says("port start 0", "",
		"multi-rx-mempool: 2 pools: driver net_null of port 0 supports at most 0\n");
	p->info.max_rx_mempools = 2;
	started("");
	assert_int_equal(port_faults.n_pools, 2);
	assert_ptr_equal(port_faults.pools[0], small);
	assert_ptr_equal(port_faults.pools[1], large);
	setting_parse(app->settings, "multi-rx-mempool", "off", NULL);
	/* The last pool serves all further segments. */
	port_fixture_says("set rxpkts 64,0,0", "", "");
	port_fixture_says("port stop 0", STOPPED, "");
	p->info.rx_seg_capa.multi_pools = 0;
	port_fixture_says("port start 0", "",
		"--mbuf-size: driver net_null of port 0 supports only one pool for all segments\n");
	p->info.rx_seg_capa.multi_pools = 1;
	started("");
	assert_int_equal(port_faults.n_pools, 0);
	assert_ptr_equal(port_faults.segments[0].mp, small);
	assert_ptr_equal(port_faults.segments[1].mp, large);
	assert_ptr_equal(port_faults.segments[2].mp, large);
	assert_int_equal(port_faults.segments[2].length, 4096);
	/* --mbuf-size=2176,0: what has no buffers is not received. */
	app->pools.config.sizes[1] = 0;
	port_fixture_says("port stop 0", STOPPED, "");
	p->queues_configured = false;
	started("");
	assert_ptr_equal(port_faults.segments[0].mp, small);
	assert_null(port_faults.segments[1].mp);
	assert_int_equal(port_faults.segments[1].length, 0);
	app->pools.pool[0][1] = NULL;
	app->pools.config.n_sizes = 1;
	port_fixture_says("port stop 0", STOPPED, "");
	split_off(app);
	rte_mempool_free(large);
}

TEST(joined)
{
	struct app *app = *state;
	struct port *p = app->ports.port;
	static const struct port_fixture_row steps[] = {
		{ "port config all max-lro-pkt-size 9000", STOP_ALL_FIRST },
		{ "port stop all", STOPPED, NULL },
		{ "port config all max-lro-pkt-size 4294967295", NULL, NULL },
		{ "port config all max-lro-pkt-size 9000", NULL, NULL },
		{ "port start all", CONFIGURED, NULL },
	};

	port_faults.lro_can = 8000;
	PORT_FIXTURE_ROWS(steps);
	assert_int_equal(port_faults.conf.rxmode.max_lro_pkt_size, 9000);
	port_fixture_says("port stop all", STOPPED, "");
	port_faults.rx_can = RTE_ETH_RX_OFFLOAD_TCP_LRO;
	p[0].info.rx_offload_capa = p[1].info.rx_offload_capa = port_faults.rx_can;
	port_fixture_says("port config all rx_offload tcp_lro on", "", "");
	port_fixture_says("port start all", "",
		"max-lro-pkt-size 9000: driver net_null of port 0 supports 64..8000 bytes\n");
	port_fixture_says("port config all max-lro-pkt-size 8001", "",
		"max-lro-pkt-size 8001: driver net_null of port 0 supports 64..8000 bytes\n");
	port_fixture_says("port config all max-lro-pkt-size 63", "",
		"max-lro-pkt-size 63: driver net_null of port 0 supports 64..8000 bytes\n");
	assert_int_equal(setting_u64(app->settings, "max-lro-pkt-size"), 9000);
	port_fixture_says("port config all max-lro-pkt-size 8000", "", "");
	port_fixture_says("port start all", CONFIGURED, "");
	assert_int_equal(port_faults.conf.rxmode.max_lro_pkt_size, 8000);
	port_fixture_says("port stop all", STOPPED, "");
	port_fixture_says("port config all rx_offload tcp_lro off", "", "");
	port_fixture_says("port config all max-lro-pkt-size 0", "", "");
	port_fixture_says("port start all", CONFIGURED, "");
}

TESTS(.setup = port_faults_setup, .teardown = port_fixture_teardown, .before = port_faults_calm);
