/* Receive side scaling of a port: names, hash types and key, redirection table; testpmd's text,
 * JSON, refusals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/offload/port_rss.h"

#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

static uint64_t types = RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_TCP | RTE_ETH_RSS_IPV6_TCP_EX;

int
rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info)
{
	int (*own)(uint16_t, struct rte_eth_dev_info *);
	int ret;

	*(void **)&own = dlsym(RTLD_NEXT, "rte_eth_dev_info_get");
	ret = own(id, info);
	info->hash_key_size = 0; /* as net_null of DPDK 22.11, later ones have a key */
	if (ret != 0 || port_fixture_card == PORT_FIXTURE_NONE)
		return ret;
	info->hash_key_size = 4;
	info->reta_size = 128;
	info->nb_rx_queues = 4;
	return 0;
}

int
rte_eth_dev_rss_hash_update(uint16_t id, struct rte_eth_rss_conf *conf)
{
	assert_int_equal(conf->rss_key_len, 4);
	assert_int_equal(conf->rss_hf, types);
	return port_fixture_tell("%02x %02x %02x %02x", conf->rss_key[0], conf->rss_key[1],
		conf->rss_key[2], conf->rss_key[3]);
}

/* Tell each entry of the mask. */
int
rte_eth_dev_rss_reta_update(uint16_t id, struct rte_eth_rss_reta_entry64 *reta, uint16_t size)
{
	char text[128] = "";

	for (unsigned int i = 0; i < size; i++)
		if ((reta[i / 64].mask >> i % 64 & 1) != 0)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "(%u,%u)", i,
				reta[i / 64].reta[i % 64]);
	return port_fixture_tell("%u: %s", size, text);
}

int
rte_eth_dev_rss_hash_conf_get(uint16_t id, struct rte_eth_rss_conf *conf)
{
	static const uint8_t key[] = { 0x6d, 0x5a, 0x00, 0xff };

	if (port_fixture_card == PORT_FIXTURE_NONE)
		return -ENOTSUP;
	conf->rss_hf = types;
	if (conf->rss_key != NULL && conf->rss_key_len >= sizeof(key))
		memcpy(conf->rss_key, key, sizeof(key));
	return 0;
}

#define NO_PORT NULL, "Invalid port 9: expected 0\n", "ENODEV", ""
#define NO_CARD .card = PORT_FIXTURE_NONE
#define NO_KEY NULL, "dev_info did not provide a valid hash key size\n", "EOPNOTSUPP", NO_CARD
#define KEY "port config 0 rss-hash-key "

TEST(hashes)
{
	static const struct port_fixture_row rows[] = {
		{ "show port 0 rss-hash", NO_KEY },
		{ "show port 0 rss-hash", "RSS functions:\n  ipv4  ipv4-tcp  ipv6-tcp-ex\n", NULL,
			"\"port\": 0, \"rss_types\": [\"ipv4\", \"ipv4-tcp\", \"ipv6-tcp-ex\"]" },
		{ "show port 0 rss-hash key",
			"RSS functions:\n  ipv4  ipv4-tcp  ipv6-tcp-ex\nRSS key:\n6D5A00FF\n", NULL,
			"\"port\": 0, \"rss_types\": [\"ipv4\", \"ipv4-tcp\", \"ipv6-tcp-ex\"], \"rss_key\": \"6D5A00FF\"" },
		{ "show port 9 rss-hash", NO_PORT },
		{ KEY "ipv4 00112233", NO_KEY },
		{ KEY "ipv5 00112233", NULL,
			"Unknown RSS type ipv5: expected ipv4, ipv4-udp, ...\n", "EINVAL", "" },
		{ KEY "none 00112233", NULL,
			"Unknown RSS type none: expected ipv4, ipv4-udp, ...\n", "EINVAL", "" },
		{ KEY "ipv4 001122", NULL,
			"key length: 6 invalid - key must be a string of 8 hexa-decimal numbers\n",
			"EINVAL", "" },
		{ KEY "ipv4 0011223344", NULL,
			"key length: 10 invalid - key must be a string of 8 hexa-decimal numbers\n",
			"EINVAL", "" },
		{ KEY "ipv4 0x112233", NULL,
			"invalid key: character x at position 1 is not a valid hexa digit\n",
			"EINVAL", "" },
		{ KEY "ipv4-tcp 001aBCff", .told = "00 1a bc ff" },
		{ KEY "ipv4 00000000", NULL, "operation failed - diag=-5\n", "EIO", .card = -EIO },
	};

	PORT_FIXTURE_ROWS(rows);
}

/* Lines of single types end before the 64th character, of groups with it. */
TEST(lines)
{
	struct app *app = *state;

	types = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP;
	port_fixture_says("show port 0 rss-hash",
		"RSS functions:\n"
		"  ip  udp  ipv4  ipv4-frag  ipv4-udp  ipv4-other  ipv6\n"
		"  ipv6-frag  ipv6-udp  ipv6-other  ipv6-ex  ipv6-udp-ex\n",
		NULL);
	types = RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_FRAG_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_TCP |
		RTE_ETH_RSS_NONFRAG_IPV4_UDP | RTE_ETH_RSS_NONFRAG_IPV4_SCTP | RTE_ETH_RSS_IPV6 |
		RTE_ETH_RSS_NONFRAG_IPV6_TCP;
	port_fixture_says("show port 0 rss-hash",
		"RSS functions:\n"
		"  ipv4  ipv4-frag  ipv4-tcp  ipv4-udp  ipv4-sctp  ipv6  ipv6-tcp\n",
		NULL);
	port_rss_bits_show(app->out, "x", types);
	assert_string_equal(port_fixture_results(),
		"  ipv4  ipv4-frag  ipv4-tcp  ipv4-udp  ipv4-sctp  ipv6\n  ipv6-tcp\n");
	port_rss_bits_show(app->out, "x", RTE_BIT64(0) | RTE_BIT64(1) | RTE_ETH_RSS_IPV4);
	assert_string_equal(port_fixture_results(), "  user-defined-0  user-defined-1  ipv4\n");
	types = 0;
	port_fixture_says("show port 0 rss-hash", "RSS disabled\n", NULL);
}

#define RETA "show port 0 rss reta "
#define MASKS(words) \
	{ \
		RETA "64 " words, NULL, "Invalid string: " words " for reta masks\n", "EINVAL", \
			NO_CARD \
	}
#define MISMATCH(words, n) \
	{ \
		RETA words, NULL, \
			"The bits of masks do not match the number of reta entries: " n "\n", \
			"EINVAL", NO_CARD \
	}
#define RETA_SET "port config 0 rss reta "
#define RETA_SIZE "The reta size of port 0 is 128\n"
#define RETA_BAD "Invalid RSS Redirection Table config entered: "

TEST(reta)
{
	static const struct port_fixture_row rows[] = {
		{ RETA "128 (0x8000000000000001,2)",
			"RSS RETA configuration: hash index=0, queue=0\nRSS RETA configuration: hash index=63, queue=0\n"
			"RSS RETA configuration: hash index=65, queue=0\n",
			NULL,
			"\"port\": 0, \"reta\": [{\"hash_index\": 0, \"queue\": 0}, {\"hash_index\": 63, \"queue\": 0}, "
			"{\"hash_index\": 65, \"queue\": 0}]",
			NO_CARD },
		{ "show port 9 rss reta 128 (1,2)", NO_PORT },
		{ RETA "0 (1,1)", NULL, "Invalid redirection table size: 0 (1-128)\n", "ERANGE",
			NO_CARD },
		{ RETA "129 (1,1)", NULL, "Invalid redirection table size: 129 (1-128)\n", "ERANGE",
			NO_CARD },
		MASKS("0xff"),
		MASKS("("),
		MASKS("()"),
		MASKS("(x)"),
		MASKS("(-1)"),
		MASKS("(1)x"),
		MASKS("(0x1ffffffffffffffff)"),
		MISMATCH("64 (1", "1"),
		MISMATCH("64 (1,1)", "1"),
		MISMATCH("128 (1)", "2"),
		{ RETA "64 (1)", NULL, "Failed to get RSS RETA info, return code = -22\n", "EINVAL",
			NO_CARD },
		{ RETA "128 (0,0)", NULL, "Failed to get RSS RETA info, return code = -22\n",
			"EINVAL", NO_CARD },
		{ "port config 9 rss reta (1,2)", NO_PORT },
		{ RETA_SET "(128,2)", RETA_SIZE, RETA_BAD "hash index 128: expected 0..127\n",
			"ERANGE", "" },
		{ RETA_SET "(1,3),(1,4)", RETA_SIZE, RETA_BAD "queue 4: the port has 4 queues\n",
			"ERANGE", "" },
		{ RETA_SET "(1,2),(127,3)", RETA_SIZE, .told = "128: (1,2)(127,3)" },
		{ RETA_SET "(0,0)", RETA_SIZE,
			"Bad redirection table parameter, return code = -5\n", "EIO",
			.card = -EIO },
	};

	PORT_FIXTURE_ROWS(rows);
}

TEST(rss_names)
{
	uint64_t found;
	unsigned int n;

	for (n = 0; port_rss_name_at(n) != NULL; n++) {
		assert_true(port_rss_find(port_rss_name_at(n), &found));
		assert_string_equal(port_rss_name(found), port_rss_name_at(n));
	}
	assert_true(n > 40);
	assert_false(port_rss_find("ipv5", &found));
	assert_false(port_rss_find("", &found));
	assert_null(port_rss_name(UINT64_MAX));
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
