/* Forwarding tables with rte_lpm6, which several processes can use. Tables of rte_fib contain the
 * address of a function, which differs between processes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/l3/l3_lpm6.h"

#include "engines/common/l3/l3_name.h"
#include "route/routes.h"
#include "stream/stream.h"

#include <rte_byteorder.h>
#include <rte_common.h>
#include <rte_errno.h>
#include <rte_lpm6.h>

#include <errno.h>
#include <string.h>

enum { TOP_BITS = 24 }; /* address bits that index the first table */

/*
 * Create the table for IPv4 or IPv6 routes; NULL if there are none, or on failure, with rte_errno.
 * IPv4 uses the first 32 of 128 bits, at the same lookup cost; in rte_lpm, adding a prefix would
 * take time linear in those of its length.
 */
static struct rte_lpm6 *
family_make(const struct l3_lpm6 *l, const struct routes *rs, bool v6, int socket)
{
	char name[L3_NAME];
	struct rte_lpm6_config c = { .number_tbl8s = 1 };

	for (unsigned int i = 0; i < rs->n; i++) {
		const struct route *r = &rs->route[i];

		if (r->flow || r->v6 != v6 || r->depth == 0)
			continue;
		c.max_rules++;
		if (r->depth > TOP_BITS)
			c.number_tbl8s += (r->depth - TOP_BITS + 7u) / 8;
	}
	rte_errno = 0;
	return c.max_rules > 0 ? rte_lpm6_create(l3_name(name, v6 ? 6 : 4, l), socket, &c) : NULL;
}

int
l3_lpm6_make(struct l3_lpm6 *l, const struct routes *rs, bool v4, int socket)
{
	int ret;

	memset(l, 0, sizeof(*l));
	if (v4) {
		l->v4 = family_make(l, rs, false, socket);
		if (l->v4 == NULL && rte_errno != 0)
			return -rte_errno;
	}
	l->v6 = family_make(l, rs, true, socket);
	if (l->v6 != NULL || rte_errno == 0)
		return 0;
	ret = -rte_errno;
	l3_lpm6_free(l);
	return ret;
}

void
l3_lpm6_free(struct l3_lpm6 *l)
{
	rte_lpm6_free(l->v4);
	rte_lpm6_free(l->v6);
	memset(l, 0, sizeof(*l));
}

int
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
lookup(const struct rte_lpm6 *table, uint32_t rest, uint8_t (*addrs)[16], uint64_t *hops,
	unsigned int n)
{
	void *ips = addrs; /* void *, because the type depends on the DPDK release */
	int32_t found[BURST_MAX];

	if (table == NULL || rte_lpm6_lookup_bulk_func(table, ips, found, n) != 0)
		memset(found, -1, n * sizeof(*found));
	for (unsigned int i = 0; i < n; i++)
		hops[i] = found[i] >= 0 ? (uint64_t)found[i] : rest;
}

void
l3_lpm6_v4(const struct l3_lpm6 *l, const uint32_t *addrs, uint64_t *hops, unsigned int n)
{
	uint8_t wide[BURST_MAX][16];

	for (unsigned int i = 0; i < n; i++) {
		rte_be32_t addr = rte_cpu_to_be_32(addrs[i]);

		memcpy(wide[i], &addr, sizeof(addr));
	}
	lookup(l->v4, l->rest4, wide, hops, n);
}

void
l3_lpm6_v6(const struct l3_lpm6 *l, uint8_t (*addrs)[16], uint64_t *hops, unsigned int n)
{
	lookup(l->v6, l->rest6, addrs, hops, n);
}
