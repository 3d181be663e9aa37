/* Descriptions of traffic: every flow is another one, sizes are as described, bad words are named. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/words.h"
#include "engines/measure/traffic_head.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct rte_ether_addr smac = { { 2, 0, 0, 0, 0, 1 } }, dmac = { { 2, 0, 0, 0, 0, 2 } };

/* As many flows as described, and where the five-tuple is in each header. */
static const struct {
	const char *words;
	uint32_t flows;
	uint16_t head;     /* bytes */
	uint16_t from, to; /* addresses and ports */
} described[] = {
	{ "", 1, 42, 26, 38 },
	{ "flows 256", 256, 42, 26, 38 },
	{ "flows 64512", 64512, 42, 26, 38 },
	{ "flows 0", 0, 42, 26, 38 },
	{ "flows 256 src 10.0.0.0/24", 256, 42, 26, 38 },
	{ "flows 256 src 10.0.0.0/24 random", 256, 42, 26, 38 },
	{ "flows 65536 src 10.0.0.0/24 dst 11.0.0.0/24 random", 65536, 42, 26, 38 },
	{ "flows 65536 src 10.0.0.0/24 random dst 11.0.0.0-11.0.0.255 random seed 7", 65536, 42, 26,
		38 },
	{ "flows 1000 sport 1024-2047 random", 1000, 42, 26, 38 },
	{ "flows 1048576 src 10.0.0.0/8 random sport 0-65535 random dport 0-65535 random", 1048576,
		42, 26, 38 },
	{ "flows 100000 src 10.0.0.1 sport 1-10 count dport 0-65535 random", 100000, 42, 26, 38 },
	{ "flows 500 proto tcp size 80", 500, 54, 26, 38 },
	{ "flows 500 proto icmp", 500, 42, 26, 34 },
	{ "flows 500 src 2001:db8::/64 random size 100", 500, 62, 22, 58 },
	{ "flows 500 dst 2001:db8::fffe-2001:db8::2:10 size 100 proto tcp", 500, 74, 22, 58 },
	{ "flows 500 dst 2001:db8::/112 proto icmp size 100", 500, 62, 22, 54 },
	{ "flows 9 vlan 7 size 64", 9, 46, 30, 42 },
	{ "flows 9 vlan 1-4095 qinq 100 size 70", 9, 50, 34, 46 },
	{ "flows 9 vxlan 77 size 120", 9, 92, 76, 88 },
	{ "flows 9 vxlan 77 size 140 outer-dst 2001:db8::9", 9, 112, 96, 108 },
	{ "flows 9 vxlan 77 size 200 vlan 5 qinq 6 src ::1 outer-src ::2 proto tcp", 9, 152, 100,
		136 },
	{ "flows 9 src 2001:db8::/64 dst 2001:db9::/64 size 100", 9, 62, 22, 58 },
	{ "flows 9 src 0.0.0.0/0 dst 0.0.0.0/0 random", 9, 42, 26, 38 },
	{ "src 10.0.0.1 port 0 src ::1 size 100", 1, 62, 22, 58 },
	{ "flows 9 port 0 flows 8", 8, 42, 26, 38 },
	{ "flows 9 port 1 flows 8", 9, 42, 26, 38 },
	{ "flows 9 port 1 flows 8 port 0 flows 7", 7, 42, 26, 38 },
	{ "# one\nflows 3 # two\n", 3, 42, 26, 38 },
};

static int
compare(const void *a, const void *b)
{
	return memcmp(a, b, 40);
}

TEST(flows)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(described); i++) {
		const unsigned int n = described[i].flows,
				   tuple = described[i].to - described[i].from;
		uint8_t *tuples = calloc(n + 1, 40), head[TRAFFIC_HEAD_MAX];
		struct traffic t;
		struct err e = { 0 };

		if (traffic_parse(&t, described[i].words, TRAFFIC_SIZE_DESCRIBED, 0, &e) != 0)
			fail_msg("%s: %s", described[i].words, e.text);
		assert_int_equal(t.flows, n);
		assert_int_equal(t.head_bytes, described[i].head);
		for (uint32_t flow = 0; flow < n; flow++) {
			memset(head, 0xee, sizeof(head));
			traffic_head(&t, flow, &smac, &dmac, head);
			assert_int_equal(head[t.head_bytes], 0xee);
			assert_memory_equal(head, &dmac, 6);
			assert_memory_equal(head + 6, &smac, 6);
			memcpy(tuples + (size_t)flow * 40, head + described[i].from, tuple);
		}
		qsort(tuples, n, 40, compare);
		for (uint32_t flow = 1; flow < n; flow++)
			if (compare(tuples + (size_t)flow * 40, tuples + (size_t)(flow - 1) * 40) ==
				0)
				fail_msg("%s: two equal flows", described[i].words);
		free(tuples);
	}
}

/* A seed gives the same flows each time, and another seed gives other ones. */
TEST(seeds)
{
	static const char *const words[] = { "flows 9 src 10.0.0.0/8 random seed 1",
		"flows 9 src 10.0.0.0/8 random seed 1", "flows 9 src 10.0.0.0/8 random seed 2" };
	uint8_t head[3][TRAFFIC_HEAD_MAX] = { { 0 } };
	struct traffic t;
	struct err e = { 0 };

	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(traffic_parse(&t, words[i], TRAFFIC_SIZE_DESCRIBED, 0, &e), 0);
		traffic_head(&t, 5, &smac, &dmac, head[i]);
	}
	assert_memory_equal(head[0], head[1], TRAFFIC_HEAD_MAX);
	assert_memory_not_equal(head[0], head[2], TRAFFIC_HEAD_MAX);
}

static const struct {
	const char *words;
	unsigned int n;
	uint16_t min, max;
	double mean;
} sizes[] = {
	{ "size 60", 1, 60, 60, 60 },
	{ "size 60-1514", 1455, 60, 1514, 787 },
	{ "size 64-9000", TRAFFIC_SIZES_MAX, 64, 9000, 4532 },
	{ "size imix", 12, 60, 1514, (7 * 60 + 4 * 590 + 1514) / 12.0 },
	{ "size 100:1,200:3", 4, 100, 200, 175 },
	/* Without a size, and in an IMIX, the least that headers and probe need. */
	{ "flows 1", 1, 60, 60, 60 },
	{ "proto tcp", 1, 72, 72, 72 },
	{ "vlan 5", 1, 64, 64, 64 },
	{ "src 2001:db8::1", 1, 80, 80, 80 },
	{ "size imix vlan 5 proto tcp", 12, 76, 1514, (7 * 76 + 4 * 590 + 1514) / 12.0 },
};

TEST(lengths)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct traffic t;
		struct err e = { 0 };

		assert_int_equal(traffic_parse(&t, sizes[i].words, TRAFFIC_SIZE_DESCRIBED, 0, &e),
			0);
		assert_int_equal(t.n_sizes, sizes[i].n);
		assert_int_equal(t.size_min, sizes[i].min);
		assert_int_equal(t.size_max, sizes[i].max);
		assert_true(t.size_mean > sizes[i].mean - 1 && t.size_mean < sizes[i].mean + 1);
	}
}

/* Refused words, and what the message names. */
static const struct {
	const char *words, *named;
} refused[] = {
	{ "flow 3", "column 1: unknown keyword \"flow\"; did you mean \"flows\"?" },
	{ "flows", "column 6: incomplete command: expected a number 0..1048576" },
	{ "flows many", "column 7: unexpected argument \"many\": expected a number 0..1048576" },
	{ "flows 1048577", "1048577 is too large: expected a number 0..1048576" },
	{ "flows -1", "\"-1\"" },
	{ "flows 300 src 10.0.0.0/24", "make only 256" },
	{ "flows 2 sport 5", "make only 1" },
	{ "flows 2 src 10.0.0.0/24 sport 5 proto icmp", "ICMP has no ports" },
	{ "size 59", "at least 60" },
	{ "size 60 proto tcp", "at least 72" },
	{ "size 16385", "size \"16385\"" },
	{ "size 100-60", "size \"100-60\"" },
	{ "size 60:0", "size \"60:0\"" },
	{ "size 60:5000", "size \"60:5000\"" },
	{ "size big", "size \"big\"" },
	{ "proto sctp", "proto \"sctp\"" },
	{ "src 10.0.0", "src \"10.0.0\"" },
	{ "src 10.0.0.0/33", "src \"10.0.0.0/33\"" },
	{ "src 10.0.0.9-10.0.0.1", "src \"10.0.0.9-10.0.0.1\"" },
	{ "src 10.0.0.1-::1", "src \"10.0.0.1-::1\"" },
	{ "src ::-2001::", "src \"::-2001::\"" },
	{ "src 10.0.0.1 dst ::1 size 100", "src is an IPv4 address, but dst an IPv6 address" },
	{ "flows 3 file /tmp/x", "expected \"file PATH\" and no other words" },
	{ "flows 3 flows 3", "flows: given twice" },
	{ "vlan 3 port 0 vlan 4 vlan 5",
		"column 22: vlan: given twice: expected once, and once after each port N" },
	{ "sport 65536", "sport \"65536\"" },
	{ "dport 9-8", "dport \"9-8\"" },
	{ "vlan 4096", "vlan \"4096\"" },
	{ "qinq 5", "qinq" },
	{ "dscp 64", "dscp \"64\"" },
	{ "ttl 0", "0 is too small: expected a number 1..255" },
	{ "dmac 02:00", "dmac \"02:00\"" },
	{ "vxlan 16777216", "16777216 is too large" },
	{ "outer-src 10.0.0.1", "expected vxlan" },
	{ "port", "expected a number 0..65535" },
	{ "port 53",
		"port: incomplete: expected the words of this port after its number; numbers in headers are sport and dport" },
	{ "flows 3 port 1 ", "column 16: port: incomplete" },
	{ "port 5 flow 3", "column 8: unknown keyword \"flow\"" },
	{ "file /nonexistent", "/nonexistent" },
	{ "random", "unknown keyword \"random\"" },
	{ "rate 10%", "unknown keyword \"rate\"; did you mean \"set generate-rate\"?" },
	{ "src \"10.0.0.0/24", "column 5: missing closing quote" },
	{ "proto utp", "proto \"utp\"; did you mean \"udp\"?" },
};

TEST(bad_words)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(refused); i++) {
		struct traffic t;
		struct err e;

		err_clear(&e);
		if (traffic_parse(&t, refused[i].words, TRAFFIC_SIZE_DESCRIBED, 0, &e) == 0)
			fail_msg("accepted: %s", refused[i].words);
		if (strstr(e.text, refused[i].named) == NULL)
			fail_msg("%s: %s", refused[i].words, e.text);
	}
}

TEST(file)
{
	char path[] = "/tmp/traffic_test_XXXXXX", words[96];
	FILE *f = fdopen(mkstemp(path), "w");
	struct traffic t;
	struct err e = { 0 };

	assert_non_null(f);
	fputs("# a flow per port\nflows 5\n\nsize 100 # bytes\n", f);
	fclose(f);
	snprintf(words, sizeof(words), "file %s", path);
	assert_int_equal(traffic_parse(&t, words, TRAFFIC_SIZE_DESCRIBED, 0, &e), 0);
	assert_int_equal(t.flows, 5);
	assert_int_equal(t.size_max, 100);
	snprintf(words, sizeof(words), "file \"%s\"", path);
	assert_int_equal(traffic_parse(&t, words, TRAFFIC_SIZE_DESCRIBED, 0, &e), 0);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("flows 5\n  sizes 100\n", f);
	fclose(f);
	assert_int_equal(traffic_parse(&t, words, TRAFFIC_SIZE_DESCRIBED, 0, &e), -EINVAL);
	snprintf(words, sizeof(words), "%s:2: column 3: unknown keyword \"sizes\"", path);
	assert_int_equal(strncmp(e.text, words, strlen(words)), 0);
	assert_int_equal(e.column, -1);
	remove(path);
}

/* True when the list of offers has the word. */
static bool
has(const struct offers *o, const char *word)
{
	for (size_t i = 0; i < o->n; i++)
		if (strcmp(o->items[i].word, word) == 0)
			return true;
	return false;
}

/* Words that are offered after others, and one that is not. */
TEST(offered)
{
	static const struct {
		const char *words, *with[3], *without;
	} lines[] = {
		{ "", { "flows", "port", "file" }, "random" },
		{ "flows ", { "a number 0..1048576" }, "src" },
		{ "flows 4 ", { "size", "src", "port" }, "flows" },
		{ "flows 4 port 1 ", { "flows", "size" }, "file" },
		{ "proto ", { "udp", "tcp", "icmp" }, "size" },
		{ "src 10.0.0.0/24 ", { "random", "count", "size" }, "src" },
		{ "src 10.0.0.0/24 random ", { "size" }, "count" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(lines); i++) {
		struct traffic t;
		struct words r;
		struct err e;

		words_open(&r, lines[i].words, 0, NULL);
		traffic_read(&t, &r, TRAFFIC_SIZE_DESCRIBED, 0, &e);
		assert_int_equal(r.n, 0);
		for (unsigned int k = 0; k < 3 && lines[i].with[k] != NULL; k++)
			if (!has(&r.offers, lines[i].with[k]))
				fail_msg("\"%s\": no %s", lines[i].words, lines[i].with[k]);
		assert_false(has(&r.offers, lines[i].without));
		words_close(&r);
	}
}
