/* Generated packets: flows by queue, sizes, marks that show a changed byte. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/unit.h"
#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/wire/traffic_priv.h"

#include <stdio.h>
#include <string.h>

enum { FLOWS = 10 };

static struct gen gen;
static struct model fixture;
static struct port_config config;
static unsigned asked; /* how often the NIC was asked for a queue */

/* By the flow, in the last byte of the source address: 0, 1, 2, 0, 1, 2, ... */
static uint16_t
queue_of(struct model *m, const uint8_t *pkt, uint32_t len, uint32_t *hash)
{
	asked++;
	*hash = 1000u + pkt[29];
	return pkt[29] % 3;
}

static int
set_up(void **state)
{
	static const struct model_family family = { .name = "test", .rss = queue_of };

	memset(&fixture, 0, sizeof(fixture));
	fixture.family = &family;
	fixture.port = 7;
	config = (struct port_config){ .flows = FLOWS,
		.size_min = 60,
		.size_max = 60,
		.verify = true };
	asked = 0;
	return gen_open(&gen, &fixture, &config);
}

static int
tear_down(void **state)
{
	gen_close(&gen);
	return 0;
}

TEST(flows_take_turns_on_their_queue)
{
	static const int polls[3][5] = { { 3, 6, 9, 0, 3 }, { 4, 7, 1, 4, 7 }, { 5, 8, 2, 5, 8 } };

	for (unsigned i = 0; i < 5; i++)
		for (uint16_t q = 0; q < 3; q++)
			assert_int_equal(gen_next_flow(&gen, &fixture, q), polls[q][i]);
	assert_int_equal(gen_next_flow(&gen, &fixture, 3), -1);
	assert_int_equal(asked, FLOWS);
	assert_int_equal(gen.flow[4].hash, 1004);
}

TEST(a_new_table_is_asked_again)
{
	gen_next_flow(&gen, &fixture, 0);
	fixture.rss_generation++;
	gen_next_flow(&gen, &fixture, 0);
	gen_next_flow(&gen, &fixture, 0);
	assert_int_equal(asked, 2 * FLOWS);
}

TEST(sizes)
{
	unsigned seen[1515] = { 0 };

	config.size_max = 63;
	for (unsigned i = 0; i < 40; i++)
		seen[gen_next_length(&gen)]++;
	for (unsigned i = 60; i < 64; i++)
		assert_int_equal(seen[i], 10);
	memcpy(config.mix, (struct size_share[]){ { 60, 7 }, { 590, 4 }, { 1514, 1 } },
		3 * sizeof(config.mix[0]));
	memset(seen, 0, sizeof(seen));
	for (unsigned i = 0; i < 120; i++)
		seen[gen_next_length(&gen)]++;
	assert_int_equal(seen[60], 70);
	assert_int_equal(seen[590], 40);
	assert_int_equal(seen[1514], 10);
}

TEST(every_byte_counts)
{
	struct gen_mark mark;
	uint8_t pkt[120];
	bool intact;

	for (uint32_t len = 60; len <= sizeof(pkt); len++) {
		gen_write(&gen, pkt, len, 3);
		assert_true(gen_mark_read(pkt, len, &mark, &intact));
		assert_true(intact);
		assert_int_equal(mark.port, 7);
		assert_int_equal(mark.flow, 3);
		assert_int_equal(mark.sequence, len - 60);
		/* The mark's first word says that there is one. */
		for (uint32_t i = GEN_HEADERS + 4; i < len; i++) {
			pkt[i] ^= 0x20;
			assert_true(gen_mark_read(pkt, len, &mark, &intact));
			assert_false(intact);
			pkt[i] ^= 0x20;
		}
		assert_true(gen_mark_read(pkt, len - 1, &mark, &intact) == (len > 58));
		assert_false(intact);
	}
}

TEST(a_tag_is_passed)
{
	struct gen_mark mark;
	uint8_t pkt[104];
	bool intact;

	gen_write(&gen, pkt + 4, 100, 1);
	memmove(pkt, pkt + 4, 12);
	pkt[12] = 0x81;
	pkt[13] = 0;
	assert_true(gen_mark_read(pkt, 104, &mark, &intact));
	assert_true(intact);
}

TEST(others_have_no_mark)
{
	struct gen_mark mark;
	uint8_t pkt[100] = { 0 };
	bool intact;

	assert_false(gen_mark_read(pkt, sizeof(pkt), &mark, &intact));
	gen_write(&gen, pkt, sizeof(pkt), 0);
	pkt[GEN_HEADERS] ^= 1;
	assert_false(gen_mark_read(pkt, sizeof(pkt), &mark, &intact));
	pkt[GEN_HEADERS] ^= 1;
	assert_false(gen_mark_read(pkt, GEN_HEADERS + GEN_MARK - 1, &mark, &intact));
	config.verify = false;
	gen_write(&gen, pkt, sizeof(pkt), 0);
	assert_false(gen_mark_read(pkt, sizeof(pkt), &mark, &intact));
}

TESTS(.before = set_up, .after = tear_down);
