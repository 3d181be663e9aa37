/* Descriptions of traffic: every flow is another one, sizes are as described, bad words are named. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/traffic.h"

#include "base/err.h"
#include "cmdline/grammar/words.h"
#include "engines/measure/traffic_head.h"
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
	for (uint32_t flow = 1; flow < t->flows; flow++)
		if (compare(tuples + (size_t)flow * 40, tuples + (size_t)(flow - 1) * 40) == 0)
			fail_msg("two equal flows");
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
