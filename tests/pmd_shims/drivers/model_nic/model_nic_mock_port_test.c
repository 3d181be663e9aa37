/* One mock port whose cable ends in itself, step by step: what a driver's functions send is what
 * they receive, on every path. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/mock_step.h"
#include "fixtures/unit.h"

#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_udp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MBUFS = 4095,
	DESCS = 256,
	BURST = 32,
	HEADERS = 42,
	SUM_AT = 24,
	LONGEST = 1500,
	POLLS = 300
};

static struct rte_mempool *pool;
static mock_step *step;

struct path {
	const char *words;
	uint64_t tx_offloads;
};

#define SEGMENTS RTE_ETH_TX_OFFLOAD_MULTI_SEGS
#define CHECKSUMS \
	(RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_UDP_CKSUM | \
		RTE_ETH_TX_OFFLOAD_TCP_CKSUM)
#define TAGS RTE_ETH_TX_OFFLOAD_VLAN_INSERT

static const struct path paths[] = {
	{ "driver=mlx5", 0 },
	{ "driver=mlx5", RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE },
	{ "driver=mlx5,rx_path=scalar,tx_path=single", 0 },
	{ "driver=mlx5,zip=hash,inline=300", 0 },
	{ "driver=mlx5,zip=l34,inline=960,tx_path=single", 0 },
	{ "driver=mlx5,zip=hash,rx_path=scalar,tx_path=legacy,inline=200", 0 },
	{ "driver=mlx5", SEGMENTS },
	{ "driver=mlx5,tx_path=single", SEGMENTS | CHECKSUMS },
	{ "driver=mlx5", SEGMENTS | TAGS },
	{ "driver=mlx5,inline=200", SEGMENTS | CHECKSUMS | TAGS },
	{ "driver=mlx5,inline=300,tx_path=single", SEGMENTS | TAGS },
	{ "driver=i40e,rx_path=sse,tx_path=sse", RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE },
	{ "driver=i40e", 0 },
	{ "driver=i40e,rx_path=bulk,tx_path=simple", 0 },
	{ "driver=i40e,rx_path=scalar", SEGMENTS | CHECKSUMS | TAGS },
	{ "driver=ixgbe", 0 },
	{ "driver=ixgbe,rx_path=bulk,tx_path=simple", 0 },
	{ "driver=ixgbe,rx_path=scalar", SEGMENTS | CHECKSUMS | TAGS },
};

static void
port_open(const struct path *path, uint16_t queues)
{
	struct rte_eth_conf conf = { .txmode.offloads = path->tx_offloads };
	char words[200];

	snprintf(words, sizeof(words), "%s,rx=loop", path->words);
	assert_int_equal(rte_eal_hotplug_add("vdev", "net_mock0", words), 0);
	if (queues > 1) {
		conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
		conf.rxmode.offloads = RTE_ETH_RX_OFFLOAD_RSS_HASH | RTE_ETH_RX_OFFLOAD_CHECKSUM;
		conf.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_NONFRAG_IPV4_UDP;
	}
	assert_int_equal(rte_eth_dev_configure(0, queues, queues, &conf), 0);
	for (uint16_t i = 0; i < queues; i++) {
		assert_int_equal(rte_eth_rx_queue_setup(0, i, DESCS, SOCKET_ID_ANY, NULL, pool), 0);
		assert_int_equal(rte_eth_tx_queue_setup(0, i, DESCS, SOCKET_ID_ANY, NULL), 0);
	}
	assert_int_equal(rte_eth_dev_start(0), 0);
}

/* Every mbuf is back. */
static void
port_close(void)
{
	assert_int_equal(rte_eth_dev_stop(0), 0);
	assert_int_equal(rte_eal_hotplug_remove("vdev", "net_mock0"), 0);
	assert_int_equal(rte_mempool_avail_count(pool), MBUFS);
}

static uint8_t
byte_of(unsigned number, unsigned i)
{
	return (uint8_t)(number * 31 + i * 7);
}

/* Packet number: UDP over IPv4 of len bytes in so many segments. */
static struct rte_mbuf *
packet_make(unsigned number, unsigned len, unsigned segments)
{
	static const uint8_t ip[] = { 0x08, 0, 0x45 };
	struct rte_mbuf *head = NULL;

	for (unsigned i = 0, s = 0; s < segments; s++) {
		unsigned part = s + 1 < segments ? len / segments : len - i;
		struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
		uint8_t *to = (uint8_t *)rte_pktmbuf_append(m, (uint16_t)part);

		for (unsigned k = 0; k < part; k++, i++)
			to[k] = i >= 12 && i < 15 ? ip[i - 12] : byte_of(number, i);
		if (head == NULL)
			head = m;
		else
			assert_int_equal(rte_pktmbuf_chain(head, m), 0);
	}
	return head;
}

/* summed: the NIC was asked for the sum of the IPv4 header. */
static void
packet_check(const struct rte_mbuf *m, unsigned number, unsigned len, bool summed)
{
	uint8_t copy[LONGEST];
	const uint8_t *p = rte_pktmbuf_read(m, 0, rte_pktmbuf_pkt_len(m), copy);

	assert_int_equal(rte_pktmbuf_pkt_len(m), len);
	assert_int_equal(m->port, 0);
	if (summed)
		assert_int_equal(rte_raw_cksum(p + RTE_ETHER_HDR_LEN, sizeof(struct rte_ipv4_hdr)),
			0xffff);
	for (unsigned i = 0; i < len; i++) {
		if (summed && (i == SUM_AT || i == SUM_AT + 1))
			continue;
		assert_int_equal(p[i],
			i >= 12 && i < 15 ? ((const uint8_t[]){ 8, 0, 0x45 })[i - 12]
					  : byte_of(number, i));
	}
}

/* Of those of a burst on a path with checksums. */
static bool
summed(uint64_t offloads, unsigned i)
{
	return (offloads & CHECKSUMS) != 0 && i % 3 == 0;
}

/* Send packets and receive them again, which are checked; returns how many came. */
static unsigned
round_trip(struct rte_mbuf **out, uint16_t n, unsigned number, const unsigned *len,
	uint64_t offloads)
{
	struct rte_mbuf *in[BURST];
	unsigned sent = 0, came = 0;

	for (unsigned poll = 0; poll < POLLS && came < n; poll++) {
		uint16_t got;

		if (sent < n)
			sent += rte_eth_tx_burst(0, 0, out + sent, (uint16_t)(n - sent));
		step();
		got = rte_eth_rx_burst(0, 0, in, BURST);
		for (uint16_t i = 0; i < got; i++, came++) {
			packet_check(in[i], number + came, len[came], summed(offloads, came));
			rte_pktmbuf_free(in[i]);
		}
	}
	assert_int_equal(sent, n);
	return came;
}

/* Far more packets than the rings hold, every length, several segments where the path has them. */
TEST(test_paths)
{
	for (unsigned p = 0; p < RTE_DIM(paths); p++) {
		bool segments = (paths[p].tx_offloads & SEGMENTS) != 0;
		struct rte_eth_stats stats;
		unsigned number = 0;

		print_message("# %s, offloads %#llx\n", paths[p].words,
			(unsigned long long)paths[p].tx_offloads);
		port_open(&paths[p], 1);
		for (unsigned round = 0; round < 100; round++) {
			struct rte_mbuf *out[BURST];
			unsigned len[BURST];

			for (unsigned i = 0; i < BURST; i++) {
				len[i] = round % 2 == 0 ? 60
							: 60 + (number + i) * 13 % (LONGEST - 60);
				out[i] = packet_make(number + i, len[i], segments ? i % 4 + 1 : 1);
				if (!summed(paths[p].tx_offloads, i))
					continue;
				out[i]->ol_flags = RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM;
				out[i]->l2_len = 14;
				out[i]->l3_len = 20;
			}
			assert_int_equal(round_trip(out, BURST, number, len, paths[p].tx_offloads),
				BURST);
			number += BURST;
		}
		rte_eth_stats_get(0, &stats);
		assert_int_equal(stats.opackets, number);
		assert_int_equal(stats.ipackets, number);
		assert_int_equal(stats.obytes, stats.ibytes);
		assert_int_equal(stats.ierrors + stats.oerrors + stats.imissed, 0);
		port_close();
	}
}

/* The same with headers as they should be. */
static struct rte_mbuf *
udp_make(unsigned number, unsigned len)
{
	struct rte_mbuf *m = packet_make(number, len, 1);
	struct rte_ipv4_hdr *ip =
		rte_pktmbuf_mtod_offset(m, struct rte_ipv4_hdr *, RTE_ETHER_HDR_LEN);
	struct rte_udp_hdr *udp = (struct rte_udp_hdr *)(ip + 1);

	*ip = (struct rte_ipv4_hdr){ .version_ihl = RTE_IPV4_VHL_DEF,
		.total_length = rte_cpu_to_be_16((uint16_t)(len - RTE_ETHER_HDR_LEN)),
		.time_to_live = 64,
		.next_proto_id = IPPROTO_UDP,
		.src_addr = number,
		.dst_addr = ~number };
	ip->hdr_checksum = rte_ipv4_cksum(ip);
	udp->dgram_len = rte_cpu_to_be_16((uint16_t)(len - RTE_ETHER_HDR_LEN - sizeof(*ip)));
	udp->dgram_cksum = 0;
	return m;
}

/* Flows go to queues by a hash that the driver hands on, and headers were checked. */
TEST(test_rss)
{
	static const struct path all[] = { { "driver=mlx5", 0 },
		{ "driver=mlx5,rx_path=scalar", 0 }, { "driver=i40e", 0 },
		{ "driver=i40e,rx_path=scalar", 0 }, { "driver=ixgbe", 0 },
		{ "driver=ixgbe,rx_path=scalar", 0 } };

	for (unsigned p = 0; p < RTE_DIM(all); p++) {
		unsigned of_queue[4] = { 0 };
		struct rte_mbuf *in[BURST], *out[BURST];
		uint16_t sent = 0;

		port_open(&all[p], 4);
		for (unsigned i = 0; i < BURST; i++)
			out[i] = udp_make(i, 100);
		while (sent < BURST)
			sent += rte_eth_tx_burst(0, 0, out + sent, (uint16_t)(BURST - sent));
		for (unsigned poll = 0; poll < POLLS; poll++) {
			uint16_t q = poll % 4, got;

			step();
			got = rte_eth_rx_burst(0, q, in, BURST);
			of_queue[q] += got;
			for (uint16_t i = 0; i < got; i++) {
				assert_true((in[i]->ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0);
				assert_int_not_equal(in[i]->hash.rss, 0);
				assert_int_equal(in[i]->ol_flags & RTE_MBUF_F_RX_IP_CKSUM_MASK,
					RTE_MBUF_F_RX_IP_CKSUM_GOOD);
				assert_int_equal(in[i]->packet_type & RTE_PTYPE_L4_MASK,
					RTE_PTYPE_L4_UDP);
				rte_pktmbuf_free(in[i]);
			}
		}
		assert_int_equal(of_queue[0] + of_queue[1] + of_queue[2] + of_queue[3], BURST);
		for (unsigned q = 0; q < 4; q++)
			assert_int_not_equal(of_queue[q], 0);
		port_close();
	}
}

static void
nothing(void *addr, void *opaque)
{
}

static uint64_t
counter(const char *name)
{
	uint64_t id, value;

	assert_int_equal(rte_eth_xstats_get_id_by_name(0, name, &id), 0);
	assert_int_equal(rte_eth_xstats_get_by_id(0, &id, &value, 1), 1);
	return value;
}

/*
 * A packet in memory that no key covers: an error completion, the driver makes its queue ready
 * again, and the next packets go.
 */
TEST(test_unknown_memory)
{
	static const struct path all[] = { { "driver=mlx5", 0 },
		{ "driver=mlx5,tx_path=single", SEGMENTS } };

	for (unsigned p = 0; p < RTE_DIM(all); p++) {
		uint16_t size = 2048;
		uint8_t *foreign = aligned_alloc(4096, 4096);
		struct rte_mbuf_ext_shared_info *shared =
			rte_pktmbuf_ext_shinfo_init_helper(foreign, &size, nothing, NULL);
		const unsigned len = 100;

		port_open(&all[p], 1);
		for (unsigned round = 0; round < 3; round++) {
			struct rte_mbuf *m = rte_pktmbuf_alloc(pool), *none;

			rte_mbuf_ext_refcnt_set(shared, 1);
			rte_pktmbuf_attach_extbuf(m, foreign, RTE_BAD_IOVA, size, shared);
			rte_pktmbuf_append(m, (uint16_t)len);
			assert_int_equal(rte_eth_tx_burst(0, 0, &m, 1), 1);
			for (unsigned poll = 0; poll < 10; poll++) {
				step();
				rte_eth_tx_burst(0, 0, &none, 0);
			}
			assert_int_equal(counter("mock_bad_keys"), round + 1);
			for (unsigned i = 0; i < 100; i++) {
				m = packet_make(i, len, 1);
				assert_int_equal(round_trip(&m, 1, i, &len, 0), 1);
			}
		}
		assert_int_equal(counter("mock_bad_elements"), 0);
		port_close();
		free(foreign);
	}
}

static int
setup(void **state)
{
	step = mock_step_open("--log-level=pmd.net.mlx5:emerg");
	if (step == NULL)
		return -1;
	pool = rte_pktmbuf_pool_create("pool", MBUFS, 0, 0, 2176, SOCKET_ID_ANY);
	return pool != NULL ? 0 : -1;
}

TESTS(.setup = setup);
