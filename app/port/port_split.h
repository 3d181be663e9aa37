/* Buffer split and several Rx pools: the settings rxpkts, rxoffs and rxhdrs, and the Rx queue
 * configuration they make. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "port/port.h"

#include <rte_ethdev.h>

#include <stdint.h>

struct err;

#define PORT_SPLIT_MAX 8 /* segments of a packet */

/* What a struct rte_eth_rxconf points to while a queue is set up. */
struct port_split {
	union rte_eth_rxseg segments[PORT_SPLIT_MAX];
	struct rte_mempool *pools[PORT_SPLIT_MAX];
};

/*
 * For the settings rxpkts, rxoffs and rxhdrs: 0, or EINVAL, ERANGE, E2BIG with the bad word and
 * what was expected. Thread: control, all of this file.
 */
int port_split_lengths_check(const char *text, struct err *e);
int port_split_offsets_check(const char *text, struct err *e);
int port_split_headers_check(const char *text, struct err *e);

/*
 * Give one of them ("rxpkts", "rxoffs", "rxhdrs") a new value; ports take it at their next start.
 * As in testpmd the number of segments is that of the list given last: the other one is cut, or
 * goes on with zeros. Errors as above.
 */
int port_split_set(struct ports *ps, const char *what, const char *text, struct err *e);

/*
 * Answer show config rxpkts, rxoffs or rxhdrs. JSON: {"n_segments", "segment_bytes": [...]} and
 * their like.
 */
void port_split_show(const struct ports *ps, const char *what);

/*
 * Complete what an Rx queue of the port is set up with: segments when the offload buffer_split is
 * on, several pools under multi-rx-mempool. socket: where buffers come from. split: lives as long
 * as conf. Neither asked for: conf stays as it is. Errors: what the driver said it cannot, in
 * words; EINVAL, ERANGE for lengths and offsets that no buffer has.
 */
int port_split_conf(const struct ports *ps, const struct port *p, int socket,
	struct port_split *split, struct rte_eth_rxconf *conf, struct err *e);
