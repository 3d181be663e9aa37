/* IPv4 forwarding tables with rte_lpm. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct route;
struct routes;
struct rte_lpm;

#define L3_LPM_MAX 65536 /* prefixes; adding one takes time linear in those of its length */

struct l3_lpm {
	struct rte_lpm *v4; /* NULL: no IPv4 routes */
	uint32_t rest;      /* hop of the default route; 0: none */
};

/*
 * Create an empty table for the prefixes in routes, on a socket. Errors: E2BIG, those of
 * rte_lpm_create(); then nothing remains allocated. Thread: control.
 */
int l3_lpm_make(struct l3_lpm *l, const struct routes *routes, int socket);
void l3_lpm_free(struct l3_lpm *l);

/* Add a prefix with its hop, 1 or more. Errors: those of rte_lpm_add(). Thread: control. */
int l3_lpm_add(struct l3_lpm *l, const struct route *route, uint32_t hop);

/*
 * Look up n addresses in host order and set hops[i], 0: no route. n: 1..BURST_MAX. Thread: any.
 */
void l3_lpm_v4(const struct l3_lpm *l, const uint32_t *addrs, uint64_t *hops, unsigned int n);
