/* Forwarding tables, for one process and for several, against a search through all routes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/l3/l3_tables.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/engine_fixture.h"
#include "route/routes.h"

#include <rte_byteorder.h>

#include <stdlib.h>

enum { ROUTES = 200, ADDRESSES = 4000 };

static struct routes routes;

/* Bits of an address by its number; few different ones, so that prefixes lie within others. */
static void
address(uint8_t *addr, bool v6)
{
	static const uint8_t few[] = { 0, 1, 0x7f, 0x80, 0xfe, 0xff };

	for (unsigned int i = 0; i < 16; i++)
		addr[i] = v6 || i < 4 ? few[(unsigned int)random() % sizeof(few)] : 0;
}

static void
routes_make(bool v6, bool all)
{
	struct err e = { 0 };

	routes_clear(&routes);
	for (unsigned int i = 0; i < ROUTES; i++) {
		struct route r = { .v6 = v6, .port = (uint16_t)(i % 7) };
		unsigned int most = v6 ? 128 : 32;

		r.depth = (uint8_t)((unsigned int)random() % most + 1);
		address(r.addr, v6);
		for (unsigned int bit = r.depth; bit < 128; bit++)
			r.addr[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
		assert_int_equal(routes_add(&routes, &r, &e), 0);
	}
	if (all) {
		struct route r = { .v6 = v6, .port = 9 };

		assert_int_equal(routes_add(&routes, &r, &e), 0);
	}
}

static bool
covers(const struct route *r, const uint8_t *addr)
{
	for (unsigned int bit = 0; bit < r->depth; bit++)
		if ((r->addr[bit / 8] ^ addr[bit / 8]) & (0x80 >> bit % 8))
			return false;
	return true;
}

/* The port of the longest prefix, -1: none. */
static int
expected(const uint8_t *addr)
{
	const struct route *best = NULL;

	for (unsigned int i = 0; i < routes.n; i++)
		if (covers(&routes.route[i], addr) &&
			(best == NULL || routes.route[i].depth > best->depth))
			best = &routes.route[i];
	return best != NULL ? best->port : -1;
}

static void
tables_compare(const struct l3_tables *t, bool v6)
{
	unsigned int n = 1 + (unsigned int)random() % BURST_MAX;
	uint64_t hops[BURST_MAX];
	uint32_t addr4[BURST_MAX];
	uint8_t addr[BURST_MAX][16];

	for (unsigned int i = 0; i < n; i++) {
		address(addr[i], v6);
		memcpy(&addr4[i], addr[i], 4);
		addr4[i] = rte_be_to_cpu_32(addr4[i]);
	}
	if (v6)
		l3_tables_v6(t, addr, hops, n);
	else
		l3_tables_v4(t, addr4, hops, n);
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(hops[i] > 0 ? t->hop[hops[i] - 1].port : -1, expected(addr[i]));
}

/* Each family, without and with a route for all that is left, by each kind of tables. */
TEST(longest)
{
	static const enum l3_lookup lookups[] = { L3_FIB, L3_LPM, L3_SHARED };

	for (unsigned int kind = 0; kind < 4 * ARRAY_SIZE(lookups); kind++) {
		bool v6 = kind & 1, all = kind & 2;
		struct l3_tables t;
		struct err e = { 0 };

		routes_make(v6, all);
		assert_int_equal(l3_tables_make(&t, &routes, lookups[kind / 4], SOCKET_ID_ANY, &e),
			0);
		for (unsigned int i = 0; i < ADDRESSES / 100; i++)
			tables_compare(&t, v6);
		/* Of the other family there is nothing. */
		routes_clear(&routes);
		tables_compare(&t, !v6);
		l3_tables_free(&t);
	}
}

/* A next hop is a port and an address: two addresses behind one port stay apart, equal ones are one. */
TEST(next_hops)
{
	static const struct {
		uint8_t net, port, mac; /* mac 0: the route names no address */
		unsigned int hop;       /* the number of its next hop */
	} rows[] = {
		{ 10, 1, 5, 1 },
		{ 11, 1, 6, 2 },
		{ 12, 1, 5, 1 },
		{ 13, 1, 0, 3 },
		{ 14, 2, 5, 4 },
		{ 15, 2, 0, 5 },
		{ 16, 1, 0, 3 },
	};
	static const enum l3_lookup lookups[] = { L3_FIB, L3_LPM, L3_SHARED };

	for (unsigned int kind = 0; kind < ARRAY_SIZE(lookups); kind++) {
		uint32_t addr[ARRAY_SIZE(rows)];
		uint64_t hops[ARRAY_SIZE(rows)];
		struct l3_tables t;
		struct err e = { 0 };

		routes_clear(&routes);
		for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
			struct route r = { .depth = 8,
				.addr = { rows[i].net },
				.port = rows[i].port,
				.has_mac = rows[i].mac != 0,
				.mac = { { 2, 0, 0, 0, 0, rows[i].mac } } };

			if (!r.has_mac)
				memset(&r.mac, 0, sizeof(r.mac));
			assert_int_equal(routes_add(&routes, &r, &e), 0);
			addr[i] = RTE_IPV4(rows[i].net, 1, 2, 3);
		}
		assert_int_equal(l3_tables_make(&t, &routes, lookups[kind], SOCKET_ID_ANY, &e), 0);
		assert_int_equal(t.n_hops, 5);
		l3_tables_v4(&t, addr, hops, ARRAY_SIZE(rows));
		for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
			const struct l3_hop *hop = &t.hop[hops[i] - 1];

			assert_int_equal(hop->port, rows[i].port);
			assert_int_equal(hop->has_mac, rows[i].mac != 0);
			assert_int_equal(hop->mac.addr_bytes[5], rows[i].mac);
			for (unsigned int j = 0; j < i; j++)
				assert_int_equal(hops[i] == hops[j], rows[i].hop == rows[j].hop);
		}
		l3_tables_free(&t);
	}
	routes_clear(&routes);
}

/* No room for tables: said, and nothing left behind. */
TEST(refused)
{
	struct l3_tables t;

	for (unsigned int shared = 0; shared < 2; shared++) {
		const enum l3_lookup lookup = shared ? L3_SHARED : L3_FIB;
		struct err e = { 0 };

		routes_make(false, false);
		/* So that the memory for it is not there. */
		for (unsigned int i = 0; i < routes.n; i++)
			routes.route[i].depth = 32;
		for (unsigned int more = 0; more < 300000; more++) {
			struct route r = { .depth = 32, .addr = { 9 } };

			memcpy(r.addr + 1, &more, 3);
			if (routes.n == routes.room)
				routes.route =
					realloc(routes.route, (routes.room *= 2) * sizeof(r));
			routes.route[routes.n++] = r;
		}
		assert_int_not_equal(l3_tables_make(&t, &routes, lookup, SOCKET_ID_ANY, &e), 0);
		assert_non_null(strstr(e.text, "cannot create tables for 300"));
		assert_null(t.hop);
	}
	routes_clear(&routes);
}

TESTS(.setup = engine_fixture_open, .teardown = engine_fixture_close);
