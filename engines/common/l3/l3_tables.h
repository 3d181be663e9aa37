/* Forwarding tables for a set of routes: longest prefix or exact match, a burst at a time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_byteorder.h>
#include <rte_ether.h>

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct err;
struct out;
struct routes;
struct rte_hash;
struct rte_lpm6;
struct rte_lpm;
struct stream;
struct stream_end;

/* Exact-match forwarding tables of five-tuples with rte_hash. */

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
 * Look up n five-tuples and set hops[i], 0: no route. n: 1..BURST_MAX. Thread: any.
 */
void l3_exact_v4(const struct l3_exact *x, const struct l3_flow4 *flows, uint64_t *hops,
	unsigned int n);
void l3_exact_v6(const struct l3_exact *x, const struct l3_flow6 *flows, uint64_t *hops,
	unsigned int n);

/* IPv4 forwarding tables with rte_lpm. */

#define L3_LPM_MAX 65536 /* prefixes; adding one takes time linear in those of its length */

struct l3_lpm {
	struct rte_lpm *v4; /* NULL: no IPv4 routes */
	uint32_t rest;      /* hop of the default route; 0: none */
};

/* Forwarding tables with rte_lpm6: for IPv6, and for IPv4 if other processes use them too. */

struct l3_lpm6 {
	struct rte_lpm6 *v4; /* NULL: no IPv4 routes */
	struct rte_lpm6 *v6; /* NULL: no IPv6 routes */
	/* hops of the default routes, which the tables do not accept; 0: none */
	uint32_t rest4, rest6;
};

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

/* Routes for the data path: tables, and for each hop the header fields to write into packets. */

#define L3_NO_PORT RTE_MAX_ETHPORTS

/* What a packet for a hop gets: MAC addresses in the order of a frame, and Tx flags. */
struct l3_next {
	struct {
		struct rte_ether_addr dst, src;
	} macs;
	uint16_t port;
	uint64_t flags;
	const struct stream_end *end;
};

struct l3_paths {
	struct l3_tables tables;
	/* by the result of a lookup, 1..n_hops; at 0, without a route, the port is L3_NO_PORT */
	struct l3_next *next;
};

/*
 * Create paths for routes over the Tx ports of the streams. *p must not be moved afterwards.
 * Errors: those of l3_tables_make(), ENODEV for a port that no stream transmits to; then nothing
 * remains allocated. Thread: control.
 */
int l3_paths_make(struct l3_paths *p, const struct routes *routes, enum l3_lookup lookup,
	struct stream *const *streams, unsigned int n, int socket, struct err *e);
void l3_paths_free(struct l3_paths *p);

/*
 * Choose the stream for sending to a port: preferably like itself, then one with the same Tx queue
 * number as like, then any. like may be NULL. Returns NULL if no stream transmits to the port, or
 * those queues are stopped.
 */
const struct stream *l3_paths_way(struct stream *const *streams, unsigned int n, uint16_t port,
	const struct stream *like);

/*
 * Print a warning for each lcore without a Tx queue on a port to which a route leads, and each such
 * port. streams: all of a run; those of an lcore are adjacent. Thread: control.
 */
void l3_paths_warn(const struct l3_paths *p, const char *engine, struct stream *const *streams,
	unsigned int n, struct out *out);
