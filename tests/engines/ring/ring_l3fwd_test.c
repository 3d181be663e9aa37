/* Stage l3fwd: longest prefixes, hop limits, checksums, addresses, and each reason to drop. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "engines/ring/processes/ring_worker_slot.h"
#include "fixtures/l3_fixture.h"
#include "fixtures/ring_fixture.h"

#include <netinet/in.h>

static struct ring_pipeline *
begin(void)
{
	bool remote = setting_u64(engine_fixture_settings, "pipeline-processes") > 0;
	struct ring_pipeline *p;

	engine_fixture_set("pipeline-stage", "l3fwd");
	p = ring_fixture_begin(remote ? 0 : 1, NULL);
	/* The work of the other process, done here. */
	p->io[0].own = &p->workers[0];
	return p;
}

/* Put it in, let it through: it comes out as w, by the port that the stream transmits to. */
static void
expect(struct ring_pipeline *p, const struct engine_fixture_frame *f,
	const struct engine_fixture_frame *w, unsigned int cut)
{
	engine_fixture_put(f->bytes, f->n, cut);
	ring_fixture_poll(p);
	engine_fixture_expect(w->bytes, w->n);
}

static void
longest(void **state)
{
	static const struct {
		uint32_t to;
		bool mac; /* of which route: those with a mac are the longer ones */
	} rows[] = {
		{ RTE_IPV4(10, 0, 0, 1), false },
		{ RTE_IPV4(10, 1, 0, 1), true },
		{ RTE_IPV4(10, 1, 2, 3), false },
		{ RTE_IPV4(10, 1, 2, 4), true },
		{ RTE_IPV4(10, 255, 255, 255), false },
	};
	struct ring_pipeline *p;
	struct engine_fixture_frame f, w;

	l3_fixture_route(&ring_fixture_routes, "10.0.0.0/8", FIXTURE_OUT, false);
	l3_fixture_route(&ring_fixture_routes, "10.1.0.0/16", FIXTURE_OUT, true);
	l3_fixture_route(&ring_fixture_routes, "10.1.2.3", FIXTURE_OUT, false);
	l3_fixture_route(&ring_fixture_routes, "2000::/8", FIXTURE_OUT, false);
	l3_fixture_route(&ring_fixture_routes, "2001::/16", FIXTURE_OUT, true);
	l3_fixture_route(&ring_fixture_routes, "2001::7", FIXTURE_OUT, false);
	p = begin();
	for (unsigned int r = 0; r < ARRAY_SIZE(rows); r++) {
		l3_fixture_ip4(&f, rows[r].to, 64, 4 * r);
		w = f;
		l3_fixture_hopped(&w, p->streams[0], rows[r].mac);
		expect(p, &f, &w, 0);
		expect(p, &f, &w, 11); /* headers over several segments */
	}
	for (unsigned int last = 6; last <= 8; last++) {
		l3_fixture_ip6(&f, 0x20, (uint8_t)last, 2);
		w = f;
		l3_fixture_hopped(&w, p->streams[0], last != 7);
		expect(p, &f, &w, 0);
		expect(p, &f, &w, 13);
	}
	ring_fixture_end(p);
}

/* Every checksum there may be over the hop. */
static void
checksums(void **state)
{
	struct ring_pipeline *p;
	struct engine_fixture_frame f, w;

	l3_fixture_route(&ring_fixture_routes, "0.0.0.0/0", FIXTURE_OUT, true);
	p = begin();
	for (unsigned int ttl = 2; ttl <= 255; ttl++) {
		l3_fixture_ip4(&f, RTE_IPV4(ttl, 3 * ttl, 7 * ttl, 1), (uint8_t)ttl, 0);
		w = f;
		l3_fixture_hopped(&w, p->streams[0], true);
		expect(p, &f, &w, 0);
	}
	ring_fixture_end(p);
}

/* A route to the other port: absorbed by one stream, made by the other, addresses of that port. */
static void
other_port_by(const char *mode)
{
	struct ring_pipeline *p;
	struct engine_fixture_frame f, w;
	struct rte_mbuf *m;

	engine_fixture_set("pipeline-mode", mode);
	l3_fixture_route(&ring_fixture_routes, "10.0.0.0/8", FIXTURE_IN, false);
	l3_fixture_route(&ring_fixture_routes, "11.0.0.0/8", FIXTURE_OUT, false);
	p = begin();
	l3_fixture_ip4(&f, RTE_IPV4(11, 0, 0, 1), 9, 0);
	engine_fixture_put(f.bytes, f.n, 0);
	w = f;
	l3_fixture_hopped(&w, p->streams[0], false);
	l3_fixture_ip4(&f, RTE_IPV4(10, 0, 0, 1), 9, 0);
	engine_fixture_put(f.bytes, f.n, 0);
	engine_fixture_put(f.bytes, f.n, 0);
	l3_fixture_hopped(&f, p->streams[1], false);
	ring_fixture_poll(p);
	engine_fixture_expect(w.bytes, w.n);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(rte_eth_rx_burst(FIXTURE_IN, 0, &m, 1), 1);
		assert_memory_equal(rte_pktmbuf_mtod(m, uint8_t *), f.bytes, f.n);
		rte_pktmbuf_free(m);
	}
	assert_int_equal(p->streams[0]->count.rx, 3);
	assert_int_equal(p->streams[0]->count.tx, 1);
	assert_int_equal(p->streams[1]->count.tx, 2);
	ring_fixture_end(p);
}

static void
other_port(void **state)
{
	static const char *const modes[] = { "zc", "copy", "compressed" };

	for (unsigned int i = 0; i < ARRAY_SIZE(modes); i++) {
		ring_fixture_defaults(state);
		other_port_by(modes[i]);
	}
}

#define TO RTE_IPV4(10, 0, 0, 1)

/* A frame that is dropped, and why; without ip4 and ip6: of another protocol. */
struct bad {
	const char *what;
	unsigned int counter;
	uint32_t ip4;           /* IPv4 to this address */
	uint8_t ip6;            /* IPv6 to one that begins with this byte */
	uint8_t hops;           /* TTL or hop limit */
	unsigned int place, by; /* the byte at this place of the IP header grows by so much */
	int keep;               /* bytes that are kept; negative: all but these; 0: all */
};

static const struct bad bad[] = {
	{ "no route", RING_NO_ROUTE, .ip4 = RTE_IPV4(11, 0, 0, 1), .hops = 64 },
	{ "no route 6", RING_NO_ROUTE, .ip6 = 0x30, .hops = 64 },
	{ "ttl 1", RING_EXPIRED, .ip4 = TO, .hops = 1 },
	{ "ttl 0", RING_EXPIRED, .ip4 = TO, .hops = 0 },
	{ "hop limit 1", RING_EXPIRED, .ip6 = 0x20, .hops = 1 },
	{ "arp", RING_MALFORMED },
	{ "short", RING_MALFORMED, .ip4 = TO, .hops = 64, .keep = RTE_ETHER_HDR_LEN + 19 },
	{ "shorter", RING_MALFORMED, .ip4 = TO, .hops = 64, .keep = RTE_ETHER_HDR_LEN - 1 },
	{ "longer than it is", RING_MALFORMED, .ip4 = TO, .hops = 64, .keep = -1 },
	{ "version", RING_MALFORMED, .ip4 = TO, .hops = 64, .by = 0x10 },
	{ "header length", RING_MALFORMED, .ip4 = TO, .hops = 64, .by = 0xff },
	{ "checksum", RING_MALFORMED, .ip4 = TO, .hops = 64, .place = 11, .by = 1 },
	{ "version 6", RING_MALFORMED, .ip6 = 0x20, .hops = 64, .by = 0xe0 },
	{ "payload 6", RING_MALFORMED, .ip6 = 0x20, .hops = 64, .place = 5, .by = 1 },
};

static void
bad_frame(const struct bad *row, struct engine_fixture_frame *f)
{
	if (row->ip4 != 0) {
		l3_fixture_ip4(f, row->ip4, row->hops, 0);
	} else if (row->ip6 != 0) {
		l3_fixture_ip6(f, row->ip6, 1, row->hops);
	} else {
		engine_fixture_ether(f, NULL, RTE_ETHER_TYPE_ARP);
		engine_fixture_add(f, NULL, 46);
	}
	f->bytes[f->l3 + row->place] += row->by;
	if (row->keep != 0)
		f->n = row->keep > 0 ? (unsigned int)row->keep : f->n - (unsigned int)-row->keep;
}

static void
dropped_one(struct ring_pipeline *p, const struct bad *row, unsigned int place)
{
	const counter *named = &p->streams[0]->count.named[row->counter];
	uint64_t before = counter_read(named), all = counter_read(&p->streams[0]->count.absorbed);
	struct engine_fixture_frame f;

	for (unsigned int i = 0; i < 5; i++) {
		if (i == place)
			bad_frame(row, &f);
		else
			l3_fixture_ip4(&f, RTE_IPV4(10, 0, 0, i), 64, 0);
		engine_fixture_put(f.bytes, f.n, 0);
	}
	ring_fixture_poll(p);
	for (unsigned int i = 0; i < 5; i++) {
		l3_fixture_ip4(&f, RTE_IPV4(10, 0, 0, i), 64, 0);
		l3_fixture_hopped(&f, p->streams[0], true);
		if (i != place)
			engine_fixture_expect(f.bytes, f.n);
	}
	if (counter_read(named) != before + 1 ||
		counter_read(&p->streams[0]->count.absorbed) != all + 1)
		fail_msg("%s at %u: not dropped for its reason", row->what, place);
}

/*
 * Each of them alone among good ones, at every place of a burst: dropped for its reason, the good
 * ones in their order.
 */
static void
dropped(void **state)
{
	struct ring_pipeline *p;

	l3_fixture_route(&ring_fixture_routes, "10.0.0.0/8", FIXTURE_OUT, true);
	l3_fixture_route(&ring_fixture_routes, "2000::/8", FIXTURE_OUT, true);
	p = begin();
	for (unsigned int b = 0; b < ARRAY_SIZE(bad); b++)
		for (unsigned int place = 0; place < 5; place++)
			dropped_one(p, &bad[b], place);
	ring_fixture_end(p);
}

/* What the NIC said of the checksum counts. */
static void
checksum_flags(void **state)
{
	struct ring_pipeline *p;
	struct engine_fixture_frame f;

	l3_fixture_route(&ring_fixture_routes, "10.0.0.0/8", FIXTURE_OUT, true);
	p = begin();
	for (unsigned int good = 0; good < 2; good++) {
		struct rte_mbuf *m;

		l3_fixture_ip4(&f, RTE_IPV4(10, 0, 0, 1), 64, 0);
		f.bytes[f.l3 + 11] ^= good;
		m = engine_fixture_packet(f.bytes, f.n, 0);
		m->ol_flags |= good ? RTE_MBUF_F_RX_IP_CKSUM_GOOD : RTE_MBUF_F_RX_IP_CKSUM_BAD;
		assert_int_equal(rte_eth_tx_burst(FIXTURE_IN, 0, &m, 1), 1);
		ring_fixture_poll(p);
		m = engine_fixture_take();
		assert_int_equal(m != NULL, good);
		rte_pktmbuf_free(m);
	}
	ring_fixture_end(p);
}

static void
refused(void **state)
{
	l3_fixture_route(&ring_fixture_routes, "10.0.0.0/8", 17, false);
	engine_fixture_set("pipeline-stage", "l3fwd");
	assert_null(ring_fixture_begin(1, "port 17, which is not a forwarding port"));
}

/* With marks in 32-bit words. */
static int
compressed(void **state)
{
	ring_fixture_defaults(state);
	engine_fixture_set("pipeline-mode", "compressed");
	return 0;
}

/* With the tables that several processes share. */
static int
shared(void **state)
{
	ring_fixture_processes(state);
	engine_fixture_set("pipeline-processes", "1");
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(longest, ring_fixture_defaults),
		cmocka_unit_test_setup(checksums, ring_fixture_defaults),
		cmocka_unit_test_setup(other_port, ring_fixture_defaults),
		cmocka_unit_test_setup(dropped, ring_fixture_defaults),
		cmocka_unit_test_setup(dropped, compressed),
		cmocka_unit_test_setup(checksum_flags, ring_fixture_defaults),
		cmocka_unit_test_setup(refused, ring_fixture_defaults),
		cmocka_unit_test_setup_teardown(longest, shared, ring_fixture_processes_end),
		cmocka_unit_test_setup_teardown(checksums, shared, ring_fixture_processes_end),
		cmocka_unit_test_setup_teardown(other_port, shared, ring_fixture_processes_end),
		cmocka_unit_test_setup_teardown(dropped, shared, ring_fixture_processes_end),
	};

	return cmocka_run_group_tests(tests, ring_fixture_open, engine_fixture_close);
}
