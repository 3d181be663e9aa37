/* Creates forwarding tables from routes (rte_fib, rte_lpm, rte_lpm6, exact match), sized for the routes, and the way to each next hop. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/l3/l3_tables.h"

#include "base/err.h"
#include "base/out.h"
#include "engines/common/pkt.h"
#include "route/routes.h"
#include "stream/stream.h"

#include <rte_byteorder.h>
#include <rte_common.h>
#include <rte_errno.h>
#include <rte_fib.h>
#include <rte_fib6.h>
#include <rte_hash.h>
#include <rte_hash_crc.h>
#include <rte_lpm.h>
#include <rte_lpm6.h>
#include <rte_malloc.h>

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Unique names for DPDK's tables: while routes are replaced, old and new tables exist. */

#define L3_NAME 24 /* bytes; rte_hash derives names of up to 28 bytes from it */

/* Write to name the name of the table for IPv4 or IPv6 (family: 4, 6) of the object at of. */
static const char *
l3_name(char name[L3_NAME], unsigned int family, const void *of)
{
	snprintf(name, L3_NAME, "l3_%u_%" PRIxPTR, family, (uintptr_t)of);
	return name;
}

/* Exact-match tables of five-tuples with rte_hash; the data of a key is the number of its hop. */

enum { ENTRIES_MIN = 8 };
static void l3_exact_free(struct l3_exact *x);
static void l3_lpm6_free(struct l3_lpm6 *l);

/* minimum of rte_hash */

static struct rte_hash *
family_make(const struct l3_exact *x, const struct routes *rs, bool v6, int socket)
{
	char name[L3_NAME];
	struct rte_hash_parameters p = { .name = l3_name(name, v6 ? 6 : 4, x),
		.key_len = v6 ? sizeof(struct l3_flow6) : sizeof(struct l3_flow4),
		.hash_func = rte_hash_crc,
		.socket_id = socket,
		/* Keys can be added even if both their buckets are full. */
		.extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE };

	for (unsigned int i = 0; i < rs->n; i++)
		p.entries += rs->route[i].flow && rs->route[i].v6 == v6;
	rte_errno = 0;
	if (p.entries == 0)
		return NULL;
	p.entries = RTE_MAX(p.entries, (uint32_t)ENTRIES_MIN);
	return rte_hash_create(&p);
}

/*
 * Create empty tables for the five-tuples in routes, on a socket. Errors: those of
 * rte_hash_create(); then nothing remains allocated. Thread: control.
 */
static int
l3_exact_make(struct l3_exact *x, const struct routes *rs, int socket)
{
	int ret;

	memset(x, 0, sizeof(*x));
	x->v4 = family_make(x, rs, false, socket);
	if (x->v4 == NULL && rte_errno != 0)
		return -rte_errno;
	x->v6 = family_make(x, rs, true, socket);
	if (x->v6 != NULL || rte_errno == 0)
		return 0;
	ret = -rte_errno;
	l3_exact_free(x);
	return ret;
}

static void
l3_exact_free(struct l3_exact *x)
{
	rte_hash_free(x->v4);
	rte_hash_free(x->v6);
	memset(x, 0, sizeof(*x));
}

/* Add a five-tuple with its hop, 1 or more. Errors: those of rte_hash_add_key_data(). */
static int
l3_exact_add(struct l3_exact *x, const struct route *r, uint32_t hop)
{
	const rte_be16_t sport = rte_cpu_to_be_16(r->sport), dport = rte_cpu_to_be_16(r->dport);
	struct l3_flow4 flow4 = { .sport = sport, .dport = dport, .proto = r->proto };
	struct l3_flow6 flow6 = { .sport = sport, .dport = dport, .proto = r->proto };
	void *data = (void *)(uintptr_t)hop;

	if (r->v6) {
		memcpy(flow6.src, r->src, sizeof(flow6.src));
		memcpy(flow6.dst, r->addr, sizeof(flow6.dst));
		return rte_hash_add_key_data(x->v6, &flow6, data);
	}
	memcpy(flow4.src, r->src, sizeof(flow4.src));
	memcpy(flow4.dst, r->addr, sizeof(flow4.dst));
	return rte_hash_add_key_data(x->v4, &flow4, data);
}

/* Look up n keys of the given size. */
static __rte_always_inline void
lookup(const struct rte_hash *table, const void *flows, size_t bytes, uint64_t *hops,
	unsigned int n)
{
	const void *key[RTE_HASH_LOOKUP_BULK_MAX];
	void *data[RTE_HASH_LOOKUP_BULK_MAX];

	for (unsigned int at = 0; at < n; at += RTE_DIM(key)) {
		const unsigned int some = RTE_MIN(n - at, (unsigned int)RTE_DIM(key));
		uint64_t hits = 0;

		for (unsigned int i = 0; i < some; i++)
			key[i] = (const uint8_t *)flows + (at + i) * bytes;
		if (table != NULL)
			rte_hash_lookup_bulk_data(table, key, some, &hits, data);
		for (unsigned int i = 0; i < some; i++)
			hops[at + i] = (hits >> i & 1) != 0 ? (uintptr_t)data[i] : 0;
	}
}

void
l3_exact_v4(const struct l3_exact *x, const struct l3_flow4 *flows, uint64_t *hops, unsigned int n)
{
	lookup(x->v4, flows, sizeof(*flows), hops, n);
}

void
l3_exact_v6(const struct l3_exact *x, const struct l3_flow6 *flows, uint64_t *hops, unsigned int n)
{
	lookup(x->v6, flows, sizeof(*flows), hops, n);
}

/* IPv4 forwarding tables with rte_lpm. It does not accept a default route, which is kept apart. */

enum {
	TOP_BITS = 24,       /* address bits that index the first table */
	HOP_BITS = 0xffffff, /* the hop in a result; the other bits are flags */
};

/*
 * Create an empty table for the prefixes in routes, on a socket. Errors: E2BIG, those of
 * rte_lpm_create(); then nothing remains allocated. Thread: control.
 */
static int
l3_lpm_make(struct l3_lpm *l, const struct routes *rs, int socket)
{
	struct rte_lpm_config c = { .number_tbl8s = 1 };
	char name[L3_NAME];

	memset(l, 0, sizeof(*l));
	for (unsigned int i = 0; i < rs->n; i++) {
		const struct route *r = &rs->route[i];

		if (r->flow || r->v6 || r->depth == 0)
			continue;
		c.max_rules++;
		c.number_tbl8s += r->depth > TOP_BITS;
	}
	if (c.max_rules > L3_LPM_MAX)
		return -E2BIG;
	if (c.max_rules == 0)
		return 0;
	l->v4 = rte_lpm_create(l3_name(name, 4, l), socket, &c);
	return l->v4 != NULL ? 0 : -rte_errno;
}

static void
l3_lpm_free(struct l3_lpm *l)
{
	rte_lpm_free(l->v4);
	memset(l, 0, sizeof(*l));
}

/* Add a prefix with its hop, 1 or more. Errors: those of rte_lpm_add(). Thread: control. */
static int
l3_lpm_add(struct l3_lpm *l, const struct route *r, uint32_t hop)
{
	rte_be32_t addr;

	if (r->depth == 0) {
		l->rest = hop;
		return 0;
	}
	memcpy(&addr, r->addr, sizeof(addr));
	return rte_lpm_add(l->v4, rte_be_to_cpu_32(addr), r->depth, hop);
}

/*
 * Look up n addresses in host order and set hops[i], 0: no route. n: 1..BURST_MAX. Thread: any.
 */
static void
l3_lpm_v4(const struct l3_lpm *l, const uint32_t *addrs, uint64_t *hops, unsigned int n)
{
	uint32_t found[BURST_MAX];

	if (l->v4 == NULL || rte_lpm_lookup_bulk(l->v4, addrs, found, n) != 0)
		memset(found, 0, n * sizeof(*found));
	for (unsigned int i = 0; i < n; i++)
		hops[i] = (found[i] & RTE_LPM_LOOKUP_SUCCESS) != 0 ? found[i] & HOP_BITS : l->rest;
}

/* Forwarding tables with rte_lpm6, which several processes can use. Tables of rte_fib contain the
 * address of a function, which differs between processes. */

enum { LPM6_TOP_BITS = 24 }; /* address bits that index the first table */

/*
 * Create the table for IPv4 or IPv6 routes; NULL if there are none, or on failure, with rte_errno.
 * IPv4 uses the first 32 of 128 bits, at the same lookup cost; in rte_lpm, adding a prefix would
 * take time linear in those of its length.
 */
static struct rte_lpm6 *
lpm6_family_make(const struct l3_lpm6 *l, const struct routes *rs, bool v6, int socket)
{
	char name[L3_NAME];
	struct rte_lpm6_config c = { .number_tbl8s = 1 };

	for (unsigned int i = 0; i < rs->n; i++) {
		const struct route *r = &rs->route[i];

		if (r->flow || r->v6 != v6 || r->depth == 0)
			continue;
		c.max_rules++;
		if (r->depth > LPM6_TOP_BITS)
			c.number_tbl8s += (r->depth - LPM6_TOP_BITS + 7u) / 8;
	}
	rte_errno = 0;
	return c.max_rules > 0 ? rte_lpm6_create(l3_name(name, v6 ? 6 : 4, l), socket, &c) : NULL;
}

/*
 * Create empty tables for the IPv6 prefixes, and with v4 for the IPv4 prefixes, in routes, on a
 * socket. Errors: those of rte_lpm6_create(); then nothing remains allocated. Thread: control.
 */
static int
l3_lpm6_make(struct l3_lpm6 *l, const struct routes *rs, bool v4, int socket)
{
	int ret;

	memset(l, 0, sizeof(*l));
	if (v4) {
		l->v4 = lpm6_family_make(l, rs, false, socket);
		if (l->v4 == NULL && rte_errno != 0)
			return -rte_errno;
	}
	l->v6 = lpm6_family_make(l, rs, true, socket);
	if (l->v6 != NULL || rte_errno == 0)
		return 0;
	ret = -rte_errno;
	l3_lpm6_free(l);
	return ret;
}

static void
l3_lpm6_free(struct l3_lpm6 *l)
{
	rte_lpm6_free(l->v4);
	rte_lpm6_free(l->v6);
	memset(l, 0, sizeof(*l));
}

/* Add a prefix with its hop, 1 or more. Errors: those of rte_lpm6_add(). Thread: control. */
static int
l3_lpm6_add(struct l3_lpm6 *l, const struct route *r, uint32_t hop)
{
	/* void *, because the type depends on the DPDK release; the bits after IPv4 are 0 */
	const void *addr = r->addr;

	if (r->depth == 0) {
		*(r->v6 ? &l->rest6 : &l->rest4) = hop;
		return 0;
	}
	return rte_lpm6_add(r->v6 ? l->v6 : l->v4, addr, r->depth, hop);
}

static void
lpm6_lookup(const struct rte_lpm6 *table, uint32_t rest, uint8_t (*addrs)[16], uint64_t *hops,
	unsigned int n)
{
	void *ips = addrs; /* void *, because the type depends on the DPDK release */
	int32_t found[BURST_MAX];

	if (table == NULL || rte_lpm6_lookup_bulk_func(table, ips, found, n) != 0)
		memset(found, -1, n * sizeof(*found));
	for (unsigned int i = 0; i < n; i++)
		hops[i] = found[i] >= 0 ? (uint64_t)found[i] : rest;
}

/*
 * Look up n addresses, IPv4 in host order, and set hops[i], 0: no route. n: 1..BURST_MAX. Thread:
 * any of any process.
 */
static void
l3_lpm6_v4(const struct l3_lpm6 *l, const uint32_t *addrs, uint64_t *hops, unsigned int n)
{
	uint8_t wide[BURST_MAX][16];

	for (unsigned int i = 0; i < n; i++) {
		rte_be32_t addr = rte_cpu_to_be_32(addrs[i]);

		memcpy(wide[i], &addr, sizeof(addr));
	}
	lpm6_lookup(l->v4, l->rest4, wide, hops, n);
}

static void
l3_lpm6_v6(const struct l3_lpm6 *l, uint8_t (*addrs)[16], uint64_t *hops, unsigned int n)
{
	lpm6_lookup(l->v6, l->rest6, addrs, hops, n);
}

enum { HOPS_MAX = 32000, SMALL_TBL8 = 32000, V6_LEVELS = 13 };

/* The index of the route's hop, which is added if it is new. Returns -1 if there are too many. */
static int
hop_of(struct l3_tables *t, const struct route *r)
{
	const struct l3_hop hop = { r->port, r->has_mac, r->mac };
	unsigned int i;

	for (i = t->n_hops; i-- > 0;)
		if (t->hop[i].port == hop.port && t->hop[i].has_mac == hop.has_mac &&
			rte_is_same_ether_addr(&t->hop[i].mac, &hop.mac))
			return (int)i;
	if (t->n_hops == HOPS_MAX)
		return -1;
	t->hop[t->n_hops] = hop;
	return (int)t->n_hops++;
}

/* The number of IPv4 or IPv6 routes, and in *deep of those longer than 24 bits. */
static unsigned int
routes_of(const struct routes *rs, bool v6, unsigned int *deep)
{
	unsigned int i, n = 0;

	for (i = 0, *deep = 0; i < rs->n; i++) {
		const bool is = !rs->route[i].flow && rs->route[i].v6 == v6;

		n += is;
		*deep += is && rs->route[i].depth > 24;
	}
	return n;
}

static int
fib_make(struct l3_tables *t, const struct routes *rs, int socket)
{
	unsigned int deep, n = routes_of(rs, false, &deep);
	char name[L3_NAME];

	if (n > 0) {
		struct rte_fib_conf c = { .type = RTE_FIB_DIR24_8, .max_routes = (int)n + 1 };

		c.dir24_8.nh_sz = deep < SMALL_TBL8 ? RTE_FIB_DIR24_8_2B : RTE_FIB_DIR24_8_4B;
		c.dir24_8.num_tbl8 = deep + 1;
		t->v4 = rte_fib_create(l3_name(name, 4, t), socket, &c);
		if (t->v4 == NULL)
			return -rte_errno;
	}
	n = routes_of(rs, true, &deep);
	if (n > 0) {
		struct rte_fib6_conf c = { .type = RTE_FIB6_TRIE, .max_routes = (int)n + 1 };
		uint64_t tbl8 = (uint64_t)deep * V6_LEVELS + 1;

		c.trie.nh_sz = tbl8 < SMALL_TBL8 ? RTE_FIB6_TRIE_2B : RTE_FIB6_TRIE_4B;
		c.trie.num_tbl8 = (uint32_t)tbl8;
		t->v6 = rte_fib6_create(l3_name(name, 6, t), socket, &c);
		if (t->v6 == NULL)
			return -rte_errno;
	}
	return 0;
}

static int
fib_add(struct l3_tables *t, const struct route *r, uint64_t hop)
{
	uint32_t addr;
	const void *v6 = r->addr; /* void *, because the type depends on the DPDK release */

	if (r->v6)
		return rte_fib6_add(t->v6, v6, r->depth, hop);
	memcpy(&addr, r->addr, sizeof(addr));
	return rte_fib_add(t->v4, rte_be_to_cpu_32(addr), r->depth, hop);
}

static int
row_add(struct l3_tables *t, const struct route *r, uint64_t hop)
{
	if (t->lookup == L3_FIB)
		return fib_add(t, r, hop);
	if (t->lookup == L3_EXACT)
		return l3_exact_add(&t->exact, r, (uint32_t)hop);
	if (t->lookup == L3_LPM && !r->v6)
		return l3_lpm_add(&t->lpm, r, (uint32_t)hop);
	return l3_lpm6_add(&t->lpm6, r, (uint32_t)hop);
}

/* Create empty tables for the routes. */
static int
kind_make(struct l3_tables *t, const struct routes *rs, int socket)
{
	int ret = 0;

	switch (t->lookup) {
	case L3_FIB: return fib_make(t, rs, socket);
	case L3_EXACT: return l3_exact_make(&t->exact, rs, socket);
	case L3_LPM: ret = l3_lpm_make(&t->lpm, rs, socket); break;
	case L3_SHARED: break;
	}
	return ret != 0 ? ret : l3_lpm6_make(&t->lpm6, rs, t->lookup == L3_SHARED, socket);
}

/*
 * The indexes of the routes, short prefixes first; the caller frees the array. rte_fib 22.11
 * overwrites the whole table if a prefix is added after longer ones that cover all of it up to the
 * last address, such as 0.0.0.0/0 after 0.0.0.0/1 and 128.0.0.0/1.
 */
static unsigned int *
short_first(const struct routes *rs)
{
	unsigned int *order = malloc((rs->n + 1) * sizeof(*order)), begin[130] = { 0 };

	for (unsigned int i = 0; i < rs->n; i++)
		begin[rs->route[i].depth + 1]++;
	for (unsigned int depth = 1; depth < RTE_DIM(begin); depth++)
		begin[depth] += begin[depth - 1];
	for (unsigned int i = 0; order != NULL && i < rs->n; i++)
		order[begin[rs->route[i].depth]++] = i;
	return order;
}

static int
rows_add(struct l3_tables *t, const struct routes *rs, const unsigned int *order, struct err *e)
{
	int ret = 0;

	for (unsigned int i = 0; i < rs->n && ret == 0; i++) {
		const struct route *r = &rs->route[order[i]];
		int hop;

		if (r->flow != (t->lookup == L3_EXACT))
			continue;
		hop = hop_of(t, r);
		if (hop < 0)
			ret = err_set(e, ENOSPC, "l3fwd: more than %u different next hops",
				HOPS_MAX);
		else if ((ret = row_add(t, r, (uint64_t)hop + 1)) != 0)
			err_set(e, -ret, "l3fwd: route %u of %u: %s", order[i] + 1, rs->n,
				strerror(-ret));
	}
	return ret;
}

int
l3_tables_make(struct l3_tables *t, const struct routes *rs, enum l3_lookup lookup, int socket,
	struct err *e)
{
	unsigned int *order = short_first(rs);
	int ret = -ENOMEM;

	memset(t, 0, sizeof(*t));
	t->hop = calloc(RTE_MIN(rs->n, (unsigned int)HOPS_MAX) + 1, sizeof(*t->hop));
	t->lookup = lookup;
	if (t->hop != NULL && order != NULL)
		ret = kind_make(t, rs, socket);
	if (ret == -E2BIG)
		err_set(e, E2BIG,
			"l3fwd: lookup lpm supports at most %u IPv4 prefixes; use lookup fib",
			L3_LPM_MAX);
	else if (ret != 0)
		err_set(e, -ret,
			"l3fwd: cannot create tables for %u routes (%s); IPv4 and IPv6 need about %u MiB each",
			rs->n, strerror(-ret), lookup == L3_FIB ? 32 : 64);
	else
		ret = rows_add(t, rs, order, e);
	free(order);
	if (ret != 0)
		l3_tables_free(t);
	return ret;
}

void
l3_tables_free(struct l3_tables *t)
{
	rte_fib_free(t->v4);
	rte_fib6_free(t->v6);
	l3_lpm_free(&t->lpm);
	l3_lpm6_free(&t->lpm6);
	l3_exact_free(&t->exact);
	free(t->hop);
	memset(t, 0, sizeof(*t));
}

void
l3_tables_v4(const struct l3_tables *t, const uint32_t *addrs, uint64_t *hops, unsigned int n)
{
	if (t->lookup == L3_LPM)
		l3_lpm_v4(&t->lpm, addrs, hops, n);
	else if (t->lookup == L3_SHARED)
		l3_lpm6_v4(&t->lpm6, addrs, hops, n);
	/* The addresses are not written, although the prototype in DPDK 22.11 lacks const. */
	else if (t->v4 == NULL ||
		rte_fib_lookup_bulk(t->v4, (void *)(uintptr_t)addrs, hops, (int)n) != 0)
		memset(hops, 0, n * sizeof(*hops));
}

void
l3_tables_v6(const struct l3_tables *t, uint8_t (*addrs)[16], uint64_t *hops, unsigned int n)
{
	void *ips = addrs; /* void *, because the type depends on the DPDK release */

	if (t->lookup == L3_LPM || t->lookup == L3_SHARED)
		l3_lpm6_v6(&t->lpm6, addrs, hops, n);
	else if (t->v6 == NULL || rte_fib6_lookup_bulk(t->v6, ips, hops, (int)n) != 0)
		memset(hops, 0, n * sizeof(*hops));
}

/* Creates paths: each hop of the tables gets the MAC addresses and flags of its port. */

const struct stream *
l3_paths_way(struct stream *const *streams, unsigned int n, uint16_t port,
	const struct stream *like)
{
	const struct stream *found = NULL;

	if (like != NULL && like->tx_port == port && !like->tx_stopped)
		return like;
	for (unsigned int i = 0; i < n; i++) {
		const struct stream *s = streams[i];

		if (s->tx_port == port && !s->tx_stopped &&
			(found == NULL || (like != NULL && s->tx_queue == like->tx_queue)))
			found = s;
	}
	return found;
}

void
l3_paths_warn(const struct l3_paths *p, const char *engine, struct stream *const *streams,
	unsigned int n, struct out *out)
{
	for (unsigned int first = 0, end = 0; first < n; first = end) {
		const unsigned int lcore = streams[first]->lcore;
		bool warned[RTE_MAX_ETHPORTS] = { false };

		while (end < n && streams[end]->lcore == lcore)
			end++;
		for (unsigned int k = 1; k <= p->tables.n_hops; k++) {
			const uint16_t port = p->next[k].port;

			if (warned[port] ||
				l3_paths_way(streams + first, end - first, port, NULL) != NULL)
				continue;
			warned[port] = true;
			out_warn(out,
				"%s: lcore %u has no Tx queue on port %u and drops packets routed there (no_tx_queue); use as many queues as lcores\n",
				engine, lcore, port);
		}
	}
}

/* Return a stream that transmits to the port, or would if its queue were not stopped. */
static const struct stream *
any_to(struct stream *const *streams, unsigned int n, uint16_t port)
{
	for (unsigned int i = 0; i < n; i++)
		if (streams[i]->tx_port == port)
			return streams[i];
	return NULL;
}

static int
next_fill(struct l3_paths *p, struct stream *const *streams, unsigned int n, struct err *e)
{
	p->next[0].port = L3_NO_PORT;
	for (unsigned int i = 0; i < p->tables.n_hops; i++) {
		const struct l3_hop *hop = &p->tables.hop[i];
		const struct stream *s = any_to(streams, n, hop->port);

		if (s == NULL)
			return err_set(e, ENODEV,
				"l3fwd: a route leads to port %u, which is not a forwarding port",
				hop->port);
		p->next[i + 1] = (struct l3_next){
			.macs = { hop->has_mac ? hop->mac : s->tx_end.peer, s->tx_end.mac },
			.port = hop->port,
			.flags = pkt_tx_flags(&s->tx_end),
			.end = &s->tx_end
		};
	}
	return 0;
}

int
l3_paths_make(struct l3_paths *p, const struct routes *routes, enum l3_lookup lookup,
	struct stream *const *streams, unsigned int n, int socket, struct err *e)
{
	memset(p, 0, sizeof(*p));
	if (l3_tables_make(&p->tables, routes, lookup, socket, e) != 0)
		return -e->code;
	p->next = rte_calloc_socket("l3_next", p->tables.n_hops + 1, sizeof(*p->next), 0, socket);
	if (p->next == NULL)
		err_set(e, ENOMEM, "l3fwd: no memory for %u hops", p->tables.n_hops);
	if (p->next != NULL && next_fill(p, streams, n, e) == 0)
		return 0;
	l3_paths_free(p);
	return -e->code;
}

void
l3_paths_free(struct l3_paths *p)
{
	l3_tables_free(&p->tables);
	rte_free(p->next);
	memset(p, 0, sizeof(*p));
}
