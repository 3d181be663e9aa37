/* Descriptions of traffic: every flow is another one, sizes are as described, bad words are named. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/traffic/traffic.h"

#include "base/err.h"
#include "cmdline/grammar/words.h"
#include "engines/measure/sender.h"
#include "engines/measure/traffic/traffic_head.h"
#include "fixtures/cases.h"
#include "fixtures/made_files.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct rte_ether_addr smac = { { 2, 0, 0, 0, 0, 1 } }, dmac = { { 2, 0, 0, 0, 0, 2 } };

static int
compare(const void *a, const void *b)
{
	return memcmp(a, b, 40);
}

/* Each flow has the given MAC addresses, and addresses and ports that no other one has. */
static void
flows_check(const struct traffic *t)
{
	/* Of an ARP request the addresses have a MAC address between them. */
	const unsigned int l4 = t->kind == TRAFFIC_ARP ? 0
		: t->proto == IPPROTO_TCP || t->rocev2 ? 20
						       : 8,
			   addresses = t->kind == TRAFFIC_ARP ? 14
		: t->ip6                                      ? 32
							      : 8,
			   ports = traffic_has_ports(t) ? 4 : 0;
	uint8_t *tuples = calloc(t->flows + 1, 40), head[TRAFFIC_HEAD_MAX];

	assert_non_null(tuples);
	for (uint32_t flow = 0; flow < t->flows; flow++) {
		memset(head, 0xee, sizeof(head));
		traffic_head(t, flow, &smac, &dmac, head);
		assert_int_equal(head[t->head_bytes], 0xee);
		if (t->kind == TRAFFIC_PFC || t->kind == TRAFFIC_RAW)
			continue;
		assert_memory_equal(head, &dmac, 6);
		assert_memory_equal(head + 6, &smac, 6);
		memcpy(tuples + (size_t)flow * 40, head + t->head_bytes - l4 - addresses,
			addresses + ports);
	}
	qsort(tuples, t->flows, 40, compare);
	/* Those of a header as typed are what its words say. */
	for (uint32_t flow = 1; t->kind != TRAFFIC_RAW && flow < t->flows; flow++)
		if (compare(tuples + (size_t)flow * 40, tuples + (size_t)(flow - 1) * 40) == 0)
			fail_msg("two equal flows of %u with headers of %u", t->flows,
				t->head_bytes);
	free(tuples);
}

static int
description_read(const char *words, char *to, size_t size, struct err *e)
{
	struct traffic t;

	if (traffic_parse(&t, words, TRAFFIC_SIZE_DESCRIBED, 0, e) != 0)
		return -e->code;
	flows_check(&t);
	snprintf(to, size, "%u flows, head %u, %u sizes %u-%u, mean %.0f", t.flows, t.head_bytes,
		t.n_sizes, t.size_min, t.size_max, t.size_mean);
	return 0;
}

/* What may stand behind words. */
static int
words_offered(const char *words, char *to, size_t size, struct err *e)
{
	struct traffic t;
	struct words r;
	size_t n = 0;

	words_open(&r, words, 0, NULL);
	traffic_read(&t, &r, TRAFFIC_SIZE_DESCRIBED, 0, e);
	assert_int_equal(r.n, 0);
	for (size_t i = 0; i < r.offers.n; i++)
		n += (size_t)snprintf(to + n, size - n, "%s%s", i > 0 ? ", " : "",
			r.offers.items[i].word);
	words_close(&r);
	return 0;
}

CASES("engines/measure/traffic", { "description", description_read }, { "offered", words_offered })

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

/* Bytes of a header, as a number. */
static uint64_t
number_at(const uint8_t *head, unsigned int at, unsigned int bytes)
{
	uint64_t number = 0;

	for (unsigned int i = 0; i < bytes; i++)
		number = number << 8 | head[at + i];
	return number;
}

#define RAW_IP \
	"raw ffffffffffff020000000001080045000000000000004011000001010101010101020000000000000000 "

/* Field values from flow to flow: lists in their order, steps up and down, fields together. */
TEST(field_values)
{
	static const struct {
		const char *words;
		unsigned int at, bytes;
		uint64_t value[6];
	} cases[] = {
		{ "sport 80,443,8080 flows 3", 34, 2, { 80, 443, 8080 } },
		{ "sport 80,443 dport 1,2,3 flows 6", 36, 2, { 1, 1, 2, 2, 3, 3 } },
		{ "together sport 80,443 dport 1,2,3 flows 6", 34, 2,
			{ 80, 443, 80, 443, 80, 443 } },
		{ "together sport 80,443 dport 1,2,3 flows 6", 36, 2, { 1, 2, 3, 1, 2, 3 } },
		{ "src 1.0.0.1+0.1.0.0*3 flows 3", 26, 4, { 0x01000001, 0x01010001, 0x01020001 } },
		{ "dst 1.0.0.9-2*3 flows 3", 30, 4, { 0x01000009, 0x01000007, 0x01000005 } },
		{ "dmac 02:00:00:00:00:01,02:00:00:00:00:09 flows 3", 0, 6,
			{ 0x020000000001, 0x020000000009, 0x020000000001 } },
		{ "smac 02:00:00:00:00:01+256*2 flows 3", 6, 6,
			{ 0x020000000001, 0x020000000101, 0x020000000001 } },
		{ "vlan 7,5 size 64 flows 3", 14, 2, { 7, 5, 7 } },
		{ "dscp 46-23*3 flows 4", 15, 1, { 46 << 2, 23 << 2, 0, 46 << 2 } },
		{ "vxlan 9,7 flows 3", 46, 3, { 9, 7, 9 } },
		{ "gtpu 4294967295-1*2 flows 3", 46, 4, { 0xffffffff, 0xfffffffe, 0xffffffff } },
		{ "mpls 16-17,100+5*3 flows 4", 14, 2, { 1, 1, 1, 1 } },
		{ "mpls 16-17,100+5*3 flows 4", 20, 1,
			{ 4 << 4 | 1, 9 << 4 | 1, 14 << 4 | 1, 4 << 4 | 1 } },
		{ RAW_IP "vary 34:16 65534+1*4 flows 5", 34, 2, { 65534, 65535, 0, 1, 65534 } },
		{ RAW_IP "vary 34:16 1-1*3 flows 4", 34, 2, { 1, 0, 65535, 1 } },
		{ RAW_IP "vary 34:16 9,9,5 36:16 1,2 flows 4", 34, 4,
			{ 0x90001, 0x90002, 0x50001, 0x90002 } },
		{ RAW_IP "vary 15.6:2 0-3 15:6 46,0 flows 4", 15, 1,
			{ 46 << 2, 1, 46 << 2 | 2, 3 } },
		{ RAW_IP "vary 26:32 10.0.0.1-10.0.0.2 flows 3", 26, 4,
			{ 0x0a000001, 0x0a000002, 0x0a000001 } },
		{ RAW_IP "vary 0:48 02:00:00:00:00:ff+00:00:00:00:01:00*2 flows 2", 0, 6,
			{ 0x0200000000ff, 0x0200000001ff } },
		{ RAW_IP "vary 26:64 ::1,::2 flows 2", 26, 8, { 1, 2 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct traffic t;
		struct err e = { 0 };

		print_message("# %s\n", cases[i].words);
		assert_int_equal(traffic_parse(&t, cases[i].words, TRAFFIC_SIZE_DESCRIBED, 0, &e),
			0);
		for (uint32_t flow = 0; flow < t.flows; flow++) {
			uint8_t head[TRAFFIC_HEAD_MAX];

			traffic_head(&t, flow, &smac, &dmac, head);
			assert_int_equal(number_at(head, cases[i].at, cases[i].bytes),
				cases[i].value[flow]);
		}
	}
}

/* Random values: within their bounds, repeated after as many, the same by the same seed. */
TEST(field_random)
{
	uint16_t port[2][600];
	uint64_t seen = 0;

	for (unsigned int seed = 0; seed < 2; seed++) {
		struct traffic t;
		struct err e = { 0 };
		char words[256];

		snprintf(words, sizeof(words),
			RAW_IP "vary 34:16 100-163 random 300 by %u flows 600", seed);
		assert_int_equal(traffic_parse(&t, words, TRAFFIC_SIZE_DESCRIBED, 0, &e), 0);
		for (uint32_t flow = 0; flow < 600; flow++) {
			uint8_t head[TRAFFIC_HEAD_MAX];

			traffic_head(&t, flow, &smac, &dmac, head);
			port[seed][flow] = (uint16_t)number_at(head, 34, 2);
			assert_in_range(port[seed][flow], 100, 163);
			seen |= UINT64_C(1) << (port[seed][flow] - 100);
		}
		assert_memory_equal(port[seed], port[seed] + 300, 600);
	}
	assert_true(seen == UINT64_MAX);
	assert_memory_not_equal(port[0], port[1], 600);
}

/* The sum in ones' complement of what a checksum includes: 0xffff if it is right. */
static uint16_t
region_sum(const uint8_t *head, unsigned int from, unsigned int to, unsigned int addresses,
	unsigned int n, unsigned int pseudo)
{
	uint32_t sum = pseudo;

	for (unsigned int i = from; i < to; i += 2)
		sum += (uint32_t)number_at(head, i, 2);
	for (unsigned int i = addresses; i < addresses + n; i += 2)
		sum += (uint32_t)number_at(head, i, 2);
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/*
 * TCP over IPv6 in VXLAN over UDP with a checksum, which is over all that is in it, for many sizes and
 * flows. Checksums that are wrong are wrong, and those outside of them right.
 */
TEST(sums)
{
	static const char *const sums[] = { "ipv4@14,udp@34/14,tcp@104/64",
		"tcp@104/64:wrong,udp@34/14,ipv4@14:wrong" };
	struct traffic t;
	struct err e = { 0 };
	char words[700] = "raw ";

	for (unsigned int i = 0; i < 124; i++)
		snprintf(words + strlen(words), 3, "%02x",
			i == 14           ? 0x45
				: i == 23 ? IPPROTO_UDP
				: i == 64 ? 0x60
				: i == 70 ? IPPROTO_TCP
					  : i * 37 & 0xff);
	for (unsigned int wrong = 0; wrong < 2; wrong++) {
		char all[900];

		snprintf(all, sizeof(all),
			"%s vary 46:24 0-99 random 7 26:32 10.0.0.0-10.0.3.255 104:16 1-9 72:128 ::5+7*11 lengths 16:14,38:34,68:104 sums %s flows 50 size 142-1501",
			words, sums[wrong]);
		assert_int_equal(traffic_parse(&t, all, TRAFFIC_SIZE_DESCRIBED, 0, &e), 0);
		for (uint32_t flow = 0; flow < 50; flow++)
			for (unsigned int size = 142; size < 1501; size += 13) {
				struct traffic_patch patches[TRAFFIC_PATCHES_MAX];
				const unsigned int n = traffic_patches(&t, patches);
				uint8_t head[TRAFFIC_HEAD_MAX];

				traffic_head(&t, flow, &smac, &dmac, head);
				for (unsigned int i = 0; i < n; i++)
					sender_patch_one(&patches[i], head, (uint16_t)size);
				assert_int_equal(number_at(head, 16, 2), size - 14);
				assert_int_equal(number_at(head, 38, 2), size - 34);
				assert_int_equal(number_at(head, 68, 2), size - 104);
				assert_int_equal(region_sum(head, 14, 34, 0, 0, 0) == 0xffff,
					!wrong);
				assert_int_equal(region_sum(head, 34, 124, 26, 8, 17 + size - 34),
					0xffff);
				assert_int_equal(region_sum(head, 104, 124, 72, 32,
							 6 + size - 104) == 0xffff,
					!wrong);
			}
	}
}

TEST(file)
{
	const char *path = made_file("good", "# a flow per port\nflows 5\n\nsize 100 # bytes\n");
	char words[96];
	struct traffic t;
	struct err e = { 0 };

	for (int quoted = 0; quoted < 2; quoted++) {
		snprintf(words, sizeof(words), quoted ? "file \"%s\"" : "file %s", path);
		assert_int_equal(traffic_parse(&t, words, TRAFFIC_SIZE_DESCRIBED, 0, &e), 0);
		assert_int_equal(t.flows, 5);
		assert_int_equal(t.size_max, 100);
	}
	path = made_file("bad", "flows 5\n  sizes 100\n");
	snprintf(words, sizeof(words), "file %s", path);
	assert_int_equal(traffic_parse(&t, words, TRAFFIC_SIZE_DESCRIBED, 0, &e), -EINVAL);
	snprintf(words, sizeof(words), "%s:2: column 3: unknown keyword \"sizes\"", path);
	assert_memory_equal(e.text, words, strlen(words));
	assert_int_equal(e.column, -1);
}

TESTS(.setup = made_begin, .teardown = made_end);
