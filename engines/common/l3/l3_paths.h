/* Routes for the data path: tables, and for each hop the header fields to write into packets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/l3/l3_tables.h"

#include <rte_ether.h>

#include <stdint.h>

struct err;
struct routes;
struct stream;
struct stream_end;

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
	struct l3_next *next; /* by the result of a lookup, 1..n_hops */
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
 * number as like, then any. like may be NULL. Returns NULL if no stream transmits to the port.
 */
const struct stream *l3_paths_way(struct stream *const *streams, unsigned int n, uint16_t port,
	const struct stream *like);
