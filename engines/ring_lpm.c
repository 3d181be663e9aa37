/* rte_fib keeps the address of its lookup function in the table, which is another one in each process; rte_lpm is code alone. */
#include "ring_lpm.h"

#include "ring_routes.h"
#include "stream.h"

#include <rte_byteorder.h>
#include <rte_common.h>
#include <rte_errno.h>
#include <rte_lpm.h>
#include <rte_lpm6.h>

#include <errno.h>
#include <string.h>

enum { TOP_BITS = 24 }; /* that the first table takes at once */

/* Routes of a family but the one of no bits, and how many tables of 8 bits they may need behind the first. */
static uint32_t
rows_of(const struct ring_routes *rs, bool v6, uint32_t *more)
{
	uint32_t n = 0;

	*more = 1;
	for (unsigned int i = 0; i < rs->n; i++) {
		const struct ring_route *r = &rs->route[i];

		if (r->v6 != v6 || r->depth == 0)
			continue;
		n++;
		if (r->depth > TOP_BITS)
			*more += (r->depth - TOP_BITS + 7u) / 8;
	}
	return n;
}

int
ring_lpm_make(struct ring_lpm *l, const struct ring_routes *rs, int socket)
{
	uint32_t more, n = rows_of(rs, false, &more);
	struct rte_lpm_config c4 = { .max_rules = n, .number_tbl8s = more };
	struct rte_lpm6_config c6 = { 0 };

	memset(l, 0, sizeof(*l));
	if (n > 0 && (l->v4 = rte_lpm_create("zcfwd_v4", socket, &c4)) == NULL)
		return -rte_errno;
	c6.max_rules = rows_of(rs, true, &c6.number_tbl8s);
	if (c6.max_rules > 0 && (l->v6 = rte_lpm6_create("zcfwd_v6", socket, &c6)) == NULL) {
		int ret = -rte_errno;

		ring_lpm_free(l);
		return ret;
	}
	return 0;
}

void
ring_lpm_free(struct ring_lpm *l)
{
	rte_lpm_free(l->v4);
	rte_lpm6_free(l->v6);
	memset(l, 0, sizeof(*l));
}

int
ring_lpm_add(struct ring_lpm *l, const struct ring_route *r, uint32_t hop)
{
	const void *v6 = r->addr; /* its type depends on the DPDK release */
	uint32_t addr;

	if (r->depth == 0) {
		*(r->v6 ? &l->rest6 : &l->rest4) = hop;
		return 0;
	}
	if (r->v6)
		return rte_lpm6_add(l->v6, v6, r->depth, hop);
	memcpy(&addr, r->addr, sizeof(addr));
	return rte_lpm_add(l->v4, rte_be_to_cpu_32(addr), r->depth, hop);
}

void
ring_lpm_v4(const struct ring_lpm *l, const uint32_t *addrs, uint64_t *hops, unsigned int n)
{
	uint32_t found[BURST_MAX];

	if (l->v4 == NULL || rte_lpm_lookup_bulk(l->v4, addrs, found, n) != 0)
		memset(found, 0, n * sizeof(*found));
	for (unsigned int i = 0; i < n; i++)
		hops[i] = found[i] & RTE_LPM_LOOKUP_SUCCESS ? found[i] & 0xffffff : l->rest4;
}

void
ring_lpm_v6(const struct ring_lpm *l, uint8_t (*addrs)[16], uint64_t *hops, unsigned int n)
{
	void *ips = addrs; /* its type depends on the DPDK release */
	int32_t found[BURST_MAX];

	if (l->v6 == NULL || rte_lpm6_lookup_bulk_func(l->v6, ips, found, n) != 0)
		memset(found, -1, n * sizeof(*found));
	for (unsigned int i = 0; i < n; i++)
		hops[i] = found[i] >= 0 ? (uint64_t)found[i] : l->rest6;
}
