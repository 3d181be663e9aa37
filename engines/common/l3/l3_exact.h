/* Forwarding tables of five-tuples by rte_hash. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_byteorder.h>

#include <assert.h>
#include <stdint.h>

struct route;
struct routes;
struct rte_hash;

/* Keys, as packets have them; of protocols without ports those are 0. Sizes as rte_hash likes. */
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
	struct rte_hash *v4; /* NULL: there is no such route */
	struct rte_hash *v6; /* the same */
};

/*
 * Empty tables with room for these five-tuples, in memory of that socket. Errors: what rte_errno
 * says; then nothing is left. Thread: control.
 */
int l3_exact_make(struct l3_exact *x, const struct routes *routes, int socket);
void l3_exact_free(struct l3_exact *x);

/* Lead a five-tuple to a hop, 1 or more. Errors: what rte_hash_add_key_data() says. */
int l3_exact_add(struct l3_exact *x, const struct route *route, uint32_t hop);

/*
 * hops[i] := the hop of each of n five-tuples, 0: there is none. n: 1..BURST_MAX. Thread: any.
 */
void l3_exact_v4(const struct l3_exact *x, const struct l3_flow4 *flows, uint64_t *hops,
	unsigned int n);
void l3_exact_v6(const struct l3_exact *x, const struct l3_flow6 *flows, uint64_t *hops,
	unsigned int n);
