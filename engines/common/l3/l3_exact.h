/* Exact-match forwarding tables of five-tuples with rte_hash. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_byteorder.h>

#include <assert.h>
#include <stdint.h>

struct route;
struct routes;
struct rte_hash;

/* Keys in network order; ports are 0 if the protocol has none. rte_hash is fast for these sizes. */
struct l3_flow4 {
	uint8_t src[4], dst[4];
	rte_be16_t sport, dport;
	uint32_t proto;
};

struct l3_flow6 {
	uint8_t src[16], dst[16];
	rte_be16_t sport, dport;
	uint32_t proto;
	uint64_t none; /* 0 */
};

static_assert(sizeof(struct l3_flow4) == 16 && sizeof(struct l3_flow6) == 48, "no gaps");

struct l3_exact {
	struct rte_hash *v4; /* NULL: no IPv4 routes */
	struct rte_hash *v6; /* NULL: no IPv6 routes */
};

/*
 * Create empty tables for the five-tuples in routes, on a socket. Errors: those of
 * rte_hash_create(); then nothing remains allocated. Thread: control.
 */
int l3_exact_make(struct l3_exact *x, const struct routes *routes, int socket);
void l3_exact_free(struct l3_exact *x);

/* Add a five-tuple with its hop, 1 or more. Errors: those of rte_hash_add_key_data(). */
int l3_exact_add(struct l3_exact *x, const struct route *route, uint32_t hop);

/*
 * Look up n five-tuples and set hops[i], 0: no route. n: 1..BURST_MAX. Thread: any.
 */
void l3_exact_v4(const struct l3_exact *x, const struct l3_flow4 *flows, uint64_t *hops,
	unsigned int n);
void l3_exact_v6(const struct l3_exact *x, const struct l3_flow6 *flows, uint64_t *hops,
	unsigned int n);
