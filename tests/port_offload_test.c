/* Queues, hardware help and hashing of a port, also of what no embedded driver has: testpmd's text, JSON, refusals. */
#include "port_offload.h"

#include "base.h"
#include "err.h"
#include "port_bed.h"
#include "port_queue.h"
#include "port_rss.h"

#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* What the driver answers; all zero: what net_null does. */
static struct {
	bool on;
	uint64_t rx, rx_queue, tx, tx_queue, rss;
	uint32_t fec;
	int count, status;
} fake;

int
rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info)
{
	int (*own)(uint16_t, struct rte_eth_dev_info *);
	int ret;

	*(void **)&own = dlsym(RTLD_NEXT, "rte_eth_dev_info_get");
	ret = own(id, info);
	if (ret != 0 || !fake.on)
		return ret;
	info->rx_offload_capa = fake.rx;
	info->rx_queue_offload_capa = fake.rx_queue;
	info->tx_offload_capa = fake.tx;
	info->tx_queue_offload_capa = fake.tx_queue;
	info->hash_key_size = 4;
	return 0;
}

int
rte_eth_dev_rss_hash_conf_get(uint16_t id, struct rte_eth_rss_conf *conf)
{
	static const uint8_t key[] = { 0x6d, 0x5a, 0x00, 0xff };

	if (!fake.on)
		return -ENOTSUP;
	conf->rss_hf = fake.rss;
	if (conf->rss_key != NULL && conf->rss_key_len >= sizeof(key))
		memcpy(conf->rss_key, key, sizeof(key));
	return 0;
}

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

int
rte_eth_fec_get(uint16_t id, uint32_t *capability)
{
	*capability = fake.fec;
	return fake.on ? 0 : -ENOTSUP;
}

int
rte_eth_fec_get_capability(uint16_t id, struct rte_eth_fec_capa *speeds, unsigned int n)
{
	if (!fake.on)
		return -ENOTSUP;
	if (n > 0)
		speeds[0] = (struct rte_eth_fec_capa){ 25000, 0xf };
	if (n > 1)
		speeds[1] = (struct rte_eth_fec_capa){ 100000, 0x9 };
	return 2;
}

int
rte_eth_dev_flow_ctrl_get(uint16_t id, struct rte_eth_fc_conf *fc)
{
	*fc = (struct rte_eth_fc_conf){ .mode = RTE_ETH_FC_TX_PAUSE,
		.autoneg = 1,
		.pause_time = 0x680,
		.high_water = 0x80,
		.low_water = 0x40,
		.send_xon = 1 };
	return fake.on ? 0 : -ENOTSUP;
}

int
rte_eth_dev_get_supported_ptypes(uint16_t id, uint32_t mask, uint32_t *ptypes, int n)
{
	static const uint32_t known[] = { RTE_PTYPE_L2_ETHER, RTE_PTYPE_L2_ETHER_ARP,
		RTE_PTYPE_L4_UDP };
	int i, found = 0;

	if (!fake.on)
		return 0;
	for (i = 0; i < (int)ARRAY_SIZE(known); i++)
		if ((known[i] & mask) != 0 && found++ < n)
			ptypes[found - 1] = known[i];
	return found;
}

typedef int show_port(struct ports *ps, uint16_t id, struct err *e);

static int
rx_capabilities(struct ports *ps, uint16_t id, struct err *e)
{
	return port_offload_capabilities(ps, id, true, e);
}
static int
tx_capabilities(struct ports *ps, uint16_t id, struct err *e)
{
	return port_offload_capabilities(ps, id, false, e);
}
static int
rx_configuration(struct ports *ps, uint16_t id, struct err *e)
{
	return port_offload_configuration(ps, id, true, e);
}
static int
tx_configuration(struct ports *ps, uint16_t id, struct err *e)
{
	return port_offload_configuration(ps, id, false, e);
}
static int
hash(struct ports *ps, uint16_t id, struct err *e)
{
	return port_rss_hash_show(ps, id, false, e);
}
static int
hash_key(struct ports *ps, uint16_t id, struct err *e)
{
	return port_rss_hash_show(ps, id, true, e);
}
static int
reta(struct ports *ps, uint16_t id, struct err *e)
{
	return port_rss_reta_show(ps, id, 128, "(0x8000000000000001,2)", e);
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
	return port_queue_desc(ps, id, 0, 3, true, e);
}
static int
desc_beyond(struct ports *ps, uint16_t id, struct err *e)
{
	return port_queue_desc(ps, id, 9, 3, false, e);
}

static const struct show_case {
	show_port *show;
	bool fake;
	const char *text, *json; /* json: what comes behind "ok": true */
	int ret;
	const char *failed;
} cases[] = {
	{ rx_capabilities, false,
		"Rx Offloading Capabilities of port 0 :\n  Per Queue :\n  Per Port  :\n\n",
		"\"port\": 0, \"per_queue\": [], \"per_port\": []", 0, "" },
	{ rx_capabilities, true,
		"Rx Offloading Capabilities of port 0 :\n  Per Queue : VLAN_STRIP\n  Per Port  : IPV4_CKSUM SCATTER\n\n",
		"\"port\": 0, \"per_queue\": [\"VLAN_STRIP\"], \"per_port\": [\"IPV4_CKSUM\", \"SCATTER\"]",
		0, "" },
	{ tx_capabilities, true,
		"Tx Offloading Capabilities of port 0 :\n  Per Queue : MBUF_FAST_FREE\n  Per Port  : MULTI_SEGS\n\n",
		"\"port\": 0, \"per_queue\": [\"MBUF_FAST_FREE\"], \"per_port\": [\"MULTI_SEGS\"]",
		0, "" },
	{ rx_configuration, false,
		"Rx Offloading Configuration of port 0 :\n  Port :\n  Queue[ 0] : SCATTER\n\n",
		"\"port\": 0, \"offloads\": [], \"queues\": [[\"SCATTER\"]]", 0, "" },
	{ tx_configuration, false,
		"Tx Offloading Configuration of port 0 :\n  Port :\n  Queue[ 0] : MULTI_SEGS\n\n",
		"\"port\": 0, \"offloads\": [], \"queues\": [[\"MULTI_SEGS\"]]", 0, "" },
	{ hash, false, "", "", -ENOTSUP, "dev_info did not provide a valid hash key size" },
	{ hash, true, "RSS functions:\n  ipv4  ipv4-tcp  ipv6-tcp-ex\n",
		"\"port\": 0, \"rss_types\": [\"ipv4\", \"ipv4-tcp\", \"ipv6-tcp-ex\"]", 0, "" },
	{ hash_key, true, "RSS functions:\n  ipv4  ipv4-tcp  ipv6-tcp-ex\nRSS key:\n6D5A00FF\n",
		"\"port\": 0, \"rss_types\": [\"ipv4\", \"ipv4-tcp\", \"ipv6-tcp-ex\"], \"rss_key\": \"6D5A00FF\"",
		0, "" },
	{ reta, false,
		"RSS RETA configuration: hash index=0, queue=0\nRSS RETA configuration: hash index=63, queue=0\n"
		"RSS RETA configuration: hash index=65, queue=0\n",
		"\"port\": 0, \"reta\": [{\"hash_index\": 0, \"queue\": 0}, {\"hash_index\": 63, \"queue\": 0}, "
		"{\"hash_index\": 65, \"queue\": 0}]",
		0, "" },
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
		"\"port\": 0, \"queue\": 0, \"direction\": \"rx\", \"mempool\": \"NULL\", \"prefetch_threshold\": 8, "
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
	{ used, false, "", "", -ENOTSUP,
		"port 0, Rx queue 0: driver net_null does not tell: Operation not supported" },
	{ used_beyond, false, "", "", -EINVAL, "Invalid queueid = 1: port 0 has 1 Rx queues" },
	{ desc, false, "", "", -ENOTSUP,
		"Invalid input: queue id = 0, desc id = 3: Operation not supported" },
	{ desc_beyond, false, "", "", -EINVAL, "Invalid queueid = 9: port 0 has 1 Tx queues" },
	{ port_ptypes_show, false,
		"L2 ptypes unsupported\nL3 ptypes unsupported\nL4 ptypes unsupported\nTunnel ptypes unsupported\n"
		"Inner L2 ptypes unsupported\nInner L3 ptypes unsupported\nInner L4 ptypes unsupported\n",
		"\"port\": 0, \"ptypes\": {\"l2\": [], \"l3\": [], \"l4\": [], \"tunnel\": [], \"inner_l2\": [], "
		"\"inner_l3\": [], \"inner_l4\": []}",
		0, "" },
	{ port_ptypes_show, true,
		"Supported L2 ptypes:\nL2_ETHER \nL2_ETHER_ARP \nL3 ptypes unsupported\nSupported L4 ptypes:\nL4_UDP \n"
		"Tunnel ptypes unsupported\nInner L2 ptypes unsupported\nInner L3 ptypes unsupported\n"
		"Inner L4 ptypes unsupported\n",
		NULL, 0, "" },
	{ port_fec_show, false, "", "", -ENOTSUP, "Function not implemented" },
	{ port_fec_show, true, "baser\n", "\"port\": 0, \"fec\": \"baser\"", 0, "" },
	{ port_fec_capabilities, false, "", "", -ENOTSUP, "Function not implemented" },
	{ port_fec_capabilities, true,
		"FEC capabilities:\n25 Gbps : off auto baser rs \n100 Gbps : off rs \n",
		"\"port\": 0, \"speeds\": [{\"link_speed_mbps\": 25000, \"fec\": [\"off\", \"auto\", \"baser\", \"rs\"]}, "
		"{\"link_speed_mbps\": 100000, \"fec\": [\"off\", \"rs\"]}]",
		0, "" },
	{ port_flow_ctrl_show, false, "", "", -ENOTSUP,
		"Failed to get current flow ctrl information: err = -95" },
	{ port_flow_ctrl_show, true,
		"\n********************* Flow control infos for port 0  *********************\n"
		"FC mode:\n   Rx pause: off\n   Tx pause: on\nAutoneg: on\nPause time: 0x680\nHigh waterline: 0x80\n"
		"Low waterline: 0x40\nSend XON: on\nForward MAC control frames: off\n"
		"\n***********************************   End  ********************************\n",
		"\"port\": 0, \"rx_pause\": false, \"tx_pause\": true, \"autoneg\": true, \"pause_time\": 1664, "
		"\"high_water\": 128, \"low_water\": 64, \"send_xon\": true, \"forward_mac_control\": false",
		0, "" },
};

static void
set_fake(bool on)
{
	fake.on = on;
	fake.rx = RTE_ETH_RX_OFFLOAD_VLAN_STRIP | RTE_ETH_RX_OFFLOAD_IPV4_CKSUM |
		RTE_ETH_RX_OFFLOAD_SCATTER;
	fake.rx_queue = RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	fake.tx = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE | RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	fake.tx_queue = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
	fake.rss = RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_TCP | RTE_ETH_RSS_IPV6_TCP_EX;
	fake.fec = RTE_ETH_FEC_MODE_CAPA_MASK(BASER);
}

static void
text(void **state)
{
	struct bed *b = *state;
	unsigned int i;

	b->ports.port[0].rxq[0].offloads = RTE_ETH_RX_OFFLOAD_SCATTER;
	b->ports.port[0].txq[0].offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct show_case *c = &cases[i];
		struct err e = { 0 };

		set_fake(c->fake);
		assert_int_equal(c->show(&b->ports, 0, &e), c->ret);
		assert_string_equal(bed_text(b), c->text);
		assert_string_equal(e.text, c->failed);
		assert_string_equal(bed_failed(b), "");
	}
}

static void
json(void **state)
{
	struct bed *b = *state;
	unsigned int i;
	char want[1024];

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct show_case *c = &cases[i];
		struct err e = { 0 };

		if (c->ret != 0 || c->json == NULL)
			continue;
		set_fake(c->fake);
		out_format_set(b->out, OUT_JSON);
		out_begin(b->out, "x");
		assert_int_equal(c->show(&b->ports, 0, &e), 0);
		out_end(b->out, NULL, NULL);
		out_format_set(b->out, OUT_TEXT);
		snprintf(want, sizeof(want), "{\"command\": \"x\", \"ok\": true, %s}\n", c->json);
		assert_string_equal(bed_text(b), want);
	}
}

/* Queue info asks the driver first, as testpmd does. */
static void
missing(void **state)
{
	struct bed *b = *state;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = { 0 };

		if (cases[i].show == rxq || cases[i].show == txq)
			continue;
		assert_int_equal(cases[i].show(&b->ports, 9, &e), -ENODEV);
		assert_string_equal(e.text, "Invalid port 9");
		assert_string_equal(bed_text(b), "");
	}
}

/* Descriptors are asked about only while the driver has some. */
static void
stopped(void **state)
{
	struct bed *b = *state;
	show_port *const shows[] = { used, desc };
	unsigned int i;

	b->ports.port[0].state = PORT_STOPPED;
	for (i = 0; i < ARRAY_SIZE(shows); i++) {
		struct err e = { 0 };

		assert_int_equal(shows[i](&b->ports, 0, &e), -EBUSY);
		assert_string_equal(e.text,
			"port 0 is stopped and its queues hold nothing: start it first");
	}
	b->ports.port[0].state = PORT_STARTED;
}

static void
rss_disabled(void **state)
{
	struct bed *b = *state;
	struct err e = { 0 };

	set_fake(true);
	fake.rss = 0;
	assert_int_equal(hash(&b->ports, 0, &e), 0);
	assert_string_equal(bed_text(b), "RSS disabled\n");
}

/* Lines of single types end before the 64th character, of groups with it. */
static void
rss_lines(void **state)
{
	struct bed *b = *state;
	struct err e = { 0 };

	set_fake(true);
	fake.rss = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP;
	assert_int_equal(hash(&b->ports, 0, &e), 0);
	assert_string_equal(bed_text(b),
		"RSS functions:\n"
		"  ip  udp  ipv4  ipv4-frag  ipv4-udp  ipv4-other  ipv6\n"
		"  ipv6-frag  ipv6-udp  ipv6-other  ipv6-ex  ipv6-udp-ex\n");
	port_rss_bits_show(b->out, "x", RTE_BIT64(0) | RTE_BIT64(1) | RTE_ETH_RSS_IPV4);
	assert_string_equal(bed_text(b), "  user-defined-0  user-defined-1  ipv4\n");
}

static void
reta_words(void **state)
{
	static const struct {
		uint16_t size;
		const char *masks, *failed;
		int ret;
	} words[] = {
		{ 0, "(1,1)", "Invalid redirection table size: 0 (1-128)", -ERANGE },
		{ 129, "(1,1)", "Invalid redirection table size: 129 (1-128)", -ERANGE },
		{ 64, "0xff", "Invalid string: 0xff for reta masks", -EINVAL },
		{ 64, "(", "Invalid string: ( for reta masks", -EINVAL },
		{ 64, "()", "Invalid string: () for reta masks", -EINVAL },
		{ 64, "(x)", "Invalid string: (x) for reta masks", -EINVAL },
		{ 64, "(-1)", "Invalid string: (-1) for reta masks", -EINVAL },
		{ 64, "(1)x", "Invalid string: (1)x for reta masks", -EINVAL },
		{ 64, "(0x1ffffffffffffffff)",
			"Invalid string: (0x1ffffffffffffffff) for reta masks", -EINVAL },
		{ 64, "(1", "The bits of masks do not match the number of reta entries: 1",
			-EINVAL },
		{ 64, "(1,1)", "The bits of masks do not match the number of reta entries: 1",
			-EINVAL },
		{ 128, "(1)", "The bits of masks do not match the number of reta entries: 2",
			-EINVAL },
		{ 64, "(1)", "Failed to get RSS RETA info, return code = -22", -EINVAL },
		{ 128, "(0,0)", "Failed to get RSS RETA info, return code = -22", -EINVAL },
	};
	struct bed *b = *state;
	unsigned int i;

	set_fake(false);
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		struct err e = { 0 };

		assert_int_equal(port_rss_reta_show(&b->ports, 0, words[i].size, words[i].masks,
					 &e),
			words[i].ret);
		assert_string_equal(e.text, words[i].failed);
		assert_string_equal(bed_text(b), "");
	}
}

static void
rss_names(void **state)
{
	uint64_t types;
	unsigned int n;

	for (n = 0; port_rss_name_at(n) != NULL; n++) {
		assert_true(port_rss_find(port_rss_name_at(n), &types));
		assert_string_equal(port_rss_name(types), port_rss_name_at(n));
	}
	assert_true(n > 40);
	assert_false(port_rss_find("ipv5", &types));
	assert_false(port_rss_find("", &types));
	assert_null(port_rss_name(UINT64_MAX));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text),
		cmocka_unit_test(json),
		cmocka_unit_test(missing),
		cmocka_unit_test(stopped),
		cmocka_unit_test(rss_disabled),
		cmocka_unit_test(rss_lines),
		cmocka_unit_test(reta_words),
		cmocka_unit_test(rss_names),
	};

	return cmocka_run_group_tests(tests, bed_setup, bed_teardown);
}
