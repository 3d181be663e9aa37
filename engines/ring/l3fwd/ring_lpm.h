/* Forwarding tables by rte_lpm6, made by one process and looked up by others. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct ring_route;
struct ring_routes;
struct rte_lpm6;

struct ring_lpm {
	struct rte_lpm6 *v4; /* NULL: there is no such route */
	struct rte_lpm6 *v6; /* the same */
	uint32_t rest4,
		/*
		 * where to when no prefix fits: the route of no bits, which the tables do not take;
		 * 0: there is none
		 */
		rest6;
};

/*
 * Empty tables with room for these routes, in memory of that socket. Errors: what rte_errno says;
 * then nothing is left. Thread: control.
 */
int ring_lpm_make(struct ring_lpm *l, const struct ring_routes *routes, int socket);
void ring_lpm_free(struct ring_lpm *l);

/* Lead a prefix to a hop, 1 or more. Errors: what rte_lpm6_add() says. Thread: control. */
int ring_lpm_add(struct ring_lpm *l, const struct ring_route *route, uint32_t hop);

/*
 * hops[i] := the hop of each of n addresses, 0: there is none. Addresses: IPv4 in host order. n:
 * 1..BURST_MAX. Thread: any, of any process.
 */
void ring_lpm_v4(const struct ring_lpm *l, const uint32_t *addrs, uint64_t *hops, unsigned int n);
void ring_lpm_v6(const struct ring_lpm *l, uint8_t (*addrs)[16], uint64_t *hops, unsigned int n);
