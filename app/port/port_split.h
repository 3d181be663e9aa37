/* Buffer split and several Rx pools: the settings rxpkts, rxoffs and rxhdrs, and the resulting Rx
 * queue configuration. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "port/port.h"

#include <rte_ethdev.h>

struct args;
struct err;

#define PORT_SPLIT_MAX PORT_POOLS_MAX /* segments of a packet */

/* Arrays that a struct rte_eth_rxconf points to during queue setup. */
struct port_split {
	union rte_eth_rxseg segments[PORT_SPLIT_MAX];
	struct rte_mempool *pools[PORT_SPLIT_MAX];
};

/*
 * Check a value of the setting rxpkts, rxoffs or rxhdrs. Errors: EINVAL, ERANGE, E2BIG. Thread:
 * control, all of this file.
 */
int port_split_lengths_check(const char *text, struct err *e);
int port_split_offsets_check(const char *text, struct err *e);
int port_split_headers_check(const char *text, struct err *e);

/*
 * Set <what> (rxpkts, rxoffs or rxhdrs) to <list>; ports use it at their next start. As in testpmd
 * the list set last determines the number of segments: the other one is truncated or extended with
 * zeros. Errors as port_split_lengths_check().
 */
int port_split_set(struct ports *ps, const struct args *a, struct err *e);

/*
 * Print show config rxpkts, rxoffs or rxhdrs (<what>). JSON: {"n_segments", "segment_bytes":
 * [...]}, {"n_offsets", "offset_bytes": [...]} or the headers. Returns 0.
 */
int port_split_show(struct ports *ps, const struct args *a, struct err *e);

/*
 * Add to conf the segments of an Rx queue (if the offload buffer_split is on) or its pools
 * (multi-rx-mempool); otherwise conf is not changed. socket: of the buffers. split: must live as
 * long as conf. Errors: ENOTSUP the driver does not support it; EINVAL, ERANGE for lengths and
 * offsets that do not fit the buffers.
 */
int port_split_conf(const struct ports *ps, const struct port *p, int socket,
	struct port_split *split, struct rte_eth_rxconf *conf, struct err *e);
