/* Hairpin queues: what a port's hardware receives it sends again by itself, by the same port or
 * another. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port;
struct ports;

/* Who is at the other end of a port's hairpin queues. */
struct port_hairpin_peers {
	uint16_t rx,
		tx; /* the port that receives what this one sends, and that sends what it receives */
	bool manual; /* zcfwd binds them once both are started */
};

/*
 * Peers of the i-th of ports ids[0..n), by the lower bits of --hairpin-mode: 0 itself; 1 a ring of
 * all ports; 2 pairs. Pure.
 */
struct port_hairpin_peers port_hairpin_peers(uint32_t mode, const uint16_t *ids, unsigned int n,
	unsigned int i);

/*
 * Another entry of --hairpin-map, "RXPORT:RXQ:TXPORT:TXQ:N". Errors: -EINVAL text; -E2BIG. Thread:
 * control, all of this file.
 */
int port_hairpin_map(struct ports *ps, const char *text, struct err *e);

/* ENOTSUP unless the port has as many hairpin queues as the setting hairpinq asks for. */
int port_hairpin_check(const struct port *p, struct err *e);

/*
 * Set up the hairpin queues of a configured port, behind the queues of packets. What the driver
 * returned.
 */
int port_hairpin_setup(const struct ports *ps, const struct port *p, struct err *e);

/* Bind a port that was started and its peers, those that are started; unbind before it stops. */
int port_hairpin_bind(const struct ports *ps, const struct port *p, struct err *e);
void port_hairpin_unbind(const struct ports *ps, const struct port *p);
