/* Forwarding tables of IPv4 by rte_lpm. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct route;
struct routes;
struct rte_lpm;

#define L3_LPM_MAX 65536 /* prefixes: each new one is compared with all of its length */

struct l3_lpm {
	struct rte_lpm *v4; /* NULL: there is no such route */
	uint32_t rest;      /* the hop of the route of no bits; 0: there is none */
};

/*
 * An empty table with room for these prefixes, in memory of that socket. Errors: E2BIG, what
 * rte_errno says; then nothing is left. Thread: control.
 */
int l3_lpm_make(struct l3_lpm *l, const struct routes *routes, int socket);
void l3_lpm_free(struct l3_lpm *l);

/* Lead a prefix to a hop, 1 or more. Errors: what rte_lpm_add() says. Thread: control. */
int l3_lpm_add(struct l3_lpm *l, const struct route *route, uint32_t hop);

/*
 * hops[i] := the hop of each of n addresses in host order, 0: there is none. n: 1..BURST_MAX.
 * Thread: any.
 */
void l3_lpm_v4(const struct l3_lpm *l, const uint32_t *addrs, uint64_t *hops, unsigned int n);
