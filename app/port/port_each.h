/* One call per port that a command names: one port or all of them. */
#pragma once

#include <stdint.h>

struct err;
struct port;
struct ports;

/*
 * Call f for port id, or for every port when id is PORT_ALL. JSON: {"ports": [{"port": 0, and what
 * f adds}, ...]}. A port that fails does not keep the others from their turn. Returns 0, -ENODEV no
 * such port, or what the last f that failed returned. Thread: control.
 */
int port_each(struct ports *ps, uint16_t id,
	int (*f)(struct ports *ps, struct port *p, void *ctx, struct err *e), void *ctx,
	struct err *e);

/* The same for ports ids[0..n); those that are not there any more are left out. */
int port_each_of(struct ports *ps, const uint16_t *ids, unsigned int n,
	int (*f)(struct ports *ps, struct port *p, void *ctx, struct err *e), void *ctx,
	struct err *e);
