/* The routes of the stage l3fwd: prefixes of IPv4 and IPv6, each with a port and a next hop. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ether.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct out;

#define RING_ROUTES_MAX (UINT32_C(1) << 20)

struct ring_route {
	bool v6, has_mac;
	uint8_t depth;    /* bits of the prefix */
	uint8_t addr[16]; /* of IPv4 the first 4; bits behind depth are 0 */
	uint16_t port;
	struct rte_ether_addr mac; /* has_mac: of the next hop; else the port's peer */
};

/* All zero before the first route. Thread: control, all of this file. */
struct ring_routes {
	struct ring_route *route;
	unsigned int n, room;
};

/*
 * Read "10.0.0.0/8" or "2001:db8::/32"; a lone address is a prefix of all its bits. Errors: EINVAL,
 * also for bits behind the prefix's.
 */
int ring_routes_prefix(struct ring_route *route, const char *word, struct err *e);

/* Add a route, or give a prefix that is there another port. Errors: ENOSPC, ENOMEM. */
int ring_routes_add(struct ring_routes *rs, const struct ring_route *route, struct err *e);

/* Take a prefix out. ENOENT when it is not there. */
int ring_routes_delete(struct ring_routes *rs, const struct ring_route *route, struct err *e);

/*
 * Add the routes of a file: a line each, "PREFIX PORT [MAC]", empty lines and what follows a #
 * ignored. port_there: whether there is such a port. Errors, with "FILE:LINE: " in front: what a
 * word says; then no route of the file is added. What open(2) says.
 */
int ring_routes_load(struct ring_routes *rs, const char *path, bool (*port_there)(uint16_t id),
	struct err *e);

/* As port_there above: whether ethdev has such a port. */
bool ring_routes_port(uint16_t id);

/* Forget all of them. */
void ring_routes_clear(struct ring_routes *rs);

/* The prefix as ring_routes_prefix() takes it. text: 50 bytes or more. */
void ring_routes_text(const struct ring_route *route, char *text, size_t bytes);

/* Answer `show pipeline routes`. JSON: {"routes":[{"prefix", "port", "mac"}]}. */
void ring_routes_show(const struct ring_routes *rs, struct out *o);
