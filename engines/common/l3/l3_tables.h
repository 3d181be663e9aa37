/* Forwarding tables for a set of routes: longest prefix or exact match, a burst at a time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/l3/l3_exact.h"
#include "engines/common/l3/l3_lpm.h"
#include "engines/common/l3/l3_lpm6.h"

#include <rte_ether.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct routes;

/* The kind of table, in the order of the choices of `set l3fwd lookup`. */
enum l3_lookup {
	L3_FIB,    /* prefixes: rte_fib, rte_fib6 */
	L3_LPM,    /* prefixes: rte_lpm, rte_lpm6 */
	L3_EXACT,  /* five-tuples: rte_hash */
	L3_SHARED, /* prefixes, usable by other processes: rte_lpm6 */
};

/* A next hop; several routes may share one. */
struct l3_hop {
	uint16_t port;
	bool has_mac;
	struct rte_ether_addr mac;
};

struct l3_tables {
	enum l3_lookup lookup;
	struct rte_fib *v4;  /* L3_FIB; NULL: no IPv4 routes */
	struct rte_fib6 *v6; /* L3_FIB; NULL: no IPv6 routes */
	struct l3_lpm lpm;   /* L3_LPM: IPv4 */
	struct l3_lpm6 lpm6; /* L3_SHARED; L3_LPM: IPv6 */
	struct l3_exact exact;
	struct l3_hop *hop;
	unsigned int n_hops;
};

/*
 * Create tables on a socket with all routes of the kind for this lookup (prefixes or five-tuples).
 * *t must not be moved afterwards. Errors: ENOMEM, ENOSPC for too many hops, E2BIG for more routes
 * than L3_LPM supports; then nothing remains allocated. Thread: control.
 */
int l3_tables_make(struct l3_tables *t, const struct routes *routes, enum l3_lookup lookup,
	int socket, struct err *e);
void l3_tables_free(struct l3_tables *t);

/*
 * Look up n addresses, IPv4 in host order, and set hops[i] to 1 + the hop's index, 0: no route. n:
 * 1..BURST_MAX. Thread: any.
 */
void l3_tables_v4(const struct l3_tables *t, const uint32_t *addrs, uint64_t *hops, unsigned int n);
void l3_tables_v6(const struct l3_tables *t, uint8_t (*addrs)[16], uint64_t *hops, unsigned int n);
