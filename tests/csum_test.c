/* The csum engine: wrong checksums in, right ones out, by software and by hardware that is told what to do. */
#include "csum_frame.h"
#include "rig_mbuf.h"

extern const struct engine engine_csum;

/* Every kind of packet that is read, and some whose insides are not. */
static const char *const lines[] = {
	"eth ip4 udp 18",
	"eth ip4 udp 22",
	"eth ip4 udp 1",
	"eth ip4 udp 1447",
	"eth ip4 udp0 18",
	"eth ip4 udps 18",
	"eth ip4 udp",
	"eth ip4 udp 3 pad15",
	"eth ip4 tcp pad6",
	"eth ip4 tcp 33",
	"eth ip4 tcpo 100",
	"eth ip4 sctp 16",
	"eth ip4 sctp 13",
	"eth ip4 icmp 24",
	"eth ip4 20",
	"eth ip4o udp 19",
	"eth ip4o tcpo 64",
	"eth ip4mf udp 64",
	"eth ip4off tcp 64",
	"eth vlan ip4 udp 18",
	"eth qinq vlan ip4 tcp 7",
	"eth qinq qinq vlan vlan ip6 udp 7",
	"eth ip6 udp 18",
	"eth ip6 udp0 18",
	"eth ip6 tcp 9 pad3",
	"eth ip6 sctp 20",
	"eth ip6 hop udp 20",
	"eth ip6 hop dst rt0 dst tcp 21",
	"eth ip6 rt1 udp 20",
	"eth ip6 frag udp 20",
	"eth ip6 hop frag tcp 20",
	"eth arp pad18",
	"eth vlan arp",
	"eth ip4 udp vxlan eth ip4 udp 18",
	"eth ip4 udp0 vxlan eth ip4 tcp 18 pad4",
	"eth ip4 udp vxlan eth vlan ip6 tcpo 31",
	"eth ip4 udp0 vxlan eth ip6 hop udp 18",
	"eth ip4 udp vxlan eth arp",
	"eth vlan ip6 udp vxlan eth ip4 sctp 14",
	"eth ip6 udp0 vxlan eth ip4mf udp 14",
	"eth ip4o udp gpe ip4 udp 5",
	"eth ip4 udp0 gpe ip6 tcp 5",
	"eth ip4 udp0 gpe eth ip4 udp0 5",
	"eth ip4 udp geneve eth ip4 tcp 8",
	"eth ip4 udp0 geneveo ip4o tcp 8",
	"eth ip6 udp geneveo ip6 udp 8",
	"eth ip4 udp gtp ip4 udp 8",
	"eth ip4 udp0 gtps ip6 tcp 8",
	"eth ip4 udp0 gtpx ip4 tcp 8",
	"eth ip4 udp echo 9",
	"eth ip4 gre ip4 udp 10",
	"eth ip4 nvgre eth ip4 tcp 10",
	"eth ip6 greks ip6 sctp 12",
	"eth ip4 grec ip4 udp 11",
	"eth ip4 grecks eth vlan ip6 tcp 11",
	"eth ip4 ip4 udp 12",
	"eth ip4 ip6 tcp 12",
	"eth ip6 ip4 udp 13",
	"eth ip6 hop ip6 sctp 13",
	"eth ip4mf gre ip4 udp 13",
};

static struct frame frame;

static int
open_csum(void **state)
{
	struct err e;

	rig_open(state);
	return settings_add(rig_settings, engine_csum.settings, engine_csum.n_settings, &e);
}

static struct stream *
stream(const struct stream_csum *csum)
{
	struct stream *s = rig_stream(&engine_csum);

	s->tx_end.csum = *csum;
	return rig_begin(s);
}

/* Send bytes as a first segment of first bytes and others of rest (0: one segment), and take what comes out. */
static struct rte_mbuf *
pass(struct stream *s, const uint8_t *bytes, unsigned int n, unsigned int first, unsigned int rest)
{
	struct rte_mbuf *m = rig_packet(bytes, first, 0);

	if (first < n)
		assert_int_equal(rte_pktmbuf_chain(m, rig_packet(bytes + first, n - first, rest)), 0);
	assert_int_equal(rte_eth_tx_burst(RIG_IN, 0, &m, 1), 1);
	rig_turn(s);
	m = rig_take();
	assert_non_null(m);
	assert_int_equal(m->pkt_len, n);
	return m;
}

static void
expect(struct rte_mbuf *m, const uint8_t *want, const char *line)
{
	static uint8_t copy[FRAME_BYTES];
	const uint8_t *is = rte_pktmbuf_read(m, 0, m->pkt_len, copy);

	for (unsigned int i = 0; i < m->pkt_len; i++) {
		if (is[i] != want[i])
			fail_msg("%s: byte %u is %02x, want %02x", line, i, is[i], want[i]);
	}
	rte_pktmbuf_free(m);
}

/* In one piece, in two cut anywhere, in many. */
static void
software(void **state)
{
	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(lines); i++) {
		const char *line = lines[i / 2];
		bool tunnels = i % 2 != 0;
		struct stream *s = stream(&(struct stream_csum){ .parse_tunnel = tunnels });

		frame_build(&frame, line, tunnels);
		expect(pass(s, frame.wrong, frame.n, frame.n, 0), frame.right, line);
		for (unsigned int at = 1; at < frame.n; at += at < 200 ? 1 : 101)
			expect(pass(s, frame.wrong, frame.n, at, 0), frame.right, line);
		expect(pass(s, frame.wrong, frame.n, 1, 1), frame.right, line);
		expect(pass(s, frame.wrong, frame.n, 5, 7), frame.right, line);
		rig_end(s);
	}
}

/* Sum up as hardware does: what the field holds is part of it. */
static void
finish(uint8_t *field, const uint8_t *from, unsigned int n, bool never_zero)
{
	uint16_t value = (uint16_t)~frame_fold(frame_sum(from, n, 0));

	frame_put16(field, value == 0 && never_zero ? 0xffff : value);
}

static unsigned int
ip_end(const uint8_t *ip)
{
	return ip[0] >> 4 == 4 ? frame_get16(ip + 2) : 40U + frame_get16(ip + 4);
}

/* What the port would do as the mbuf asks; inner layers first. */
static void
hardware(const struct rte_mbuf *m, uint8_t *bytes)
{
	uint64_t flags = m->ol_flags;
	bool outer = (flags & (RTE_MBUF_F_TX_OUTER_IPV4 | RTE_MBUF_F_TX_OUTER_IPV6)) != 0;
	uint8_t *outer_ip = bytes + m->outer_l2_len, *outer_udp = outer_ip + m->outer_l3_len;
	uint8_t *ip = outer ? outer_udp + m->l2_len : bytes + m->l2_len, *l4 = ip + m->l3_len;
	unsigned int n = (unsigned int)(ip + ip_end(ip) - l4);
	uint32_t crc;

	assert_int_equal(outer, (flags & RTE_MBUF_F_TX_TUNNEL_MASK) != 0);
	if ((flags & RTE_MBUF_F_TX_IP_CKSUM) != 0) {
		assert_true((flags & RTE_MBUF_F_TX_IPV4) != 0 && (ip[0] & 15) * 4 == m->l3_len);
		finish(ip + 10, ip, m->l3_len, false);
	}
	if ((flags & RTE_MBUF_F_TX_L4_MASK) != 0)
		assert_int_equal(ip[0] >> 4, (flags & RTE_MBUF_F_TX_IPV4) != 0 ? 4 : 6);
	switch (flags & RTE_MBUF_F_TX_L4_MASK) {
	case RTE_MBUF_F_TX_UDP_CKSUM: finish(l4 + 6, l4, n, true); break;
	case RTE_MBUF_F_TX_TCP_CKSUM: finish(l4 + 16, l4, n, false); break;
	case RTE_MBUF_F_TX_SCTP_CKSUM:
		assert_int_equal(n % 4, 0);
		crc = rte_cpu_to_le_32(frame_crc32c(l4, n));
		memcpy(l4 + 8, &crc, sizeof(crc));
		break;
	default: break;
	}
	if ((flags & RTE_MBUF_F_TX_OUTER_IP_CKSUM) != 0)
		finish(outer_ip + 10, outer_ip, m->outer_l3_len, false);
	if ((flags & RTE_MBUF_F_TX_OUTER_UDP_CKSUM) != 0)
		finish(outer_udp + 6, outer_udp, (unsigned int)(outer_ip + ip_end(outer_ip) - outer_udp), true);
}

/* Whatever hardware is allowed to do, together with software it comes to the same. */
static void
any_hardware(void **state)
{
	static uint8_t bytes[FRAME_BYTES];

	for (unsigned int set = 1; set < 64; set++) {
		struct stream *s = stream(&(struct stream_csum){ .parse_tunnel = true,
			.ip_hw = set & 1, .udp_hw = set & 2, .tcp_hw = set & 4,
			.sctp_hw = set & 8, .outer_ip_hw = set & 16, .outer_udp_hw = set & 32 });

		for (unsigned int i = 0; i < ARRAY_SIZE(lines); i++) {
			/* Such hardware writes an outer checksum where there was none. */
			if ((set & 32) != 0 && strstr(lines[i], "udp0 ") != NULL)
				continue;
			frame_build(&frame, lines[i], true);
			for (unsigned int first = frame.n; first > 0; first = first > 40 ? 40 : 0) {
				struct rte_mbuf *m = pass(s, frame.wrong, frame.n, first, 0);

				assert_int_equal(rte_pktmbuf_linearize(m), 0);
				hardware(m, rte_pktmbuf_mtod(m, uint8_t *));
				memcpy(bytes, rte_pktmbuf_mtod(m, uint8_t *), m->pkt_len);
				expect(m, frame.right, lines[i]);
			}
		}
		rig_end(s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(software),
		cmocka_unit_test(any_hardware),
	};

	return cmocka_run_group_tests(tests, open_csum, rig_close);
}
