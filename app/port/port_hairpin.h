/* Hairpin queues: the NIC sends received packets without the CPU, on the same port or on
 * another. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port;
struct ports;

/* The ports that a port's hairpin queues are bound to. */
struct port_hairpin_peers {
	/* rx: the port that receives this port's packets; tx: the port that sends to this port. */
	uint16_t rx, tx;
	bool manual; /* zcfwd binds the queues once both ports are started */
};

/*
 * Return the peers of port ids[i], 0 <= i < n, by the lower bits of --hairpin-mode: 0 the port
 * itself; 1 a ring of all ports; 2 pairs. Pure function.
 */
struct port_hairpin_peers port_hairpin_peers(uint32_t mode, const uint16_t *ids, unsigned int n,
	unsigned int i);

/*
 * Add an entry of --hairpin-map, "RXPORT:RXQ:TXPORT:TXQ:N". Errors: -EINVAL; -ERANGE; -E2BIG too
 * many entries. Thread: control, all of this file.
 */
int port_hairpin_map(struct ports *ps, const char *text, struct err *e);

/* Return -ENOTSUP if the port supports fewer hairpin queues than the setting hairpinq. */
int port_hairpin_check(const struct port *p, struct err *e);

/*
 * Set up the hairpin queues of a configured port; their numbers follow those of the normal queues.
 * Errors: of the driver.
 */
int port_hairpin_setup(const struct ports *ps, const struct port *p, struct err *e);

/* Bind a started port to those of its peers that are started; unbind it before it stops. */
int port_hairpin_bind(const struct ports *ps, const struct port *p, struct err *e);
void port_hairpin_unbind(const struct ports *ps, const struct port *p);
