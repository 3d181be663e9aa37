/* The engine csum beside checksums: addresses, tags, bad checksums seen by the port, refused ports,
 * malformed packets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/csum_fixture.h"
#include "fixtures/csum_frames.h"
#include "fixtures/setting_words.h"

enum { BAD_IPCSUM, BAD_L4CSUM, BAD_OUTER_L4CSUM, BAD_OUTER_IPCSUM, PREPARE_FAILED = 7 };

TEST(counters)
{
	static const char *const labels[] = { "Bad-ipcsum", "Bad-l4csum", "Bad-outer-l4csum",
		"Bad-outer-ipcsum" };

	for (unsigned int i = 0; i < engine_csum.n_counters; i++) {
		const struct stat_row *c = &engine_csum.counters[i];

		assert_true(c->name != NULL && c->help != NULL);
		if (i < ARRAY_SIZE(labels))
			assert_string_equal(c->label, labels[i]);
		else
			assert_null(c->label);
	}
	assert_string_equal(engine_csum.counters[PREPARE_FAILED].name, "prepare_failed");
}

TEST(settings)
{
	static const struct setting_word rows[] = {
		{ "gso-segsz", "54", -ERANGE },
		{ "gso-segsz", "55", 0 },
		{ "gso-segsz", "65535", 0 },
		{ "gso-segsz", "65536", -ERANGE },
		{ "gro-flush", "0", -ERANGE },
		{ "gro-flush", "4", 0 },
		{ "gro-flush", "5", -ERANGE },
		{ "vxlan-gpe-port", "0", 0 },
		{ "geneve-parsed-port", "65536", -ERANGE },
	};

	assert_int_equal(setting_u64(engine_fixture_settings, "gso-segsz"), 1514);
	assert_int_equal(setting_u64(engine_fixture_settings, "gro-flush"), 1);
	assert_int_equal(setting_u64(engine_fixture_settings, "vxlan-gpe-port"), 4790);
	assert_int_equal(setting_u64(engine_fixture_settings, "geneve-parsed-port"), 6081);
	SETTING_WORDS(engine_fixture_settings, rows);
}

/*
 * Peer and own address are written to all that has room for them, known or not; the rest is as
 * without.
 */
TEST(addresses)
{
	static const char *const known[] = { "eth ip4 udp 18", "eth arp" };
	struct frame *f = &csum_fixture_frame;
	struct stream *s = csum_fixture_stream(&(struct stream_csum){ .mac_swap = true });

	for (unsigned int i = 0; i < ARRAY_SIZE(known); i++) {
		frame_build(f, known[i], false);
		memcpy(f->right, &s->tx_end.peer, 6);
		memcpy(f->right + 6, &s->tx_end.mac, 6);
		csum_fixture_round(s, f->n, 0, known[i]);
		csum_fixture_round(s, 14, 0, known[i]);
		for (f->n = 13; f->n > 0; f->n--)
			csum_fixture_expect(csum_fixture_pass(s,
						    csum_fixture_packet(f->wrong, f->n, f->n, 0)),
				f->wrong, "too short");
	}
	engine_fixture_end(s);
}

TEST(tags)
{
	struct frame *f = &csum_fixture_frame;
	struct stream *s = engine_fixture_stream(&engine_csum);
	struct rte_mbuf *m;

	s->tx_end.offloads = RTE_ETH_TX_OFFLOAD_VLAN_INSERT | RTE_ETH_TX_OFFLOAD_QINQ_INSERT;
	engine_fixture_begin(s);
	frame_build(f, "eth ip4 udp 18", false);
	m = csum_fixture_pass(s, csum_fixture_packet(f->wrong, f->n, f->n, 0));
	assert_true((m->ol_flags & RTE_MBUF_F_TX_VLAN) != 0);
	assert_true((m->ol_flags & RTE_MBUF_F_TX_QINQ) != 0);
	assert_int_equal(m->vlan_tci, 0x123);
	assert_int_equal(m->vlan_tci_outer, 0x456);
	csum_fixture_expect(m, f->right, "tags");
	engine_fixture_end(s);
}

/* Ports where GENEVE and VXLAN-GPE are looked for. */
TEST(moved_tunnels)
{
	static const char *const names[] = { "geneve-parsed-port", "vxlan-gpe-port" };
	static const char *const lines[] = { "eth ip4 udp0 geneve ip4 udp 9",
		"eth ip4 udp0 gpe ip4 udp 9" };
	struct frame *f = &csum_fixture_frame;

	for (unsigned int i = 0; i < 4; i++) {
		bool moved = i % 2 != 0;
		struct stream *s;

		frame_build(f, lines[i / 2], !moved);
		engine_fixture_set(names[i / 2], moved ? "7777" : "8888");
		frame_put16(f->wrong + 36, 8888);
		frame_put16(f->right + 36, 8888);
		s = csum_fixture_stream(&(struct stream_csum){ .parse_tunnel = true });
		csum_fixture_round(s, f->n, 0, lines[i / 2]);
		engine_fixture_end(s);
		engine_fixture_reset(names[i / 2]);
	}
}

/* What the port said on receive is counted, and gone on transmit. */
TEST(verdicts)
{
	static const struct {
		uint64_t flags;
		uint8_t counts[4];
	} rows[] = {
		{ 0, { 0 } },
		{ RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_GOOD, { 0 } },
		{ RTE_MBUF_F_RX_IP_CKSUM_NONE | RTE_MBUF_F_RX_L4_CKSUM_NONE, { 0 } },
		{ RTE_MBUF_F_RX_IP_CKSUM_BAD, { 1, 0, 0, 0 } },
		{ RTE_MBUF_F_RX_L4_CKSUM_BAD, { 0, 1, 0, 0 } },
		{ RTE_MBUF_F_RX_OUTER_L4_CKSUM_BAD, { 0, 0, 1, 0 } },
		{ RTE_MBUF_F_RX_OUTER_IP_CKSUM_BAD, { 0, 0, 0, 1 } },
		{ RTE_MBUF_F_RX_IP_CKSUM_BAD | RTE_MBUF_F_RX_L4_CKSUM_BAD |
				RTE_MBUF_F_RX_OUTER_L4_CKSUM_BAD | RTE_MBUF_F_RX_OUTER_IP_CKSUM_BAD,
			{ 1, 1, 1, 1 } },
	};
	struct frame *f = &csum_fixture_frame;

	frame_build(f, "eth ip4 udp 18", false);
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stream *s = csum_fixture_stream(&(struct stream_csum){ 0 });
		struct rte_mbuf *m = csum_fixture_packet(f->wrong, f->n, f->n, 0);

		m->ol_flags |= rows[i].flags;
		m = csum_fixture_pass(s, m);
		assert_int_equal(m->ol_flags, RTE_MBUF_F_EXTERNAL | RTE_MBUF_F_TX_IPV4);
		rte_pktmbuf_free(m);
		for (unsigned int k = 0; k < 4; k++)
			assert_int_equal(counter_read(&s->count.named[k]), rows[i].counts[k]);
		engine_fixture_end(s);
	}
}

static uint32_t refused; /* a bit for each packet of the burst that the port refuses */

static uint16_t
prepare(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		if ((refused >> *rte_pktmbuf_mtod(pkts[i], uint8_t *) & 1) != 0)
			return i;
	}
	return n;
}

/* Only what the port refuses is dropped; what follows goes out, in order. */
TEST(refusals)
{
	static const uint32_t sets[] = { 0, 1, 2, 0x80, 0x55, 0xaa, 0xff, 0x18, 0x7f, 0xfe };

	eth_tx_prep_t own = rte_eth_fp_ops[FIXTURE_OUT].tx_pkt_prepare;

	rte_eth_fp_ops[FIXTURE_OUT].tx_pkt_prepare = prepare;
	for (unsigned int i = 0; i < ARRAY_SIZE(sets); i++) {
		struct stream *s = csum_fixture_stream(&(struct stream_csum){ 0 });
		uint8_t bytes[60] = { 0 };
		unsigned int dropped = 0;

		refused = sets[i];
		for (bytes[0] = 0; bytes[0] < 8; bytes[0]++)
			engine_fixture_put(bytes, sizeof(bytes), 0);
		engine_fixture_poll(s);
		for (bytes[0] = 0; bytes[0] < 8; bytes[0]++) {
			if ((refused >> bytes[0] & 1) == 0)
				engine_fixture_expect(bytes, sizeof(bytes));
			else
				dropped++;
		}
		assert_null(engine_fixture_take());
		assert_int_equal(counter_read(&s->count.tx_dropped), dropped);
		assert_int_equal(counter_read(&s->count.named[PREPARE_FAILED]), dropped);
		engine_fixture_end(s);
	}
	rte_eth_fp_ops[FIXTURE_OUT].tx_pkt_prepare = own;
}

/* Packets go out as they are where ethdev has taken the driver's function: a stop that failed. */
TEST(unprepared)
{
	eth_tx_prep_t own = rte_eth_fp_ops[FIXTURE_OUT].tx_pkt_prepare;
	struct stream *s = csum_fixture_stream(&(struct stream_csum){ 0 });
	const uint8_t bytes[60] = { 1 };

	rte_eth_fp_ops[FIXTURE_OUT].tx_pkt_prepare = NULL;
	engine_fixture_put(bytes, sizeof(bytes), 0);
	engine_fixture_poll(s);
	rte_eth_fp_ops[FIXTURE_OUT].tx_pkt_prepare = own;
	engine_fixture_expect(bytes, sizeof(bytes));
	engine_fixture_end(s);
}

/*
 * A frame that ends before IP says so passes as it is; each byte that is read is there, or a
 * sanitizer tells.
 */
TEST(truncated)
{
	struct frame *f = &csum_fixture_frame;

	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(csum_frames); i++) {
		const char *line = csum_frames[i / 2];
		struct stream *s =
			csum_fixture_stream(&(struct stream_csum){ .parse_tunnel = i % 2 != 0 });

		frame_build(f, line, i % 2 != 0);
		if (strstr(line, "arp") == line + 4)
			f->end = f->n;
		for (unsigned int n = 1; n < f->end; n++) {
			unsigned int first = 1 + n * 7 % RTE_MIN(n, 60u);

			csum_fixture_expect(csum_fixture_pass(s,
						    csum_fixture_packet(f->wrong, n, n, 0)),
				f->wrong, line);
			csum_fixture_expect(csum_fixture_pass(s,
						    csum_fixture_packet(f->wrong, n, first, 3)),
				f->wrong, line);
		}
		engine_fixture_end(s);
	}
}

TESTS(.setup = csum_fixture_open, .teardown = engine_fixture_close);
