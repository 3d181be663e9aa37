/* Exact-match tables of five-tuples with rte_hash; the data of a key is the number of its hop. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/l3/l3_exact.h"

#include "engines/common/l3/l3_name.h"
#include "route/routes.h"

#include <rte_common.h>
#include <rte_errno.h>
#include <rte_hash.h>
#include <rte_hash_crc.h>

#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum { ENTRIES_MIN = 8 }; /* minimum of rte_hash */

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

int
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

void
l3_exact_free(struct l3_exact *x)
{
	rte_hash_free(x->v4);
	rte_hash_free(x->v6);
	memset(x, 0, sizeof(*x));
}

int
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
