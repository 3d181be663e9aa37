/* A tap on a queue of net_null: the limit counts what was copied, and tags that the NIC takes off or puts
 * in are part of the frame. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/capture/capture_tap.h"

#include "base/err.h"
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <rte_mbuf.h>

#include <errno.h>
#include <string.h>

enum { BURST = 32, FRAME = 60, RING = 4096, OUTER = 0x6123, INNER = 0x2456 };

static struct capture_filter filter;
static struct rte_mbuf *next; /* that the card gives next; NULL: none */

/* In the place of the card's. */
static uint16_t
receive(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	if (next == NULL)
		return 0;
	pkts[0] = next;
	next = NULL;
	return 1;
}

static struct capture_tap *
tap(bool rx)
{
	struct capture_tap *t;
	struct err e;

	err_clear(&e);
	t = capture_tap_open(0, 0, rx, RING, &filter, &e);
	if (t == NULL && e.code == ENOTSUP)
		skip();
	assert_non_null(t);
	return t;
}

static void
tap_end(struct capture_tap *t)
{
	assert_true(capture_tap_close(t));
	capture_tap_empty(t);
	capture_tap_free(t);
}

/* Take all copies out of the ring; returns their number. */
static unsigned int
taken(struct capture_tap *t)
{
	const struct capture_copy *copy;
	unsigned int n = 0;

	for (; (copy = capture_queue_first(&t->ring)) != NULL; n++)
		capture_queue_taken(&t->ring, capture_queue_need(copy->kept));
	return n;
}

static void
bursts(unsigned int n)
{
	struct rte_mbuf *pkts[BURST];

	while (n-- > 0) {
		assert_int_equal(rte_eth_rx_burst(0, 0, pkts, BURST), BURST);
		rte_pktmbuf_free_bulk(pkts, BURST);
	}
}

/* A packet for which the ring has no room is none of those that were asked for. */
TEST(limit)
{
	enum { ROOM = RING / 80, MAX = ROOM + 20 }; /* net_null's packets have 64 bytes */
	struct capture_tap *t;

	memset(&filter, 0, sizeof(filter));
	filter.snaplen = 64;
	filter.limited = true;
	atomic_store(&filter.left, MAX);
	t = tap(true);
	bursts(4);
	assert_int_equal(counter_read(&t->copied), ROOM);
	assert_int_equal(counter_read(&t->dropped), 4 * BURST - ROOM);
	assert_int_equal(counter_read(&t->seen), 4 * BURST);
	assert_int_equal(atomic_load(&filter.left), MAX - ROOM);
	assert_int_equal(taken(t), ROOM);
	bursts(4);
	assert_int_equal(counter_read(&t->copied), MAX);
	assert_int_equal(counter_read(&t->dropped), 4 * BURST - ROOM);
	assert_int_equal(counter_read(&t->seen), 4 * BURST + 20);
	assert_int_equal(atomic_load(&filter.left), 0);
	assert_int_equal(taken(t), MAX - ROOM);
	tap_end(t);
}

/* A packet of segments of cut bytes, with tags in its mbuf. */
static struct rte_mbuf *
packet(struct rte_mempool *pool, const uint8_t *bytes, uint16_t n, uint16_t cut, uint64_t flags)
{
	struct rte_mbuf *m = NULL, *more;

	for (uint16_t at = 0; at < n; at += cut) {
		const uint16_t part = RTE_MIN(cut, (uint16_t)(n - at));

		more = rte_pktmbuf_alloc(pool);
		assert_non_null(more);
		memcpy(rte_pktmbuf_append(more, part), bytes + at, part);
		if (m == NULL)
			m = more;
		else
			assert_int_equal(rte_pktmbuf_chain(m, more), 0);
	}
	m->ol_flags |= flags;
	m->vlan_tci_outer = OUTER;
	m->vlan_tci = INNER;
	return m;
}

#define RX_VLAN (RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED)
#define RX_QINQ (RTE_MBUF_F_RX_QINQ | RTE_MBUF_F_RX_QINQ_STRIPPED)
#define OUTER_TAG "\x88\xa8\x61\x23"
#define INNER_TAG "\x81\x00\x24\x56"

static const struct {
	bool rx;
	uint64_t flags;
	const char *tags;
} cases[] = {
	{ true, 0, "" },
	{ true, RTE_MBUF_F_RX_VLAN, "" }, /* still in the packet */
	{ true, RX_VLAN, INNER_TAG },
	{ true, RX_QINQ | RX_VLAN, OUTER_TAG INNER_TAG },
	{ true, RX_QINQ, OUTER_TAG },
	{ true, RTE_MBUF_F_TX_VLAN | RTE_MBUF_F_TX_QINQ, "" },
	{ false, 0, "" },
	{ false, RTE_MBUF_F_TX_VLAN, INNER_TAG },
	{ false, RTE_MBUF_F_TX_QINQ, OUTER_TAG INNER_TAG },
	{ false, RTE_MBUF_F_TX_VLAN | RTE_MBUF_F_TX_QINQ, OUTER_TAG INNER_TAG },
	{ false, RX_QINQ | RX_VLAN, "" },
};

/* Let a packet pass the tap of a case; its copy has so many bytes of the frame. */
static void
pass(struct rte_mempool *pool, unsigned int i, uint16_t n, uint16_t cut, uint32_t snaplen)
{
	uint8_t bytes[FRAME], frame[FRAME + 8];
	const unsigned int n_tags = n < 12      ? 0
		: cases[i].tags[0] == '\0'      ? 0
		: strlen(cases[i].tags + 4) > 0 ? 8
						: 4;
	const struct capture_copy *copy;
	struct capture_tap *t;
	struct rte_mbuf *m;

	for (unsigned int k = 0; k < n; k++)
		bytes[k] = (uint8_t)(k + 1);
	memcpy(frame, bytes, RTE_MIN(n, 12));
	memcpy(frame + 12, cases[i].tags, n_tags);
	memcpy(frame + 12 + n_tags, bytes + 12, n < 12 ? 0 : n - 12u);
	memset(&filter, 0, sizeof(filter));
	filter.snaplen = snaplen;
	t = tap(cases[i].rx);
	m = packet(pool, bytes, n, cut, cases[i].flags);
	if (cases[i].rx) {
		next = m;
		assert_int_equal(rte_eth_rx_burst(0, 0, &m, 1), 1);
		rte_pktmbuf_free(m);
	} else {
		assert_int_equal(rte_eth_tx_burst(0, 0, &m, 1), 1);
	}
	copy = capture_queue_first(&t->ring);
	assert_non_null(copy);
	assert_int_equal(copy->len, n + n_tags);
	assert_int_equal(copy->kept, RTE_MIN(n + n_tags, snaplen));
	assert_memory_equal(copy + 1, frame, copy->kept);
	assert_int_equal(taken(t), 1);
	tap_end(t);
}

TEST(tags)
{
	static const uint32_t snaplens[] = { 65535, 5, 12, 13, 16, 18, 20, 21 };
	struct rte_mempool *pool = rte_mempool_lookup("mb_pool_0");
	eth_rx_burst_t burst = rte_eth_fp_ops[0].rx_pkt_burst;

	rte_eth_fp_ops[0].rx_pkt_burst = receive;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++)
		for (unsigned int k = 0; k < RTE_DIM(snaplens); k++) {
			pass(pool, i, FRAME, FRAME, snaplens[k]);
			pass(pool, i, FRAME, 5, snaplens[k]);
			pass(pool, i, 11, 11, snaplens[k]); /* no room for a tag */
		}
	rte_eth_fp_ops[0].rx_pkt_burst = burst;
}

/* A filter runs on the frame with its tags. */
TEST(filter_sees_tags)
{
	static const uint8_t bytes[FRAME] = { 0 };
	struct rte_mempool *pool = rte_mempool_lookup("mb_pool_0");
	pcap_t *shape = pcap_open_dead(DLT_EN10MB, CAPTURE_BYTES_MAX);
	eth_rx_burst_t burst = rte_eth_fp_ops[0].rx_pkt_burst;
	struct capture_tap *t;

	memset(&filter, 0, sizeof(filter));
	filter.snaplen = 1;
	filter.filtered = true;
	assert_int_equal(
		pcap_compile(shape, &filter.program,
			"ether[12:4] = 0x88a86123 and ether[16:4] = 0x81002456 and len = 68", 1,
			PCAP_NETMASK_UNKNOWN),
		0);
	rte_eth_fp_ops[0].rx_pkt_burst = receive;
	t = tap(true);
	for (unsigned int i = 0; i < RTE_DIM(cases) && cases[i].rx; i++) {
		struct rte_mbuf *m;

		next = packet(pool, bytes, FRAME, 50, cases[i].flags);
		assert_int_equal(rte_eth_rx_burst(0, 0, &m, 1), 1);
		rte_pktmbuf_free(m);
	}
	assert_int_equal(counter_read(&t->copied), 1);
	assert_int_equal(counter_read(&t->filtered), 5);
	tap_end(t);
	rte_eth_fp_ops[0].rx_pkt_burst = burst;
	pcap_freecode(&filter.program);
	pcap_close(shape);
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
