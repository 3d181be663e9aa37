/* Words about packets to make: what they are read as, and what is said of those that mean
 * nothing. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "engines/common/pkt.h"
#include "engines/engine.h"
#include "fixtures/unit.h"

#include <rte_ip.h>

#include <string.h>

extern const struct engine engine_txonly;

TEST(lengths)
{
	static const struct {
		const char *text;
		int n;
		uint16_t lengths[4];
	} rows[] = {
		{ "42", 1, { 42 } },
		{ "65535", 1, { 65535 } },
		{ "064,128", 2, { 64, 128 } },
		{ "1,1,1,39", 4, { 1, 1, 1, 39 } },
		{ "41", -ERANGE, { 0 } },
		{ "65535,1", -ERANGE, { 0 } },
		{ "64,", -EINVAL, { 0 } },
		{ "0x40", -EINVAL, { 0 } },
	};
	uint16_t got[PKT_SEGS_MAX];
	struct err e;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(pkt_text_lengths(rows[i].text, NULL, &e), rows[i].n);
		assert_int_equal(pkt_text_lengths(rows[i].text, got, &e), rows[i].n);
		if (rows[i].n > 0)
			assert_memory_equal(got, rows[i].lengths, (size_t)rows[i].n * sizeof(*got));
	}
}

TEST(most_segments)
{
	char many[4 * 256 + 1] = "42";
	struct err e;
	int i;

	for (i = 1; i < PKT_SEGS_MAX; i++)
		strcat(many, ",1");
	assert_int_equal(pkt_text_lengths(many, NULL, &e), PKT_SEGS_MAX);
	assert_int_equal(pkt_text_lengths(strcat(many, ",1"), NULL, &e), -ERANGE);
}

TEST(pairs)
{
	static const struct {
		const char *text;
		int n;
		uint64_t pair[2];
	} rows[] = {
		{ "0", 1, { 0, 0 } },
		{ "9", 1, { 9, 9 } },
		{ "9,10", 2, { 9, 10 } },
		{ "100,0", 2, { 100, 0 } },
		{ "101", 0, { 0 } },
		{ "1,101", 0, { 0 } },
		{ "", 0, { 0 } },
		{ ",", 0, { 0 } },
		{ "1,", 0, { 0 } },
		{ ",1", 0, { 0 } },
		{ "1,2,3", 0, { 0 } },
		{ "1 ,2", 0, { 0 } },
		{ "+1", 0, { 0 } },
		{ "99999999999999999999", 0, { 0 } },
	};
	uint64_t pair[2];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(pkt_text_pair(rows[i].text, 100, pair), rows[i].n);
		if (rows[i].n > 0)
			assert_memory_equal(pair, rows[i].pair, sizeof(pair));
	}
}

TEST(addresses)
{
	uint32_t a[2];

	assert_true(pkt_text_addresses("1.2.3.4,255.255.255.255", a));
	assert_int_equal(a[0], RTE_IPV4(1, 2, 3, 4));
	assert_int_equal(a[1], UINT32_MAX);
	assert_true(pkt_text_addresses("100.100.100.100,0.0.0.0", a));
	assert_false(pkt_text_addresses("1.2.3,4.5.6.7", a));
	assert_false(pkt_text_addresses("1.2.3.4 ,4.5.6.7", a));
	assert_false(pkt_text_addresses("1.2.3.4,", a));
}

/* Words that are refused as soon as they are set, and what has to be in the message. */
TEST(bad_words)
{
	static const struct {
		const char *name, *word, *says;
	} rows[] = {
		{ "txpkts", "", "segment \"\"" },
		{ "txpkts", "64,", "segment \"\"" },
		{ "txpkts", ",64", "segment \"\"" },
		{ "txpkts", "64;64", "64;64" },
		{ "txpkts", "64,0", "segment \"0\"" },
		{ "txpkts", "64,-1", "segment \"-1\"" },
		{ "txpkts", "64, 64", "segment \" 64\"" },
		{ "txpkts", "65536", "65536" },
		{ "txpkts", "99999999999999999999", "1..65535" },
		{ "txpkts", "41", "expected 42..65535" },
		{ "txpkts", "14,20,7", "packet of 41 bytes" },
		{ "txpkts", "65535,1", "packet of 65536 bytes" },
		{ "txsplit", "random", "off|on|rand" },
		{ "txtimes", "1", "BURST-GAP,PACKET-GAP" },
		{ "txtimes", "1,2,3", "1,2,3" },
		{ "txtimes", "1,", "1," },
		{ "txtimes", "4294967296,0", "4294967295" },
		{ "txonly-flows", "0", "1..64" },
		{ "txonly-flows", "65", "1..64" },
		{ "tx-ip", "1.2.3.4", "SOURCE,DESTINATION" },
		{ "tx-ip", "1.2.3.4,1.2.3.256", "1.2.3.256" },
		{ "tx-ip", ",1.2.3.4", "SOURCE,DESTINATION" },
		{ "tx-ip", "1.2.3.4,1.2.3.4,1.2.3.4", "SOURCE,DESTINATION" },
		{ "tx-ip", "1234567890123456789,1.2.3.4", "1234567890123456789" },
		{ "tx-udp", "", "0..65535" },
		{ "tx-udp", "65536", "0..65535" },
		{ "tx-udp", "9,x", "9,x" },
		{ "tx-udp", "9,9,9", "9,9,9" },
	};
	struct settings *settings = settings_new();
	struct err e;
	size_t i;

	assert_int_equal(settings_add(settings, &engine_txonly.settings, &e), 0);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		err_clear(&e);
		assert_true(setting_parse(settings, rows[i].name, rows[i].word, &e) < 0);
		if (strstr(e.text, rows[i].says) == NULL || strstr(e.text, rows[i].name) == NULL)
			fail_msg("%s %s: \"%s\" lacks \"%s\"", rows[i].name, rows[i].word, e.text,
				rows[i].says);
	}
	settings_free(settings);
}
