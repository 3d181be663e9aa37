/* Forwarding tables by rte_lpm6: of IPv6, and of IPv4 where other processes look up, too. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct route;
struct routes;
struct rte_lpm6;

struct l3_lpm6 {
	struct rte_lpm6 *v4; /* NULL: there is no such route */
	struct rte_lpm6 *v6; /* the same */
	/*
	 * where to when no prefix fits: the route of no bits, which the tables do not take; 0: there
	 * is none
	 */
	uint32_t rest4, rest6;
};

/*
 * Empty tables with room for these prefixes, v4: those of IPv4, too, in memory of that socket.
 * Errors: what rte_errno says; then nothing is left. Thread: control.
 */
int l3_lpm6_make(struct l3_lpm6 *l, const struct routes *routes, bool v4, int socket);
void l3_lpm6_free(struct l3_lpm6 *l);

/* Lead a prefix to a hop, 1 or more. Errors: what rte_lpm6_add() says. Thread: control. */
int l3_lpm6_add(struct l3_lpm6 *l, const struct route *route, uint32_t hop);

/*
 * hops[i] := the hop of each of n addresses, 0: there is none. Addresses: IPv4 in host order. n:
 * 1..BURST_MAX. Thread: any, of any process.
 */
void l3_lpm6_v4(const struct l3_lpm6 *l, const uint32_t *addrs, uint64_t *hops, unsigned int n);
void l3_lpm6_v6(const struct l3_lpm6 *l, uint8_t (*addrs)[16], uint64_t *hops, unsigned int n);
