/* Forwarding tables with rte_lpm6: for IPv6, and for IPv4 if other processes use them too. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct route;
struct routes;
struct rte_lpm6;

struct l3_lpm6 {
	struct rte_lpm6 *v4; /* NULL: no IPv4 routes */
	struct rte_lpm6 *v6; /* NULL: no IPv6 routes */
	/* hops of the default routes, which the tables do not accept; 0: none */
	uint32_t rest4, rest6;
};

/*
 * Create empty tables for the IPv6 prefixes, and with v4 for the IPv4 prefixes, in routes, on a
 * socket. Errors: those of rte_lpm6_create(); then nothing remains allocated. Thread: control.
 */
int l3_lpm6_make(struct l3_lpm6 *l, const struct routes *routes, bool v4, int socket);
void l3_lpm6_free(struct l3_lpm6 *l);

/* Add a prefix with its hop, 1 or more. Errors: those of rte_lpm6_add(). Thread: control. */
int l3_lpm6_add(struct l3_lpm6 *l, const struct route *route, uint32_t hop);

/*
 * Look up n addresses, IPv4 in host order, and set hops[i], 0: no route. n: 1..BURST_MAX. Thread:
 * any of any process.
 */
void l3_lpm6_v4(const struct l3_lpm6 *l, const uint32_t *addrs, uint64_t *hops, unsigned int n);
void l3_lpm6_v6(const struct l3_lpm6 *l, uint8_t (*addrs)[16], uint64_t *hops, unsigned int n);
