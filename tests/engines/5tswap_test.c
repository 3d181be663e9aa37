/* 5tswap: what is exchanged in which packets, and that nothing lies beyond a packet's end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/engine_fixture.h"

#include <rte_random.h>

extern const struct engine engine_5tswap;

/* What is to be exchanged in a frame besides the MAC addresses. */
static const struct row {
	const char *line;
	bool ips, ports;
} rows[] = {
	{ "eth ip4 udp 16", true, true }, { "eth ip4 tcp 4", true, true },
	{ "eth ip4 sctp 12", true, false }, { "eth ip4 icmp 16", true, false },
	{ "eth ip4o udp 16", true, true }, { "eth ip4a tcp 4", true, true },
	{ "eth vlan ip4 udp 16", true, true }, { "eth qinq vlan ip4 tcp 4", true, true },
	{ "eth vlan vlan vlan vlan vlan vlan vlan vlan ip4 udp 16", true, true },
	{ "eth ip4mf udp 16", true, true }, /* the first fragment */
	{ "eth ip4mid udp 16", true, false }, { "eth ip4off udp 16", true, false },
	{ "eth ip6 udp 16", true, true }, { "eth vlan ip6 tcp 4", true, true },
	{ "eth ip6 icmp 16", true, false }, { "eth arp pad18", false, false },
	{ "eth ip4v udp 16", false, false }, /* of version 6 */
	{ "eth ip6v udp 16", false, false }, /* of version 4 */
};

/* What is to come of the first n bytes of that frame. */
static struct engine_fixture_frame
wanted(const struct row *row, const struct engine_fixture_frame *f, unsigned int n)
{
	struct engine_fixture_frame w = *f;
	const bool v4 = f->bytes[f->l3] >> 4 == 4, ips = row->ips && n >= f->l3 + (v4 ? 20U : 40U);

	if (n >= 12)
		engine_fixture_swap(w.bytes, w.bytes + 6, 6);
	if (ips && v4)
		engine_fixture_swap(w.bytes + w.l3 + 12, w.bytes + w.l3 + 16, 4);
	if (ips && !v4)
		engine_fixture_swap(w.bytes + w.l3 + 8, w.bytes + w.l3 + 24, 16);
	if (ips && row->ports && n >= f->l4 + 4U)
		engine_fixture_swap(w.bytes + w.l4, w.bytes + w.l4 + 2, 2);
	return w;
}

/* Whole, cut short after every byte, and in segments of every length. */
TEST(table)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_5tswap));

	for (unsigned int r = 0; r < ARRAY_SIZE(rows); r++) {
		const struct engine_fixture_frame f = engine_fixture_words(rows[r].line);

		for (unsigned int n = 1; n <= f.n; n++) {
			const struct engine_fixture_frame w = wanted(&rows[r], &f, n);

			for (unsigned int cut = 0; cut < n && cut < 70;
				cut = n < f.n && cut == 0 ? 7 : cut + 1)
				engine_fixture_turn(s, f.bytes, n, cut, w.bytes);
		}
	}
	engine_fixture_end(s);
}

/*
 * A header length of less than 20 bytes names no place for ports: the whole IP header is left
 * alone.
 */
TEST(header_too_short)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_5tswap));
	struct engine_fixture_frame f = engine_fixture_words(rows[0].line), w;

	for (uint8_t words = 0; words < 5; words++) {
		f.bytes[f.l3] = 0x40 | words;
		w = f;
		engine_fixture_swap(w.bytes, w.bytes + 6, 6);
		engine_fixture_turn(s, f.bytes, f.n, 0, w.bytes);
	}
	engine_fixture_end(s);
}

/* An empty segment at the end does not hide the headers before it. */
TEST(empty_segment)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_5tswap));
	struct engine_fixture_frame f = engine_fixture_words(rows[0].line),
				    w = wanted(&rows[0], &f, f.n);
	struct rte_mbuf *m = engine_fixture_packet(f.bytes, f.n, 0);

	assert_int_equal(rte_pktmbuf_chain(m, rte_pktmbuf_alloc(engine_fixture_pool)), 0);
	assert_int_equal(rte_eth_tx_burst(FIXTURE_IN, 0, &m, 1), 1);
	engine_fixture_poll(s);
	engine_fixture_expect(w.bytes, w.n);
	engine_fixture_end(s);
}

/* Whatever the bytes are: doing it twice brings them back. */
TEST(twice)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_5tswap));
	static const uint16_t types[] = { 0x0800, 0x0800, 0x86dd, 0x8100, 0x88a8, 0x0806 };

	for (unsigned int i = 0; i < 20000; i++) {
		uint8_t bytes[160];
		struct rte_mbuf *m;
		const uint16_t type = types[rte_rand_max(ARRAY_SIZE(types))];
		const unsigned int n = 1 + (unsigned int)rte_rand_max(sizeof(bytes));

		for (unsigned int k = 0; k < n; k++)
			bytes[k] = (uint8_t)rte_rand();
		if (n >= 15) {
			bytes[12] = (uint8_t)(type >> 8);
			bytes[13] = (uint8_t)type;
			bytes[14] = type == 0x86dd ? 0x60 : (bytes[14] & 0xf) | 0x40;
		}
		engine_fixture_put(bytes, n, (unsigned int)rte_rand_max(n));
		engine_fixture_poll(s);
		m = engine_fixture_take();
		assert_int_equal(rte_eth_tx_burst(FIXTURE_IN, 0, &m, 1), 1);
		engine_fixture_poll(s);
		engine_fixture_expect(bytes, n);
	}
	engine_fixture_end(s);
}

TESTS(.setup = engine_fixture_open, .teardown = engine_fixture_close);
