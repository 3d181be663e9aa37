/* Creates forwarding tables from routes: with rte_fib, sized for the routes; the other kinds are in
 * files of their own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/l3/l3_tables.h"

#include "base/err.h"
#include "engines/common/l3/l3_name.h"
#include "route/routes.h"

#include <rte_common.h>
#include <rte_errno.h>
#include <rte_fib.h>
#include <rte_fib6.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
