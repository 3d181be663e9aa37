/* Receive side scaling of a port: names, hash types and key, redirection table; testpmd's text,
 * JSON, refusals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/offload/port_rss.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define RETA_BAD "Invalid RSS Redirection Table config entered: "

/* Whether the driver answers as a NIC would; else as net_null does. */
static struct {
	bool on;
	uint64_t rss;
	uint8_t key[4];                          /* the last that was set */
	struct rte_eth_rss_reta_entry64 reta[8]; /* the last that was set */
	int ret;                                 /* of what is set */
} fake;

int
rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info)
{
	int (*own)(uint16_t, struct rte_eth_dev_info *);
	int ret;

	*(void **)&own = dlsym(RTLD_NEXT, "rte_eth_dev_info_get");
	ret = own(id, info);
	info->hash_key_size = 0; /* as net_null of DPDK 22.11, later ones have a key */
	if (ret != 0 || !fake.on)
		return ret;
	info->hash_key_size = 4;
	info->reta_size = 128;
	info->nb_rx_queues = 4;
	return 0;
}

int
rte_eth_dev_rss_hash_update(uint16_t id, struct rte_eth_rss_conf *conf)
{
	assert_int_equal(conf->rss_key_len, sizeof(fake.key));
	assert_int_equal(conf->rss_hf, fake.rss);
	if (fake.ret == 0)
		memcpy(fake.key, conf->rss_key, sizeof(fake.key));
	return fake.ret;
}

int
rte_eth_dev_rss_reta_update(uint16_t id, struct rte_eth_rss_reta_entry64 *reta, uint16_t size)
{
	assert_int_equal(size, 128);
	if (fake.ret == 0)
		memcpy(fake.reta, reta, 2 * sizeof(reta[0]));
	return fake.ret;
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

static int
hash(struct ports *ps, uint16_t id, struct err *e)
{
	return port_rss_hash_show(ps, port_fixture_args("port=%u", id), e);
}

static int
hash_key(struct ports *ps, uint16_t id, struct err *e)
{
	return port_rss_hash_show(ps, port_fixture_args("port=%u key=key", id), e);
}

static int
reta(struct ports *ps, uint16_t id, struct err *e)
{
	return port_rss_reta_show(ps,
		port_fixture_args("port=%u size=128 masks=(0x8000000000000001,2)", id), e);
}

static const struct port_fixture_case cases[] = {
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
};

#define SOME_TYPES (RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_TCP | RTE_ETH_RSS_IPV6_TCP_EX)

TEST(text)
{
	fake.rss = SOME_TYPES;
	port_fixture_cases_text(*state, cases, ARRAY_SIZE(cases), &fake.on);
}

TEST(json)
{
	fake.rss = SOME_TYPES;
	port_fixture_cases_json(*state, cases, ARRAY_SIZE(cases), &fake.on);
}

TEST(missing)
{
	port_fixture_cases_missing(*state, cases, ARRAY_SIZE(cases));
}

TEST(rss_disabled)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };

	fake.on = true;
	fake.rss = 0;
	assert_int_equal(hash(&b->ports, 0, &e), 0);
	assert_string_equal(out_check_results(&b->printed), "RSS disabled\n");
}

/* Lines of single types end before the 64th character, of groups with it. */
TEST(rss_lines)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };

	fake.on = true;
	fake.rss = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP;
	assert_int_equal(hash(&b->ports, 0, &e), 0);
	assert_string_equal(out_check_results(&b->printed),
		"RSS functions:\n"
		"  ip  udp  ipv4  ipv4-frag  ipv4-udp  ipv4-other  ipv6\n"
		"  ipv6-frag  ipv6-udp  ipv6-other  ipv6-ex  ipv6-udp-ex\n");
	fake.rss = RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_FRAG_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_TCP |
		RTE_ETH_RSS_NONFRAG_IPV4_UDP | RTE_ETH_RSS_NONFRAG_IPV4_SCTP | RTE_ETH_RSS_IPV6 |
		RTE_ETH_RSS_NONFRAG_IPV6_TCP;
	assert_int_equal(hash(&b->ports, 0, &e), 0);
	assert_string_equal(out_check_results(&b->printed),
		"RSS functions:\n"
		"  ipv4  ipv4-frag  ipv4-tcp  ipv4-udp  ipv4-sctp  ipv6  ipv6-tcp\n");
	port_rss_bits_show(b->out, "x", fake.rss);
	assert_string_equal(out_check_results(&b->printed),
		"  ipv4  ipv4-frag  ipv4-tcp  ipv4-udp  ipv4-sctp  ipv6\n  ipv6-tcp\n");
	port_rss_bits_show(b->out, "x", RTE_BIT64(0) | RTE_BIT64(1) | RTE_ETH_RSS_IPV4);
	assert_string_equal(out_check_results(&b->printed),
		"  user-defined-0  user-defined-1  ipv4\n");
}

TEST(reta_words)
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
	struct port_fixture *b = *state;
	unsigned int i;

	fake.on = false;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		struct err e = { 0 };

		assert_int_equal(ON_PORTS(port_rss_reta_show, "port=0 size=%u masks=%s",
					 words[i].size, words[i].masks),
			words[i].ret);
		assert_string_equal(e.text, words[i].failed);
		assert_string_equal(out_check_results(&b->printed), "");
	}
}

TEST(reta_set)
{
	static const struct {
		const char *entries, *failed;
		int ret;
	} words[] = {
		{ "(128,2)", RETA_BAD "hash index 128: expected 0..127", -ERANGE },
		{ "(1,3),(1,4)", RETA_BAD "queue 4: the port has 4 queues", -ERANGE },
	};
	struct port_fixture *b = *state;
	struct err e = { 0 };
	unsigned int i;

	fake.on = false;
	assert_int_equal(ON_PORTS(port_rss_reta_set, "port=9 entries=(1,2)"), -ENODEV);
	fake.on = true;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		err_clear(&e);
		assert_int_equal(ON_PORTS(port_rss_reta_set, "port=0 entries=%s", words[i].entries),
			words[i].ret);
		assert_string_equal(e.text, words[i].failed);
		assert_string_equal(out_check_results(&b->printed),
			"The reta size of port 0 is 128\n");
		assert_int_equal(fake.reta[0].mask | fake.reta[1].mask, 0);
	}
	err_clear(&e);
	assert_int_equal(ON_PORTS(port_rss_reta_set, "port=0 entries=(1,2),(127,3)"), 0);
	assert_int_equal(fake.reta[0].mask, RTE_BIT64(1));
	assert_int_equal(fake.reta[0].reta[1], 2);
	assert_int_equal(fake.reta[1].mask, RTE_BIT64(63));
	assert_int_equal(fake.reta[1].reta[63], 3);
	assert_string_equal(out_check_results(&b->printed), "The reta size of port 0 is 128\n");
	fake.ret = -EIO;
	assert_int_equal(ON_PORTS(port_rss_reta_set, "port=0 entries=(0,0)"), -EIO);
	fake.ret = 0;
	assert_string_equal(e.text, "Bad redirection table parameter, return code = -5");
	out_check_results(&b->printed);
}

TEST(key_set)
{
	static const struct {
		const char *type, *key, *failed;
	} words[] = {
		{ "ipv5", "00112233", "Unknown RSS type ipv5: expected ipv4, ipv4-udp, ..." },
		{ "none", "00112233", "Unknown RSS type none: expected ipv4, ipv4-udp, ..." },
		{ "ipv4", "001122",
			"key length: 6 invalid - key must be a string of 8 hexa-decimal numbers" },
		{ "ipv4", "0011223344",
			"key length: 10 invalid - key must be a string of 8 hexa-decimal numbers" },
		{ "ipv4", "0x112233",
			"invalid key: character x at position 1 is not a valid hexa digit" },
	};
	static const uint8_t key[] = { 0x00, 0x1a, 0xbc, 0xff };
	struct port_fixture *b = *state;
	struct err e = { 0 };
	unsigned int i;

	fake.on = false;
	assert_int_equal(ON_PORTS(port_rss_key_set, "port=0 type=ipv4 key=00112233"), -ENOTSUP);
	assert_string_equal(e.text, "dev_info did not provide a valid hash key size");
	fake.on = true;
	fake.rss = SOME_TYPES;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		err_clear(&e);
		assert_int_equal(ON_PORTS(port_rss_key_set, "port=0 type=%s key=%s", words[i].type,
					 words[i].key),
			-EINVAL);
		assert_string_equal(e.text, words[i].failed);
	}
	err_clear(&e);
	assert_int_equal(ON_PORTS(port_rss_key_set, "port=0 type=ipv4-tcp key=001aBCff"), 0);
	assert_memory_equal(fake.key, key, sizeof(key));
	fake.ret = -EIO;
	assert_int_equal(ON_PORTS(port_rss_key_set, "port=0 type=ipv4 key=00000000"), -EIO);
	fake.ret = 0;
	assert_string_equal(e.text, "operation failed - diag=-5");
	assert_string_equal(out_check_results(&b->printed), "");
}

TEST(rss_names)
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

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
