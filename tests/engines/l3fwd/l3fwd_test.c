/* The engine l3fwd: where packets go, what waits and how long, routes that change, reasons to drop. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "engines/l3fwd/l3fwd_poll.h"
#include "fixtures/l3_fixture.h"
#include "route/routes.h"

#include <rte_cycles.h>

#include <netinet/in.h>
#include <stdlib.h>

extern const struct engine engine_l3fwd;

static struct routes routes;
static struct stream *streams[2];
static void *config;
static struct out *out;

static int
open_all(void **state)
{
	const struct engine_env env = { .routes = &routes, .out = out = out_open(stderr, stderr) };
	struct err e = { 0 };

	engine_fixture_open(state);
	config = calloc(1, engine_l3fwd.config_size);
	assert_non_null(config);
	assert_int_equal(engine_l3fwd.open(config, &env, &e), 0);
	return settings_add(engine_fixture_settings, &engine_l3fwd.settings, &e);
}

static int
close_all(void **state)
{
	free(config);
	out_close(out);
	return engine_fixture_close(state);
}

static int
defaults(void **state)
{
	for (size_t i = 0; i < engine_l3fwd.settings.n; i++)
		engine_fixture_reset(engine_l3fwd.settings.rows[i].name);
	routes_clear(&routes);
	return 0;
}

/* Streams 0: FIXTURE_IN to FIXTURE_OUT, 1: back; n of them, all of the test's lcore. */
static int
streams_begin(unsigned int n, struct err *e)
{
	int ret = 0;

	for (unsigned int i = 0; i < n; i++) {
		struct stream *s = streams[i] = engine_fixture_stream(&engine_l3fwd);

		s->siblings = streams;
		s->n_siblings = n;
		s->index = i;
		s->config = config;
		if (i == 1) {
			s->rx_port = FIXTURE_OUT;
			s->tx_port = s->tx_end.port = FIXTURE_IN;
			s->tx_end.mac.addr_bytes[5] = 0xcc;
			s->tx_end.peer.addr_bytes[5] = 0xdd;
		}
	}
	for (unsigned int i = 0; i < n && ret == 0; i++)
		ret = engine_l3fwd.init(streams[i], e);
	return ret != 0 ? ret : engine_l3fwd.apply(streams, n, config, false, e);
}

static void
begin(unsigned int n)
{
	struct err e = { 0 };

	streams_begin(n, &e);
	assert_string_equal(e.text, "");
}

static void
end(void)
{
	engine_fixture_end_all(streams, streams[0]->n_siblings);
}

/* As the run does it: one poll of the lcore, and no longer. */
static void
poll_once(void)
{
	static const atomic_bool stop = true;

	engine_l3fwd.loop(streams, streams[0]->n_siblings, &stop);
}

static uint64_t
named(unsigned int stream, unsigned int which)
{
	return counter_read(&streams[stream]->count.named[which]);
}

/* Every hop limit, both families, in one segment and across several; every lookup of prefixes. */
TEST(rewritten)
{
	static const char *const lookups[] = { "fib", "lpm" };
	struct engine_fixture_frame f, w;

	l3_fixture_route(&routes, "0.0.0.0/0", FIXTURE_OUT, true);
	l3_fixture_route(&routes, "10.1.0.0/16", FIXTURE_OUT, false);
	l3_fixture_route(&routes, "2000::/8", FIXTURE_OUT, false);
	for (unsigned int k = 0; k < ARRAY_SIZE(lookups); k++) {
		engine_fixture_set("l3fwd-lookup", lookups[k]);
		begin(1);
		for (unsigned int ttl = 2; ttl <= 255; ttl++) {
			const bool v6 = ttl % 5 == 0;
			const uint32_t to = RTE_IPV4(ttl % 7 == 0 ? 10 : ttl, 1, 7 * ttl, ttl);

			if (v6)
				l3_fixture_ip6(&f, 0x20, 1, (uint8_t)ttl);
			else
				l3_fixture_ip4(&f, to, (uint8_t)ttl, ttl % 3 == 0 ? 8 : 0);
			w = f;
			l3_fixture_hopped(&w, streams[0], !v6 && to >> 16 != RTE_IPV4(0, 0, 10, 1));
			engine_fixture_put(f.bytes, f.n, ttl % 11 == 0 ? 13 : 0);
			poll_once();
			engine_fixture_expect(w.bytes, w.n);
		}
		end();
	}
}

/* Every checksum that a header can have before the hop, 0xfeff and its neighbours among them. */
TEST(checksums)
{
	struct engine_fixture_frame f, w;

	l3_fixture_route(&routes, "0.0.0.0/0", FIXTURE_OUT, false);
	begin(1);
	for (unsigned int to = 0; to <= UINT16_MAX; to++) {
		l3_fixture_ip4(&f, RTE_IPV4(10, 0, 0, 0) | to, 64, 0);
		w = f;
		l3_fixture_hopped(&w, streams[0], false);
		engine_fixture_put(f.bytes, f.n, 0);
		poll_once();
		engine_fixture_expect(w.bytes, w.n);
	}
	end();
}

/* Packets for the other port: absorbed by who received them, made by whose queue it is. */
TEST(other_port)
{
	struct engine_fixture_frame f, w;
	struct l3fwd_stream *st;
	struct rte_mbuf *m;

	l3_fixture_route(&routes, "10.0.0.0/8", FIXTURE_IN, false);
	l3_fixture_route(&routes, "11.0.0.0/8", FIXTURE_OUT, false);
	begin(2);
	l3_fixture_ip4(&f, RTE_IPV4(11, 0, 0, 1), 9, 0);
	engine_fixture_put(f.bytes, f.n, 0);
	w = f;
	l3_fixture_hopped(&w, streams[0], false);
	l3_fixture_ip4(&f, RTE_IPV4(10, 0, 0, 1), 9, 0);
	engine_fixture_put(f.bytes, f.n, 0);
	engine_fixture_put(f.bytes, f.n, 0);
	l3_fixture_hopped(&f, streams[1], false);
	poll_once();
	engine_fixture_expect(w.bytes, w.n);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(rte_eth_rx_burst(FIXTURE_IN, 0, &m, 1), 1);
		assert_memory_equal(rte_pktmbuf_mtod(m, uint8_t *), f.bytes, f.n);
		rte_pktmbuf_free(m);
	}
	assert_int_equal(streams[0]->count.rx, 3);
	assert_int_equal(streams[0]->count.tx, 1);
	assert_int_equal(streams[1]->count.tx, 2);
	assert_int_equal(named(0, L3FWD_ROUTED_OUT), 2);
	assert_int_equal(named(1, L3FWD_ROUTED_IN), 2);
	st = streams[0]->state;
	assert_int_equal(st->sent_by[0], 1);
	assert_int_equal(st->sent_by[1], 2);
	end();
}

/* Five-tuples: each word of one counts, those without ports and of fragments have none. */
TEST(exact)
{
	static const char *const known[] = {
		"10.1.2.5 10.9.8.7 1 2 udp",
		"10.1.2.5 10.9.8.7 0 0 udp", /* of fragments */
		"10.1.2.5 10.9.8.7 0 0 1",
		"fe80:: 2001::1 1 2 17",
	};
	static const struct {
		uint8_t proto, place, value; /* a byte of layer 4 or 3 that is another one */
		bool found;
	} rows[] = {
		{ IPPROTO_UDP, 21, 1, true }, { IPPROTO_UDP, 21, 3, false },
		{ IPPROTO_UDP, 23, 3, false }, { IPPROTO_UDP, 15, 6, false },
		{ IPPROTO_UDP, 19, 6, false }, { IPPROTO_TCP, 21, 1, false },
		{ IPPROTO_ICMP, 21, 9, true },
		{ IPPROTO_UDP, 7, 8, true }, /* a later fragment: what it has there is payload */
	};
	struct engine_fixture_frame f, w;
	uint64_t lost = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(known); i++)
		l3_fixture_route(&routes, known[i], FIXTURE_OUT, false);
	l3_fixture_route(&routes, "0.0.0.0/0", FIXTURE_OUT, true); /* which is not looked at */
	engine_fixture_set("l3fwd-lookup", "em");
	begin(1);
	for (unsigned int r = 0; r < ARRAY_SIZE(rows); r++)
		for (unsigned int cut = 0; cut < 14; cut += 13) {
			uint8_t *p;
			uint16_t sum;

			engine_fixture_ether(&f, NULL, RTE_ETHER_TYPE_IPV4);
			engine_fixture_ip4(&f, rows[r].proto, 0, 30);
			p = f.bytes + f.l3;
			memcpy(p + 20, (uint8_t[]){ 0, 1, 0, 2 }, 4);
			p[rows[r].place] = rows[r].value;
			p[10] = p[11] = 0;
			sum = (uint16_t)~rte_raw_cksum(p, 20);
			memcpy(p + 10, &sum, sizeof(sum));
			w = f;
			l3_fixture_hopped(&w, streams[0], false);
			engine_fixture_put(f.bytes, f.n, cut);
			poll_once();
			if (rows[r].found)
				engine_fixture_expect(w.bytes, w.n);
			lost += !rows[r].found;
			assert_int_equal(named(0, L3FWD_NO_ROUTE), lost);
		}
	for (unsigned int port = 2; port < 4; port++) {
		l3_fixture_ip6(&f, 0x20, 1, 64);
		memcpy(f.bytes + f.l3 + 40, (uint8_t[]){ 0, 1, 0, (uint8_t)port }, 4);
		w = f;
		l3_fixture_hopped(&w, streams[0], false);
		engine_fixture_put(f.bytes, f.n, 0);
		poll_once();
		if (port == 2)
			engine_fixture_expect(w.bytes, w.n);
	}
	assert_int_equal(named(0, L3FWD_NO_ROUTE), lost + 1);
	end();
}

/* Random five-tuples among random routes, against a search through all. */
TEST(exact_random)
{
	enum { FLOWS = 500, BYTES = 3 };
	struct l3_tables t;
	struct err e = { 0 };

	for (unsigned int i = 0; i < FLOWS; i++) {
		struct route r = { .flow = true,
			.v6 = random() & 1,
			.proto = 17,
			.port = (uint16_t)i };

		r.depth = r.v6 ? 128 : 32;
		r.addr[1] = (uint8_t)(random() % BYTES);
		r.addr[r.v6 ? 15 : 3] = (uint8_t)(random() % BYTES);
		r.src[0] = (uint8_t)(random() % BYTES);
		r.src[r.v6 ? 9 : 2] = (uint8_t)(random() % BYTES);
		r.sport = (uint16_t)(random() % BYTES);
		r.dport = (uint16_t)(random() % BYTES * 256);
		assert_int_equal(routes_add(&routes, &r, &e), 0);
	}
	assert_int_equal(l3_tables_make(&t, &routes, L3_EXACT, SOCKET_ID_ANY, &e), 0);
	for (unsigned int n = 1; n <= BURST_MAX; n += 73)
		for (unsigned int v6 = 0; v6 < 2; v6++) {
			struct l3_flow4 flow4[BURST_MAX] = { 0 };
			struct l3_flow6 flow6[BURST_MAX] = { 0 };
			int expected[BURST_MAX];
			uint64_t hops[BURST_MAX];

			for (unsigned int i = 0; i < n; i++) {
				struct route r = { .flow = true,
					.v6 = v6,
					.proto = 17,
					.depth = v6 ? 128 : 32 };

				r.addr[1] = flow4[i].dst[1] = flow6[i].dst[1] =
					(uint8_t)(random() % BYTES);
				r.src[0] = flow4[i].src[0] = flow6[i].src[0] =
					(uint8_t)(random() % BYTES);
				r.sport = (uint16_t)(random() % BYTES);
				flow4[i].sport = flow6[i].sport = rte_cpu_to_be_16(r.sport);
				flow4[i].proto = flow6[i].proto = 17;
				expected[i] = -1;
				for (unsigned int k = 0; k < routes.n; k++) {
					const struct route *q = &routes.route[k];

					if (q->v6 == v6 && q->sport == r.sport && q->dport == 0 &&
						memcmp(q->addr, r.addr, 16) == 0 &&
						memcmp(q->src, r.src, 16) == 0)
						expected[i] = q->port;
				}
			}
			if (v6)
				l3_exact_v6(&t.exact, flow6, hops, n);
			else
				l3_exact_v4(&t.exact, flow4, hops, n);
			for (unsigned int i = 0; i < n; i++)
				assert_int_equal(hops[i] > 0 ? t.hop[hops[i] - 1].port : -1,
					expected[i]);
		}
	l3_tables_free(&t);
}

/* A packet that is dropped, and the counter that says why. */
static const struct bad {
	unsigned int counter, version; /* version: 0: ARP */
	uint8_t to, ttl;               /* first byte of the address */
	unsigned int n;                /* bytes of it; 0: all */
	unsigned int at; /* a byte of layer 3, in which the bits of changed are others */
	uint8_t changed;
} bad[] = {
	{ L3FWD_NO_ROUTE, 4, 11, 64 }, { L3FWD_NO_ROUTE, 6, 0x30, 64 },
	{ L3FWD_NO_TX_QUEUE, 4, 12, 64 }, { L3FWD_EXPIRED, 4, 10, 1 },
	{ L3FWD_EXPIRED, 6, 0x20, 1 }, { L3FWD_MALFORMED, 0 },
	{ L3FWD_MALFORMED, 4, 10, 64, 14 + 19 }, { L3FWD_MALFORMED, 4, 10, 64, 13 },
	{ L3FWD_MALFORMED, 4, 10, 64, 14 + 20 + 29 },
	{ L3FWD_MALFORMED, 4, 10, 64, 0, 0, 1 },  /* a header of 16 bytes */
	{ L3FWD_MALFORMED, 4, 10, 64, 0, 11, 1 }, /* checksum */
	{ L3FWD_MALFORMED, 6, 0x20, 64, 0, 0, 0x20 },
	{ L3FWD_MALFORMED, 6, 0x20, 64, 0, 5, 1 }, /* longer than the frame */
};

static void
put_bad(const struct bad *b)
{
	struct engine_fixture_frame f;

	if (b->version == 4) {
		l3_fixture_ip4(&f, RTE_IPV4(b->to, 0, 0, 1), b->ttl, 0);
	} else if (b->version == 6) {
		l3_fixture_ip6(&f, b->to, 1, b->ttl);
	} else {
		engine_fixture_ether(&f, NULL, RTE_ETHER_TYPE_ARP);
		engine_fixture_add(&f, NULL, 46);
	}
	f.bytes[f.l3 + b->at] ^= b->changed;
	engine_fixture_put(f.bytes, b->n != 0 ? b->n : f.n, 0);
}

/* Each of them alone among good ones, at every place of a burst; the good ones in their order. */
TEST(dropped)
{
	l3_fixture_route(&routes, "10.0.0.0/8", FIXTURE_OUT, true);
	l3_fixture_route(&routes, "12.0.0.0/8", FIXTURE_IN, true);
	l3_fixture_route(&routes, "2000::/8", FIXTURE_OUT, true);
	begin(2);
	/* As if port FIXTURE_IN were another lcore's. */
	((struct l3fwd_stream *)streams[0]->state)->way[FIXTURE_IN] = 2;
	for (unsigned int b = 0; b < ARRAY_SIZE(bad); b++)
		for (unsigned int place = 0; place < 5; place++) {
			uint64_t before = named(0, bad[b].counter),
				 all = counter_read(&streams[0]->count.absorbed);
			struct engine_fixture_frame f, w;

			for (unsigned int i = 0; i < 5; i++) {
				l3_fixture_ip4(&f, RTE_IPV4(10, 0, 0, i), 64, 0);
				if (i == place)
					put_bad(&bad[b]);
				else
					engine_fixture_put(f.bytes, f.n, 0);
			}
			poll_once();
			for (unsigned int i = 0; i < 5; i++) {
				l3_fixture_ip4(&w, RTE_IPV4(10, 0, 0, i), 64, 0);
				l3_fixture_hopped(&w, streams[0], true);
				if (i != place)
					engine_fixture_expect(w.bytes, w.n);
			}
			assert_int_equal(named(0, bad[b].counter), before + 1);
			assert_int_equal(counter_read(&streams[0]->count.absorbed), all + 1);
		}
	end();
}

/* Packets to a port, i the number of the first; and those that came out of it, in order. */
static void
put_numbered(unsigned int first, unsigned int n)
{
	struct engine_fixture_frame f;

	for (unsigned int i = first; i < first + n; i++) {
		l3_fixture_ip4(&f, RTE_IPV4(10, 0, i >> 8, i), 64, 0);
		engine_fixture_put(f.bytes, f.n, 0);
	}
}

static unsigned int
take_numbered(unsigned int first)
{
	struct rte_mbuf *m;
	unsigned int i;

	for (i = first; (m = engine_fixture_take()) != NULL; i++) {
		const uint8_t *p = rte_pktmbuf_mtod(m, uint8_t *) + 14;

		assert_int_equal(p[18] << 8 | p[19], i);
		rte_pktmbuf_free(m);
	}
	return i;
}

/* Take what came and route it, as the loop does between two looks at the clock. */
static void
receive(void)
{
	struct l3fwd_stream *st = streams[0]->state;
	struct rte_mbuf *pkts[BURST_MAX];
	uint16_t n = stream_rx(streams[0], pkts, streams[0]->burst);

	st->lcore->paths = atomic_load(&st->lcore->run->paths);
	if (n > 0)
		l3fwd_poll_prefix(streams[0], pkts, n);
}

/* Few packets wait, a burst does not, and what waits goes first; past the time all of it goes. */
TEST(gathered)
{
	struct l3fwd_lcore *l;

	l3_fixture_route(&routes, "10.0.0.0/8", FIXTURE_OUT, true);
	engine_fixture_set("l3fwd-drain", "1000");
	begin(1);
	l = ((struct l3fwd_stream *)streams[0]->state)->lcore;
	assert_int_equal(l->drain_tsc, rte_get_tsc_hz() / 1000);
	put_numbered(0, 3);
	receive();
	assert_int_equal(take_numbered(0), 0);
	assert_true(l->waiting);
	put_numbered(3, 32);
	receive();
	assert_int_equal(take_numbered(0), 35);
	put_numbered(35, 16); /* half a burst behind nothing */
	receive();
	assert_int_equal(take_numbered(35), 51);
	put_numbered(51, 15);
	receive();
	assert_int_equal(take_numbered(51), 51);
	l3fwd_poll_drain(l, l->since + l->drain_tsc - 1);
	assert_int_equal(take_numbered(51), 51);
	l3fwd_poll_drain(l, l->since + l->drain_tsc);
	assert_int_equal(take_numbered(51), 66);
	assert_false(l->waiting);
	/* What waits at the stop goes, too. */
	put_numbered(66, 5);
	receive();
	poll_once();
	assert_int_equal(take_numbered(66), 71);
	/* And what no poll follows is counted. */
	put_numbered(71, 4);
	receive();
	end();
}

TEST(at_once)
{
	l3_fixture_route(&routes, "10.0.0.0/8", FIXTURE_OUT, true);
	engine_fixture_set("l3fwd-drain", "0");
	begin(1);
	for (unsigned int i = 0; i < 40; i++) {
		put_numbered(3 * i, 3);
		receive();
		assert_int_equal(take_numbered(3 * i), 3 * i + 3);
	}
	end();
}

/* Routes change between two bursts: at once, or not at all. */
TEST(changed)
{
	struct err e = { 0 };
	struct rte_mbuf *m;

	l3_fixture_route(&routes, "10.0.0.0/8", FIXTURE_OUT, true);
	begin(2);
	put_numbered(0, 2);
	poll_once();
	assert_int_equal(take_numbered(0), 2);
	l3_fixture_route(&routes, "10.0.0.0/8", FIXTURE_IN, true);
	assert_int_equal(engine_l3fwd.apply(streams, 2, config, true, &e), 0);
	put_numbered(2, 2);
	poll_once();
	assert_null(engine_fixture_take());
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(rte_eth_rx_burst(FIXTURE_IN, 0, &m, 1), 1);
		rte_pktmbuf_free(m);
	}
	l3_fixture_route(&routes, "11.0.0.0/8", 17, true);
	assert_int_equal(engine_l3fwd.apply(streams, 2, config, true, &e), -ENODEV);
	assert_non_null(strstr(e.text, "port 17, which is not a forwarding port"));
	put_numbered(2, 2);
	poll_once();
	assert_int_equal(named(0, L3FWD_ROUTED_OUT), 4);
	end();
}

/* One line, and nothing left behind. */
TEST(refused)
{
	struct err e = { 0 };

	l3_fixture_route(&routes, "10.0.0.0/8", 17, false);
	assert_int_equal(streams_begin(2, &e), -ENODEV);
	assert_non_null(strstr(e.text, "port 17, which is not a forwarding port"));
	end();
	routes_clear(&routes);
	for (unsigned int i = 0; i < 400000; i++) {
		struct route r = { .depth = 32, .addr = { 9 } };

		memcpy(r.addr + 1, &i, 3);
		if (i == 0)
			routes.route = malloc(400000 * sizeof(r));
		routes.route[i] = r;
	}
	routes.n = routes.room = 400000;
	assert_true(streams_begin(2, &e) < 0);
	assert_non_null(strstr(e.text, "cannot create tables for 400000 routes"));
	end();
	engine_fixture_set("l3fwd-lookup", "lpm");
	assert_int_equal(streams_begin(2, &e), -E2BIG);
	assert_non_null(strstr(e.text, "at most 65536 IPv4 prefixes"));
	end();
}

TESTS(.setup = open_all, .teardown = close_all, .before = defaults);
