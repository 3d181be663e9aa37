/* IPv4 forwarding tables with rte_lpm. It does not accept a default route, which is kept apart. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/l3/l3_lpm.h"

#include "engines/common/l3/l3_name.h"
#include "route/routes.h"
#include "stream/stream.h"

#include <rte_byteorder.h>
#include <rte_errno.h>
#include <rte_lpm.h>

#include <errno.h>
#include <string.h>

enum {
	TOP_BITS = 24,       /* address bits that index the first table */
	HOP_BITS = 0xffffff, /* the hop in a result; the other bits are flags */
};

int
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

void
l3_lpm_free(struct l3_lpm *l)
{
	rte_lpm_free(l->v4);
	memset(l, 0, sizeof(*l));
}

int
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

void
l3_lpm_v4(const struct l3_lpm *l, const uint32_t *addrs, uint64_t *hops, unsigned int n)
{
	uint32_t found[BURST_MAX];

	if (l->v4 == NULL || rte_lpm_lookup_bulk(l->v4, addrs, found, n) != 0)
		memset(found, 0, n * sizeof(*found));
	for (unsigned int i = 0; i < n; i++)
		hops[i] = (found[i] & RTE_LPM_LOOKUP_SUCCESS) != 0 ? found[i] & HOP_BITS : l->rest;
}
