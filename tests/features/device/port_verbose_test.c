/* set verbose: what only hardware says of packets, packets that are cut, and callbacks that come and
 * go with the level. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/device/port_verbose.h"

#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"
#include "port/port_feature.h"

#include <rte_mbuf.h>

#include <stdlib.h>
#include <string.h>

/* A packet in hexadecimal. tests/contract compares the text of each kind with testpmd's. */
static const char udp_hex[] = "02000000000202000000000108004500002e00010000401100000a0000010a00"
			      "000200090009001a0000787878787878787878787878787878787878";

static const char vxlan_hex[] = "02000000000202000000000108004500005200010000401100000a0000010a00"
				"0002000912b5003e00000800000000002a000200000000020200000000010800"
				"4500002000010000401100000a0000010a00000200090009000c00007a7a7a7a";

static struct rte_mbuf *
packet(const char *hex)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(rte_mempool_lookup("mb_pool_0"));
	size_t i, n = strlen(hex) / 2;
	uint8_t *data;

	assert_non_null(m);
	data = (uint8_t *)rte_pktmbuf_append(m, n);
	for (i = 0; i < n; i++) {
		char byte[3] = { hex[2 * i], hex[2 * i + 1], '\0' };

		data[i] = strtoul(byte, NULL, 16);
	}
	return m;
}

TEST(queue)
{
	struct rte_mbuf *m = packet(udp_hex);
	char *text = port_verbose_text(3, 17, &m, 1, false);

	assert_string_equal(text,
		"port 3/queue 17: sent 1 packets\n"
		"  src=02:00:00:00:00:01 - dst=02:00:00:00:00:02 - pool=mb_pool_0 - type=0x0800 - length=60 - nb_segs=1"
		" - sw ptype: L2_ETHER L3_IPV4 L4_UDP  - l2_len=14 - l3_len=20 - l4_len=8"
		" - Send queue=0x11\n  ol_flags: RTE_MBUF_F_TX_L4_NO_CKSUM \n");
	free(text);
	assert_null(port_verbose_text(3, 0, &m, 0, true));
	rte_pktmbuf_free(m);
}

/* What only ports with hardware set, as testpmd writes it. */
TEST(hardware)
{
	static const struct {
		uint64_t flags;
		const char *text;
	} cases[] = {
		{ RTE_MBUF_F_RX_RSS_HASH,
			" - RSS hash=0x12345678 - RSS queue=0x2 - hw ptype: L2_ETHER  - sw" },
		{ RTE_MBUF_F_RX_VLAN, "nb_segs=1 - VLAN tci=0x7b - hw" },
		{ RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_QINQ,
			"nb_segs=1 - QinQ VLAN tci=0x7b, VLAN tci outer=0x1c8 - hw" },
		{ RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_FDIR_ID,
			"nb_segs=1 - FDIR matched ID=0x9abcdef0 - hw" },
		{ RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_FDIR_FLX,
			"nb_segs=1 - FDIR matched flex bytes=0x9abcdef0 12345678 - hw" },
		{ RTE_MBUF_F_RX_FDIR, "nb_segs=1 - FDIR matched hash=0x5678 ID=0x1234  - hw" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rte_mbuf *m = packet(udp_hex);
		char *text;

		m->ol_flags = cases[i].flags;
		m->packet_type = RTE_PTYPE_L2_ETHER;
		m->hash.fdir.lo = 0x12345678;
		m->hash.fdir.hi = 0x9abcdef0;
		m->vlan_tci = 123;
		m->vlan_tci_outer = 456;
		text = port_verbose_text(0, 2, &m, 1, true);
		if (strstr(text, cases[i].text) == NULL)
			fail_msg("%s\nlacks\n%s", text, cases[i].text);
		free(text);
		rte_pktmbuf_free(m);
	}
}

TEST(vxlan)
{
	struct rte_mbuf *m = packet(vxlan_hex);
	char *text;

	m->packet_type = RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4 | RTE_PTYPE_L4_UDP |
		RTE_PTYPE_TUNNEL_VXLAN;
	text = port_verbose_text(0, 0, &m, 1, true);
	assert_non_null(strstr(text,
		" - VXLAN packet: packet type =12817, Destination UDP port =4789, VNI = 42, last_rsvd = 0"
		" - Receive queue=0x0\n"));
	free(text);
	rte_pktmbuf_trim(m, 60); /* the headers are not all there any more */
	text = port_verbose_text(0, 0, &m, 1, true);
	assert_null(strstr(text, "VXLAN packet"));
	free(text);
	rte_pktmbuf_free(m);
}

/* Packets too short for an Ethernet header are shown as far as they go. */
TEST(cut)
{
	unsigned int n;

	for (n = 0; n < 14; n++) {
		struct rte_mbuf *m = packet(udp_hex);
		char expected[64], *text;

		rte_pktmbuf_trim(m, 60 - n);
		text = port_verbose_text(0, 0, &m, 1, true);
		snprintf(expected, sizeof(expected), " - length=%u - nb_segs=1", n);
		assert_non_null(strstr(text, expected));
		assert_non_null(
			strstr(text, n < 6 ? "src=00:00:00:00:00:00" : "- dst=02:00:00:00:00:02"));
		free(text);
		rte_pktmbuf_free(m);
	}
}

static unsigned int
count(const char *text, const char *word)
{
	unsigned int n = 0;

	for (; (text = strstr(text, word)) != NULL; text++)
		n++;
	return n;
}

/* One packet each way: how many bursts are told. */
static void
traffic(unsigned int received, unsigned int sent)
{
	struct rte_mbuf *m;
	const char *text;

	assert_int_equal(rte_eth_rx_burst(0, 0, &m, 1), 1);
	assert_int_equal(rte_eth_tx_burst(0, 0, &m, 1), 1);
	text = port_fixture_results();
	assert_int_equal(count(text, "port 0/queue 0: received 1 packets\n"), received);
	assert_int_equal(count(text, "port 0/queue 0: sent 1 packets\n"), sent);
	assert_int_equal(count(text, "ol_flags: "), received + sent);
}

TEST(levels)
{
	static const struct {
		unsigned int level, received, sent;
	} steps[] = { { 0, 0, 0 }, { 1, 1, 0 }, { 1, 1, 0 }, { 2, 0, 1 }, { 3, 1, 1 },
		{ 65535, 1, 1 }, { 1, 1, 0 }, { 0, 0, 0 } };
	unsigned int i, before = 0;
	char line[32], expected[80];

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		snprintf(line, sizeof(line), "set verbose %u", steps[i].level);
		snprintf(expected, sizeof(expected), "Change verbose level from %u to %u\n", before,
			steps[i].level);
		port_fixture_says(line, expected, NULL);
		traffic(steps[i].received, steps[i].sent);
		before = steps[i].level;
	}
}

/*
 * Twice the same is once; a port that is dropped stays quiet until somebody applies the level
 * again.
 */
TEST(applied)
{
	struct ports *ps = &((struct app *)*state)->ports;
	struct err e = { 0 };

	port_fixture_set("verbose", "3");
	assert_int_equal(port_features_run(ps, &e), 0);
	assert_int_equal(port_features_run(ps, &e), 0);
	traffic(1, 1);
	port_features_at(ps, &ps->port[0], PORT_CLOSING);
	traffic(0, 0);
	assert_int_equal(port_features_run(ps, &e), 0);
	traffic(1, 1);
	ps->forwarding = true;
	port_fixture_says("set verbose 0", "Change verbose level from 3 to 0\n", NULL);
	ps->forwarding = false;
	traffic(0, 0);
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
