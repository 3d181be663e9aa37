/* Routes as the data path uses them: tables, and what is written to a packet on its way to each
 * hop. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/l3/l3_tables.h"

#include <rte_ether.h>

#include <stdint.h>

struct err;
struct routes;
struct stream;
struct stream_end;

/* Addresses as the frame has them, flags for the driver. */
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
	struct l3_next *next; /* by what a look-up gives: one for each hop from 1 on */
};

/*
 * Paths by these routes over the ports that the streams transmit to; *p stays where it is. Errors:
 * those of l3_tables_make(), ENODEV for a port that no stream transmits to; then nothing is left.
 * Thread: control.
 */
int l3_paths_make(struct l3_paths *p, const struct routes *routes, enum l3_lookup lookup,
	struct stream *const *streams, unsigned int n, int socket, struct err *e);
void l3_paths_free(struct l3_paths *p);

/*
 * Of streams the one to send by to a port: like itself before all, then one whose transmit queue
 * has the number of like's; like NULL: any. NULL: none transmits to that port.
 */
const struct stream *l3_paths_way(struct stream *const *streams, unsigned int n, uint16_t port,
	const struct stream *like);
