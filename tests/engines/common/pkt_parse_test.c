/* The header parser: where things lie, and that nothing outside the packet is touched whatever the
 * bytes are. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/pkt_parse.h"

#include "fixtures/csum_fixture.h"
#include "fixtures/csum_frames.h"

static const struct pkt_tunnel_ports ports = { .vxlan_gpe = 4790, .geneve = 6081 };

struct place {
	uint16_t l3, l4, bytes;
	uint8_t version, proto, header;
	bool fragment, plain;
};

/* The outer layer is all 0 where there is no tunnel. */
static const struct {
	const char *line;
	uint64_t tunnel;
	struct place inner, outer;
} rows[] = {
	{ "eth ip4 udp 18 pad3", 0, { 14, 34, 26, 4, 17, 8, false, true } },
	{ "eth ip4o tcpo 5", 0, { 14, 58, 37, 4, 6, 32, false, true } },
	{ "eth ip4 icmp", 0, { 14, 34, 8, 4, 1, 0, false, true } },
	{ "eth ip4 udps 18", 0, { 14, 34, 22, 4, 17, 8, false, false } },
	{ "eth ip4mf udp 18", 0, { 14, 34, 26, 4, 17, 0, true, true } },
	{ "eth ip4off udp 18", 0, { 14, 34, 26, 4, 17, 0, true, true } },
	{ "eth qinq vlan ip6 sctp 4", 0, { 22, 62, 16, 6, 132, 12, false, true } },
	{ "eth ip6 hop dst rt0 tcp 9", 0, { 14, 102, 29, 6, 6, 20, false, false } },
	{ "eth ip6 rt1 udp 9", 0, { 14, 78, 17, 6, 17, 0, false, false } },
	{ "eth ip6 frag udp 9", 0, { 14, 62, 17, 6, 17, 0, true, false } },
	{ "eth ip6 frag0 udp 9", 0, { 14, 62, 17, 6, 17, 8, false, false } },
	{ "eth arp", 0, { 14, 14 } },
	{ "eth vlan vlan vlan vlan vlan vlan vlan vlan ip4 udp", 0,
		{ 46, 66, 8, 4, 17, 8, false, true } },
	{ "eth vlan vlan vlan vlan vlan vlan vlan vlan vlan ip4 udp", 0, { 46, 46 } },
	{ "eth ip4 udp vxlan eth ip4 tcp", RTE_MBUF_F_TX_TUNNEL_VXLAN,
		{ 64, 84, 20, 4, 6, 20, false, true }, { 14, 34, 70, 4, 17, 8, false, true } },
	{ "eth ip4 udp gpe ip6 udp", RTE_MBUF_F_TX_TUNNEL_VXLAN_GPE,
		{ 50, 90, 8, 6, 17, 8, false, true }, { 14, 34, 64, 4, 17, 8, false, true } },
	{ "eth ip4 udp geneveo ip4 udp", RTE_MBUF_F_TX_TUNNEL_GENEVE,
		{ 62, 82, 8, 4, 17, 8, false, true }, { 14, 34, 56, 4, 17, 8, false, true } },
	{ "eth ip4 udp gtpx ip4 udp", RTE_MBUF_F_TX_TUNNEL_GTP,
		{ 58, 78, 8, 4, 17, 8, false, true }, { 14, 34, 52, 4, 17, 8, false, true } },
	{ "eth ip4 udp echo", 0, { 14, 34, 16, 4, 17, 8, false, true } },
	{ "eth ip4 nvgre eth vlan ip4 udp", RTE_MBUF_F_TX_TUNNEL_GRE,
		{ 60, 80, 8, 4, 17, 8, false, true }, { 14, 34, 54, 4, 47, 0, false, true } },
	{ "eth ip4 ip6 tcp", RTE_MBUF_F_TX_TUNNEL_IPIP, { 34, 74, 20, 6, 6, 20, false, true },
		{ 14, 34, 60, 4, 41, 0, false, true } },
	{ "eth ip4 udp vxlan eth arp", RTE_MBUF_F_TX_TUNNEL_VXLAN, { 64, 64 },
		{ 14, 34, 58, 4, 17, 8, false, true } },
	{ "eth ip4mf gre ip4 udp", 0, { 14, 34, 32, 4, 47, 0, true, true } },
	{ "eth ip4 udp vxlan", RTE_MBUF_F_TX_TUNNEL_VXLAN, { 50, 50 },
		{ 14, 34, 16, 4, 17, 8, false, true } },
};

static void
same(const struct pkt_net *is, const struct place *expected, const char *line)
{
	struct pkt_net net = { .l3_off = expected->l3,
		.l4_off = expected->l4,
		.l4_bytes = expected->bytes,
		.version = expected->version,
		.proto = expected->proto,
		.l4_len = expected->header,
		.fragment = expected->fragment,
		.plain = expected->plain };

	if (is->l3_off != net.l3_off || is->l4_off != net.l4_off || is->l4_bytes != net.l4_bytes ||
		is->version != net.version || is->proto != net.proto || is->l4_len != net.l4_len ||
		is->fragment != net.fragment || is->plain != net.plain)
		fail_msg(
			"%s: l3 %u l4 %u bytes %u version %u proto %u header %u fragment %d plain %d",
			line, is->l3_off, is->l4_off, is->l4_bytes, is->version, is->proto,
			is->l4_len, is->fragment, is->plain);
}

/*
 * What pkt_parse_usual() takes, it reads as pkt_parse() does. Returns whether it took the packet.
 */
static bool
agrees(const struct rte_mbuf *m, const struct pkt_net *general, const char *line)
{
	struct pkt_net usual;

	if (!pkt_parse_usual(&usual, m))
		return false;
	same(&usual,
		&(struct place){ general->l3_off, general->l4_off, general->l4_bytes,
			general->version, general->proto, general->l4_len, general->fragment,
			general->plain },
		line);
	return true;
}

TEST(places)
{
	struct frame *f = &csum_fixture_frame;
	unsigned int usual = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		frame_build(f, rows[i].line, true);
		for (unsigned int first = 1; first <= f->n; first++) {
			struct rte_mbuf *m = csum_fixture_packet(f->wrong, f->n, first, 0);
			struct pkt_layers layers;

			pkt_parse(&layers, m);
			assert_int_equal(layers.tunnel, 0);
			usual += agrees(m, &layers.inner, rows[i].line);
			assert_int_equal(pkt_parse_tunnel(&layers, m, &ports), rows[i].tunnel != 0);
			assert_int_equal(layers.tunnel, rows[i].tunnel);
			same(&layers.inner, &rows[i].inner, rows[i].line);
			if (rows[i].tunnel != 0)
				same(&layers.outer, &rows[i].outer, rows[i].line);
			assert_false(pkt_parse_tunnel(&layers, m, &ports) && rows[i].tunnel != 0);
			rte_pktmbuf_free(m);
		}
	}
	/*
	 * Nine of the rows are UDP over plain IPv4 outside; each counts once per cut behind the
	 * headers.
	 */
	assert_true(usual >= 300 && usual <= 600);
}

static uint32_t
chance(uint32_t below)
{
	static uint64_t x = 88172645463325252;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (uint32_t)(x >> 16) % below;
}

/* What a parser's answer must hold for any bytes. */
static void
sound(const struct pkt_net *net, const struct rte_mbuf *m)
{
	assert_true(net->l3_off <= m->pkt_len);
	assert_true((uint32_t)net->l4_off + net->l4_bytes <= m->pkt_len);
	assert_true(net->l4_off >= net->l3_off && net->l4_len <= net->l4_bytes);
	assert_true(net->version != 0 || (net->l4_len == 0 && !net->plain));
	assert_false(net->fragment && net->l4_len > 0);
}

/* Change bytes of f by chance, most often the telling ones at the front. Returns its new length. */
static unsigned int
spoil(struct frame *f)
{
	static const uint8_t telling[] = { 0, 1, 4, 6, 8, 17, 0x45, 0x60, 0x7f, 0x80, 0xff };
	unsigned int n = chance(4) == 0 ? 1 + chance(f->n) : f->n;

	for (unsigned int i = chance(6); i > 0; i--)
		f->wrong[chance(chance(2) == 0 ? n : RTE_MIN(n, 120u))] = chance(2) == 0
			? telling[chance(ARRAY_SIZE(telling))]
			: (uint8_t)chance(256);
	return n;
}

/* Spoilt frames and noise, through the parser and the whole engine, in pieces of heap. */
TEST(noise)
{
	struct frame *f = &csum_fixture_frame;

	for (unsigned int i = 0; i < 20000; i++) {
		struct stream *s =
			csum_fixture_stream(&(struct stream_csum){ .parse_tunnel = chance(2),
				.ip_hw = chance(2),
				.udp_hw = chance(2),
				.tcp_hw = chance(2),
				.sctp_hw = chance(2),
				.outer_ip_hw = chance(2),
				.outer_udp_hw = chance(2),
				.tso_segsz = (uint16_t)(chance(2) * 20),
				.tunnel_tso_segsz = (uint16_t)(chance(2) * 20) });
		struct pkt_layers layers;
		struct rte_mbuf *m;
		unsigned int n;

		frame_build(f, csum_frames[chance(ARRAY_SIZE(csum_frames))], true);
		if (chance(10) == 0) {
			for (unsigned int k = 14; k < f->n; k++)
				f->wrong[k] = (uint8_t)chance(256);
		}
		n = spoil(f);
		m = csum_fixture_packet(f->wrong, n, 1 + chance(n), 1 + chance(40));
		pkt_parse(&layers, m);
		sound(&layers.inner, m);
		agrees(m, &layers.inner, "noise");
		if (pkt_parse_tunnel(&layers, m, &ports)) {
			sound(&layers.inner, m);
			sound(&layers.outer, m);
		}
		rte_pktmbuf_free(csum_fixture_pass(s, m));
		engine_fixture_end(s);
	}
}

/*
 * The same through GRO and GSO, bursts of them, some true to life so that they are merged and cut.
 */
TEST(noise_merged_and_cut)
{
	static const char *const large[] = { "eth ip4 tcp 400", "eth ip4 udp 400",
		"eth ip4 udp0 vxlan eth ip4 tcp 300", "eth ip4 gre ip4 tcp 300",
		"eth vlan ip4o tcpo 300" };
	static const char *const flush[] = { "1", "2", "4" };
	struct frame *f = &csum_fixture_frame;
	struct rte_mbuf *m;

	for (unsigned int i = 0; i < 3000; i++) {
		struct stream *s = engine_fixture_stream(&engine_csum);

		engine_fixture_set("gso-segsz", chance(2) == 0 ? "55" : "150");
		engine_fixture_set("gro-flush", flush[chance(ARRAY_SIZE(flush))]);
		s->tx_end.csum.parse_tunnel = chance(2);
		s->rx_end.csum.gro = chance(2);
		s->tx_end.csum.gso = chance(2);
		engine_fixture_begin(s);
		for (unsigned int k = 0; k < 8; k++) {
			unsigned int n;

			frame_build(f, large[chance(ARRAY_SIZE(large))], true);
			frame_put16(f->wrong + 40, (k % 4) * 400);
			n = chance(2) == 0 ? spoil(f) : f->n;
			m = csum_fixture_packet(f->wrong, n, chance(2) == 0 ? n : 1 + chance(n),
				1 + chance(400));
			assert_int_equal(rte_eth_tx_burst(FIXTURE_IN, 0, &m, 1), 1);
			if (chance(4) == 0)
				engine_fixture_poll(s);
		}
		engine_fixture_poll(s);
		engine_fixture_end(s);
	}
	engine_fixture_reset("gso-segsz");
	engine_fixture_reset("gro-flush");
}

TESTS(.setup = csum_fixture_open, .teardown = engine_fixture_close);
