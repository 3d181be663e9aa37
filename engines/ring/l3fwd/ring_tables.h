/* The forwarding tables of the stage l3fwd: longest prefix match for IPv4 and IPv6, a burst at a
 * time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/ring/l3fwd/ring_lpm.h"

#include <rte_ether.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ring_routes;

/* Where packets go on; several routes may share one. */
struct ring_hop {
	uint16_t port;
	bool has_mac;
	struct rte_ether_addr mac;
};

struct ring_tables {
	struct rte_fib *v4;  /* NULL: there is no such route */
	struct rte_fib6 *v6; /* the same */
	bool shared;         /* looked up by other processes: lpm instead of both */
	struct ring_lpm lpm;
	struct ring_hop *hop;
	unsigned int n_hops;
};

/*
 * A row for each prefix, in memory of that socket. shared: other processes may look up. Errors:
 * ENOMEM, ENOSPC for too many hops; then nothing is left. Thread: control.
 */
int ring_tables_make(struct ring_tables *t, const struct ring_routes *routes, bool shared,
	int socket, struct err *e);
void ring_tables_free(struct ring_tables *t);

/*
 * hops[i] := 1 + the hop's place for each of n addresses, 0: there is none. Addresses: host order.
 * n: 1..BURST_MAX.
 */
void ring_tables_v4(const struct ring_tables *t, const uint32_t *addrs, uint64_t *hops,
	unsigned int n);
void ring_tables_v6(const struct ring_tables *t, uint8_t (*addrs)[16], uint64_t *hops,
	unsigned int n);
