/* The engine direct on queues of the test: what it refuses, and which bytes it rewrites. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "engines/direct/direct_l3.h"
#include "fixtures/engine_fixture.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <string.h>

extern const struct engine engine_direct;

/* It needs both queues for itself, and says so before it looks at the ports. */
TEST(queues_of_two)
{
	static struct stream s[2] = { { .rx_port = 0, .tx_port = 1 },
		{ .rx_port = 2, .tx_port = 3 } };
	struct stream *const siblings[] = { &s[0], &s[1] };
	struct err e;

	for (unsigned int i = 0; i < 2; i++) {
		s[i].siblings = siblings;
		s[i].n_siblings = 2;
	}
	err_clear(&e);
	s[1].tx_port = 1;
	assert_int_equal(engine_direct.init(&s[0], &e), -ENOTSUP);
	assert_string_equal(e.text,
		"direct: several streams transmit to port 1 queue 0: expected one");
	err_clear(&e);
	s[1].rx_port = 0;
	assert_int_equal(engine_direct.init(&s[1], &e), -ENOTSUP);
	assert_string_equal(e.text,
		"direct: several streams receive from port 0 queue 0: expected one");
}

/* Queues that give frames of these lengths and keep what is sent. */
enum { FRAMES = 4, BYTES = 16 };
static const uint16_t lengths[FRAMES] = { 11, 12, 13, BYTES };
static uint8_t frames[FRAMES][BYTES];
static unsigned int sent;

static uint16_t
give(struct direct *d, struct direct_pkt *pkts, uint16_t max)
{
	assert_true(max >= FRAMES);
	for (unsigned int i = 0; i < FRAMES; i++)
		pkts[i] = (struct direct_pkt){ frames[i], lengths[i] };
	return FRAMES;
}

static void
keep(struct direct *d, const struct direct_pkt *pkts, uint16_t n)
{
	for (unsigned int i = 0; i < n; i++)
		assert_true(pkts[i].data == frames[i] && pkts[i].length == lengths[i]);
	sent += n;
}

/* Both addresses of a frame that has room for them, and nothing else of any frame. */
TEST(rewrites)
{
	static const struct direct_rx_ops rx_ops = { .receive = give };
	static const struct direct_tx_ops tx_ops = { .send = keep };
	static const enum direct_rewrite ways[] = { DIRECT_OFF, DIRECT_MAC, DIRECT_MACSWAP };

	for (size_t w = 0; w < ARRAY_SIZE(ways); w++) {
		struct stream *s = engine_fixture_stream(&engine_direct);
		struct direct_stream *direct = s->state;
		struct direct queues = { .receive = give,
			.send = keep,
			.rx_ops = &rx_ops,
			.tx_ops = &tx_ops,
			.begun = true,
			.room = FRAMES,
			.batch = 1,
			.pool_first = (uintptr_t)frames,
			.pool_end = (uintptr_t)(frames + FRAMES),
			.from = { .port = FIXTURE_IN,
				.batch = 1,
				.pool = s->pool,
				.burst = rte_eth_fp_ops[FIXTURE_IN].rx_pkt_burst },
			.to = { .port = FIXTURE_OUT,
				.burst = rte_eth_fp_ops[FIXTURE_OUT].tx_pkt_burst } };
		const atomic_bool stop = true;

		*direct = (struct direct_stream){ .queues = &queues, .rewrite = ways[w] };
		for (unsigned int i = 0; i < FRAMES; i++)
			for (uint8_t k = 0; k < BYTES; k++)
				frames[i][k] = k;
		sent = 0;
		engine_direct.loop(&s, 1, &stop);
		assert_int_equal(sent, FRAMES);
		assert_int_equal(counter_read(&s->count.tx), FRAMES);
		for (unsigned int i = 0; i < FRAMES; i++) {
			uint8_t want[BYTES];

			for (uint8_t k = 0; k < BYTES; k++)
				want[k] = k;
			if (lengths[i] >= 12 && ways[w] == DIRECT_MAC) {
				memcpy(want, &s->tx_end.peer, 6);
				memcpy(want + 6, &s->tx_end.mac, 6);
			} else if (lengths[i] >= 12 && ways[w] == DIRECT_MACSWAP) {
				for (uint8_t k = 0; k < 12; k++)
					want[k] = (uint8_t)(k < 6 ? k + 6 : k - 6);
			}
			assert_memory_equal(frames[i], want, BYTES);
		}
		direct->queues = NULL;
		s->siblings = &s;
		engine_fixture_end(s);
	}
}

TESTS(.setup = engine_fixture_open, .teardown = engine_fixture_close);
