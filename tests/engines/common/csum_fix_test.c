/* Checksums: wrong ones in, right ones out, in software and by Tx offload flags. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/csum_fixture.h"
#include "fixtures/csum_frames.h"

#define IP4 RTE_MBUF_F_TX_IPV4
#define IP6 RTE_MBUF_F_TX_IPV6
#define IP4_SUM (IP4 | RTE_MBUF_F_TX_IP_CKSUM)
#define UDP RTE_MBUF_F_TX_UDP_CKSUM
#define TCP RTE_MBUF_F_TX_TCP_CKSUM
#define SCTP RTE_MBUF_F_TX_SCTP_CKSUM
#define SEG RTE_MBUF_F_TX_TCP_SEG
#define OUT4 RTE_MBUF_F_TX_OUTER_IPV4
#define OUT6 RTE_MBUF_F_TX_OUTER_IPV6
#define OUT4_SUM (OUT4 | RTE_MBUF_F_TX_OUTER_IP_CKSUM)
#define OUT_UDP RTE_MBUF_F_TX_OUTER_UDP_CKSUM
#define VXLAN RTE_MBUF_F_TX_TUNNEL_VXLAN
#define GRE RTE_MBUF_F_TX_TUNNEL_GRE
#define IPIP RTE_MBUF_F_TX_TUNNEL_IPIP
#define ALL .parse_tunnel = true, .ip_hw = true, .udp_hw = true, .tcp_hw = true, .sctp_hw = true
#define OUTER .outer_ip_hw = true, .outer_udp_hw = true

/* In one piece, in two cut anywhere, in many. */
TEST(software)
{
	struct frame *f = &csum_fixture_frame;

	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(csum_frames); i++) {
		const char *line = csum_frames[i / 2];
		bool tunnels = i % 2 != 0;
		struct stream *s =
			csum_fixture_stream(&(struct stream_csum){ .parse_tunnel = tunnels });

		frame_build(f, line, tunnels);
		csum_fixture_round(s, f->n, 0, line);
		for (unsigned int at = 1; at < f->n; at += at < 200 ? 1 : 101)
			csum_fixture_round(s, at, 0, line);
		csum_fixture_round(s, 1, 1, line);
		csum_fixture_round(s, 5, 7, line);
		engine_fixture_end(s);
	}
}

/*
 * A checksum that comes to 0 is sent as all ones by UDP, where 0 means none, and as 0 by all
 * others.
 */
TEST(zero)
{
	static const char *const with_zero[] = { "eth ip4 udp 18", "eth ip6 udp 18",
		"eth ip4 tcp 18" };
	struct stream *s = csum_fixture_stream(&(struct stream_csum){ 0 });
	struct frame *f = &csum_fixture_frame;

	for (unsigned int i = 0; i < ARRAY_SIZE(with_zero); i++) {
		uint8_t *word, *sum;
		bool tcp = strstr(with_zero[i], "tcp") != NULL;

		frame_build(f, with_zero[i], false);
		word = f->wrong + f->n - 18;
		sum = f->right + frame_off(f, tcp ? "tcp" : "udp", 0) + (tcp ? 16 : 6);
		frame_put16(word, frame_fold(frame_get16(word) + frame_get16(sum)));
		frame_correct(f, false);
		assert_int_equal(frame_get16(sum), tcp ? 0 : 0xffff);
		csum_fixture_round(s, f->n, 0, with_zero[i]);
		csum_fixture_round(s, 35, 0, with_zero[i]);
	}
	engine_fixture_end(s);
}

/* Sum up as hardware does: what the field holds is part of it. */
static void
finish(uint8_t *field, const uint8_t *from, unsigned int n, bool never_zero)
{
	uint16_t value = (uint16_t)~frame_fold(frame_sum(from, n, 0));

	frame_put16(field, value == 0 && never_zero ? 0xffff : value);
}

static unsigned int
ip_bytes(const uint8_t *ip)
{
	return ip[0] >> 4 == 4 ? frame_get16(ip + 2) : 40U + frame_get16(ip + 4);
}

/* What the port would do as the mbuf asks; inner layers first. */
static void
hardware(const struct rte_mbuf *m, uint8_t *bytes)
{
	uint64_t flags = m->ol_flags;
	bool outer = (flags & (OUT4 | OUT6)) != 0;
	uint8_t *outer_ip = bytes + m->outer_l2_len, *outer_udp = outer_ip + m->outer_l3_len;
	uint8_t *ip = outer ? outer_udp + m->l2_len : bytes + m->l2_len, *l4 = ip + m->l3_len;
	unsigned int n = (unsigned int)(ip + ip_bytes(ip) - l4);
	uint32_t crc;

	assert_int_equal(outer, (flags & RTE_MBUF_F_TX_TUNNEL_MASK) != 0);
	if ((flags & RTE_MBUF_F_TX_IP_CKSUM) != 0) {
		assert_true((flags & IP4) != 0 && (ip[0] & 15) * 4 == m->l3_len);
		finish(ip + 10, ip, m->l3_len, false);
	}
	if ((flags & RTE_MBUF_F_TX_L4_MASK) != 0)
		assert_int_equal(ip[0] >> 4, (flags & IP4) != 0 ? 4 : 6);
	switch (flags & RTE_MBUF_F_TX_L4_MASK) {
	case UDP: finish(l4 + 6, l4, n, true); break;
	case TCP: finish(l4 + 16, l4, n, false); break;
	case SCTP:
		assert_int_equal(n % 4, 0);
		crc = rte_cpu_to_le_32(frame_crc32c(l4, n));
		memcpy(l4 + 8, &crc, sizeof(crc));
		break;
	default: break;
	}
	if ((flags & RTE_MBUF_F_TX_OUTER_IP_CKSUM) != 0)
		finish(outer_ip + 10, outer_ip, m->outer_l3_len, false);
	if ((flags & OUT_UDP) != 0)
		finish(outer_udp + 6, outer_udp,
			(unsigned int)(outer_ip + ip_bytes(outer_ip) - outer_udp), true);
}

/* Whatever hardware is allowed to do, together with software it comes to the same. */
TEST(any_hardware)
{
	struct frame *f = &csum_fixture_frame;

	for (unsigned int set = 1; set < 64; set++) {
		struct stream *s = csum_fixture_stream(&(struct stream_csum){ .parse_tunnel = true,
			.ip_hw = set & 1,
			.udp_hw = set & 2,
			.tcp_hw = set & 4,
			.sctp_hw = set & 8,
			.outer_ip_hw = set & 16,
			.outer_udp_hw = set & 32 });

		for (unsigned int i = 0; i < ARRAY_SIZE(csum_frames); i++) {
			/* Such hardware writes an outer checksum where there was none. */
			if ((set & 32) != 0 && strstr(csum_frames[i], "udp0 ") != NULL)
				continue;
			frame_build(f, csum_frames[i], true);
			for (unsigned int first = f->n; first > 0; first = first > 40 ? 40 : 0) {
				struct rte_mbuf *m = csum_fixture_packet(f->wrong, f->n, first, 0);

				m = csum_fixture_pass(s, m);
				hardware(m, csum_fixture_copy(m));
				csum_fixture_check(f->right, f->n, csum_frames[i]);
				rte_pktmbuf_free(m);
			}
		}
		engine_fixture_end(s);
	}
}

/* What exactly is asked of the hardware. */
struct asked {
	const char *line;
	struct stream_csum csum;
	uint64_t flags;
	uint16_t l2, l3, l4, tso, outer_l2, outer_l3;
};

static const struct asked asked[] = {
	{ "eth ip4 udp 18", { 0 }, IP4, 14, 20, 8 },
	{ "eth ip4 udp 18", { ALL }, IP4_SUM | UDP, 14, 20, 8 },
	{ "eth ip4 udp 18", { .ip_hw = true }, IP4_SUM, 14, 20, 8 },
	{ "eth ip4 udp 18", { .udp_hw = true }, IP4 | UDP, 14, 20, 8 },
	{ "eth ip4 udp0 18", { ALL }, IP4_SUM, 14, 20, 8 },
	{ "eth ip4 udps 18", { ALL }, IP4, 0, 0, 0 },
	{ "eth ip4mf udp 18", { ALL }, IP4_SUM, 14, 20, 0 },
	{ "eth ip4 icmp 18", { ALL }, IP4_SUM, 14, 20, 0 },
	{ "eth qinq vlan ip4o tcpo 18", { ALL }, IP4_SUM | TCP, 22, 44, 32 },
	{ "eth ip6 tcp 18", { ALL }, IP6 | TCP, 14, 40, 20 },
	{ "eth ip6 hop tcp 18", { ALL }, IP6, 0, 0, 0 },
	{ "eth ip4 sctp 16", { ALL }, IP4_SUM | SCTP, 14, 20, 12 },
	{ "eth ip4 sctp 13", { ALL }, IP4_SUM, 14, 20, 12 },
	{ "eth ip4 sctp 800", { .sctp_hw = true }, IP4 | SCTP, 14, 20, 12 },
	{ "eth arp", { ALL }, 0, 0, 0, 0 },
	{ "eth ip4 udp0 vxlan eth ip4 tcp 9", { ALL }, IP4_SUM | TCP, 64, 20, 20 },
	{ "eth ip4 udp vxlan eth ip4 tcp 9", { ALL }, IP4, 64, 20, 20 },
	{ "eth ip4 udp vxlan eth ip4 tcp 9", { ALL, .outer_udp_hw = true },
		IP4_SUM | TCP | VXLAN | OUT4 | OUT_UDP, 30, 20, 20, 0, 14, 20 },
	{ "eth ip4 udp0 vxlan eth ip4 tcp 9", { ALL, OUTER },
		IP4_SUM | TCP | VXLAN | OUT4_SUM | OUT_UDP, 30, 20, 20, 0, 14, 20 },
	{ "eth ip6 udp0 vxlan eth ip6 udp 9", { ALL, .outer_ip_hw = true },
		IP6 | UDP | VXLAN | OUT6, 30, 40, 8, 0, 14, 40 },
	{ "eth ip4 udp0 vxlan eth arp", { ALL, .outer_ip_hw = true }, VXLAN | OUT4_SUM, 30, 0, 0, 0,
		14, 20 },
	{ "eth ip4 udp0 genevel eth ip4 tcp 9", { ALL }, IP4, 0, 0, 0 },
	{ "eth ip4 udp0 genevel eth ip4 tcp 9", { ALL, OUTER }, IP4, 0, 0, 0 },
	{ "eth vlan ip4 greks ip4 udp 9", { ALL, OUTER }, IP4_SUM | UDP | GRE | OUT4_SUM, 12, 20, 8,
		0, 18, 20 },
	{ "eth ip4 grec ip4 udp 9", { ALL, OUTER }, IP4 | GRE | OUT4_SUM, 8, 20, 8, 0, 14, 20 },
	{ "eth ip6 ip4 udp 9", { ALL, OUTER }, IP4_SUM | UDP | IPIP | OUT6, 0, 20, 8, 0, 14, 40 },
	{ "eth ip4 tcp 1000", { .tso_segsz = 1000 }, IP4, 14, 20, 20 },
	{ "eth ip4 tcp 1001", { .tso_segsz = 1000 }, IP4_SUM | SEG, 14, 20, 20, 1000 },
	{ "eth ip4 tcpo 1001", { ALL, .tso_segsz = 1000 }, IP4_SUM | SEG, 14, 20, 32, 1000 },
	{ "eth ip6 tcp 1001", { .tso_segsz = 1000 }, IP6 | SEG, 14, 40, 20, 1000 },
	{ "eth ip6 dst tcp 1001", { .tso_segsz = 1000 }, IP6, 0, 0, 0 },
	{ "eth ip4mf tcp 1001", { .tso_segsz = 1000 }, IP4, 14, 20, 0 },
	{ "eth ip4 udp 1001", { .tso_segsz = 1000 }, IP4, 14, 20, 8 },
	{ "eth ip4 udp vxlan eth ip4 tcp 1001", { ALL, .tso_segsz = 1000 }, IP4, 64, 20, 20 },
	{ "eth ip4 udp0 vxlan eth ip4 tcp 1001", { ALL, .tunnel_tso_segsz = 1000 },
		IP4_SUM | SEG | VXLAN | OUT4, 30, 20, 20, 1000, 14, 20 },
	{ "eth ip4 udp vxlan eth ip4 tcp 1001",
		{ ALL, .outer_ip_hw = true, .tunnel_tso_segsz = 1000 },
		IP4_SUM | SEG | VXLAN | OUT4_SUM, 30, 20, 20, 1000, 14, 20 },
	{ "eth ip4 udp vxlan eth ip4 tcp 1000", { ALL, .tunnel_tso_segsz = 1000 },
		IP4 | VXLAN | OUT4, 30, 20, 20, 0, 14, 20 },
	{ "eth ip4 grec ip4 tcp 1001", { ALL, .tunnel_tso_segsz = 1000 }, IP4 | GRE | OUT4, 8, 20,
		20, 0, 14, 20 },
};

TEST(asks)
{
	struct frame *f = &csum_fixture_frame;

	for (const struct asked *a = asked; a < asked + ARRAY_SIZE(asked); a++) {
		struct stream *s = csum_fixture_stream(&a->csum);
		struct rte_mbuf *m;

		frame_build(f, a->line, true);
		m = csum_fixture_pass(s, csum_fixture_packet(f->wrong, f->n, f->n, 0));
		if ((m->ol_flags & ~RTE_MBUF_F_EXTERNAL) != a->flags)
			fail_msg("%s: flags %jx, expected %jx", a->line, (uintmax_t)m->ol_flags,
				(uintmax_t)a->flags);
		if (m->tx_offload !=
			rte_mbuf_tx_offload(a->l2, a->l3, a->l4, a->tso, a->outer_l3, a->outer_l2,
				0))
			fail_msg("%s: l2 %u l3 %u l4 %u tso %u outer l2 %u l3 %u", a->line,
				m->l2_len, m->l3_len, m->l4_len, m->tso_segsz, m->outer_l2_len,
				m->outer_l3_len);
		rte_pktmbuf_free(m);
		engine_fixture_end(s);
	}
}

/*
 * A packet that hardware cuts: no length in the pseudo header, no sum around a tunnel unless
 * hardware makes it.
 */
TEST(cut_by_hardware)
{
	static const char line[] = "eth ip4 udp vxlan eth ip4 tcp 2000";
	struct frame *f = &csum_fixture_frame;

	for (unsigned int outer_udp = 0; outer_udp < 2; outer_udp++) {
		struct stream *s =
			csum_fixture_stream(&(struct stream_csum){ ALL, .outer_ip_hw = true,
				.outer_udp_hw = outer_udp != 0, .tunnel_tso_segsz = 500 });
		struct rte_mbuf *m;
		unsigned int outer_ip, ip;

		frame_build(f, line, true);
		ip = frame_off(f, "ip4", 1);
		outer_ip = frame_off(f, "ip4", 0);
		m = csum_fixture_pass(s, csum_fixture_packet(f->wrong, f->n, f->n, 0));
		memcpy(f->right, f->wrong, f->n);
		frame_put16(f->right + ip + 10, 0);
		frame_put16(f->right + ip + 36, frame_fold(frame_pseudo(f->wrong + ip, 6, 0)));
		frame_put16(f->right + outer_ip + 10, 0);
		frame_put16(f->right + outer_ip + 26,
			outer_udp != 0 ? frame_fold(frame_pseudo(f->wrong + outer_ip, 17, 0)) : 0);
		csum_fixture_expect(m, f->right, line);
		engine_fixture_end(s);
	}
}

TESTS(.setup = csum_fixture_open, .teardown = engine_fixture_close);
