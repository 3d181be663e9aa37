/* A mock port of ice that splits received packets behind a header, with its cable in itself: which
 * bytes come in which mempool's mbufs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/mock_step.h"
#include "fixtures/unit.h"

#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <stdlib.h>
#include <string.h>

enum { MBUFS = 4095, DESCS = 256, LEN = 200, POLLS = 100 };

#define ETH RTE_PTYPE_L2_ETHER
#define V4 (ETH | RTE_PTYPE_L3_IPV4_EXT_UNKNOWN)
#define V6 (ETH | RTE_PTYPE_L3_IPV6_EXT_UNKNOWN)

static const struct {
	uint32_t types;  /* behind which the queue splits */
	const char *hex; /* begin of a packet, bytes of 0 behind it */
	unsigned header; /* bytes in front; 0: it is not split */
} cases[] = {
	{ ETH, "112233445566aabbccddeeff0800 45", 14 },
	{ ETH, "112233445566aabbccddeeff81000005 0800 45", 18 },
	{ ETH, "112233445566aabbccddeeff0806", 14 },
	{ V4, "112233445566aabbccddeeff0800 4500 0000 0000 0000 4011", 34 },
	{ V4, "112233445566aabbccddeeff0800 4700 0000 0000 0000 4006", 42 },
	{ V4, "112233445566aabbccddeeff0806", 0 },
	{ V4 | RTE_PTYPE_L4_UDP, "112233445566aabbccddeeff0800 4500 0000 0000 0000 4011", 42 },
	{ V4 | RTE_PTYPE_L4_UDP, "112233445566aabbccddeeff81000005 0800 4600 0000 0000 0000 4011",
		50 },
	{ V4 | RTE_PTYPE_L4_UDP, "112233445566aabbccddeeff0800 4500 0000 0000 0000 4001", 0 },
	{ V4 | RTE_PTYPE_L4_TCP,
		"112233445566aabbccddeeff0800 4500 0000 0000 0000 4006 0000"
		"00000000 00000000 0000 0000 00000000 00000000 80",
		66 },
	{ V6 | RTE_PTYPE_L4_UDP, "112233445566aabbccddeeff86dd 60000000 0000 11 40", 62 },
	{ V6, "112233445566aabbccddeeff86dd 60000000 0000 3a 40", 54 },
};

static struct rte_mempool *headers, *payloads;
static mock_step *step;

static void
port_open(uint32_t types, const char *words)
{
	struct rte_eth_conf conf = { .rxmode.offloads = RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT };
	union rte_eth_rxseg segments[] = { { .split = { .mp = headers, .proto_hdr = types } },
		{ .split = { .mp = payloads } } };
	struct rte_eth_rxconf queue = { .rx_seg = segments,
		.rx_nseg = RTE_DIM(segments),
		.rx_free_thresh = 32,
		.offloads = RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT };

	assert_int_equal(rte_eal_hotplug_add("vdev", "net_mock0", words), 0);
	assert_int_equal(rte_eth_dev_configure(0, 1, 1, &conf), 0);
	assert_int_equal(rte_eth_rx_queue_setup(0, 0, DESCS, SOCKET_ID_ANY, &queue, NULL), 0);
	assert_int_equal(rte_eth_tx_queue_setup(0, 0, DESCS, SOCKET_ID_ANY, NULL), 0);
}

static void
port_close(void)
{
	assert_int_equal(rte_eal_hotplug_remove("vdev", "net_mock0"), 0);
	assert_int_equal(rte_mempool_avail_count(headers), MBUFS);
	assert_int_equal(rte_mempool_avail_count(payloads), MBUFS);
}

static void
frame_make(uint8_t *frame, const char *hex, unsigned number)
{
	char byte[3] = "";
	unsigned n = 0;

	for (unsigned i = 0; i < LEN; i++)
		frame[i] = 0;
	for (; *hex != '\0'; hex++) {
		if (*hex == ' ')
			continue;
		memcpy(byte, hex++, 2);
		frame[n++] = (uint8_t)strtoul(byte, NULL, 16);
	}
	frame[LEN - 1] = (uint8_t)number; /* the last one tells them apart */
}

static struct rte_mbuf *
round_trip(const uint8_t *frame)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(headers), *in;

	memcpy(rte_pktmbuf_append(m, LEN), frame, LEN);
	assert_int_equal(rte_eth_tx_burst(0, 0, &m, 1), 1);
	for (unsigned poll = 0; poll < POLLS; poll++) {
		step();
		if (rte_eth_rx_burst(0, 0, &in, 1) == 1)
			return in;
	}
	fail_msg("no packet");
	return NULL;
}

/* The header in an mbuf of the first pool, the rest in one of the second, more often than the ring
 * is long. */
TEST(test_split)
{
	for (unsigned c = 0; c < RTE_DIM(cases); c++) {
		print_message("# %s\n", cases[c].hex);
		port_open(cases[c].types, "driver=ice,rx=loop");
		assert_int_equal(rte_eth_dev_start(0), 0);
		for (unsigned i = 0; i < 2 * DESCS + 3; i++) {
			uint8_t frame[LEN];
			struct rte_mbuf *m;

			frame_make(frame, cases[c].hex, i);
			m = round_trip(frame);
			assert_int_equal(m->nb_segs, 2);
			assert_int_equal(m->pkt_len, LEN);
			assert_int_equal(m->data_len, cases[c].header);
			assert_int_equal(m->next->data_len, LEN - cases[c].header);
			assert_ptr_equal(m->pool, headers);
			assert_ptr_equal(m->next->pool, payloads);
			assert_memory_equal(rte_pktmbuf_mtod(m, void *), frame, m->data_len);
			assert_memory_equal(rte_pktmbuf_mtod(m->next, void *), frame + m->data_len,
				m->next->data_len);
			rte_pktmbuf_free(m);
		}
		assert_int_equal(rte_eth_dev_stop(0), 0);
		port_close();
	}
}

/* Stopped and started again, it splits as before; buffers that a source wrote once cannot be. */
TEST(test_again)
{
	uint8_t frame[LEN];
	struct rte_mbuf *m;

	frame_make(frame, cases[3].hex, 1);
	port_open(V4, "driver=ice,rx=loop");
	for (unsigned start = 0; start < 3; start++) {
		assert_int_equal(rte_eth_dev_start(0), 0);
		m = round_trip(frame);
		assert_int_equal(m->data_len, 34);
		rte_pktmbuf_free(m);
		assert_int_equal(rte_eth_dev_stop(0), 0);
	}
	port_close();
	port_open(V4, "driver=ice,rx=gen");
	assert_int_equal(rte_eth_dev_start(0), -ENOTSUP);
	port_close();
}

static int
setup(void **state)
{
	step = mock_step_open("");
	if (step == NULL)
		return -1;
	headers = rte_pktmbuf_pool_create("headers", MBUFS, 0, 0, 2176, SOCKET_ID_ANY);
	payloads = rte_pktmbuf_pool_create("payloads", MBUFS, 0, 0, 2176, SOCKET_ID_ANY);
	return headers != NULL && payloads != NULL ? 0 : -1;
}

TESTS(.setup = setup);
