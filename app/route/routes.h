/* Routes: prefixes and five-tuples of IPv4 and IPv6, each with a port and a next hop; engines make
 * their tables of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ether.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct out;

#define ROUTES_MAX (UINT32_C(1) << 20)
#define ROUTES_FLOW_WORDS 5 /* SRC DST SPORT DPORT PROTO */
#define ROUTES_TEXT 128     /* bytes that routes_text() may write */

/* Which packets: all to a prefix, or those of one five-tuple. */
struct route {
	bool flow;             /* a five-tuple */
	bool v6;               /* else IPv4: of addresses the first 4 bytes */
	uint8_t proto;         /* flow: of IPv4, or the next header of IPv6 */
	uint8_t depth;         /* bits of the prefix; flow: all */
	uint16_t sport, dport; /* flow; of protocols without ports 0 */
	uint8_t addr[16];      /* destination; bits behind depth are 0 */
	uint8_t src[16];       /* flow */
	bool has_mac;
	uint16_t port;
	struct rte_ether_addr mac; /* has_mac: of the next hop; else the port's peer */
};

/* All zero before the first route. Thread: control, all of this file. */
struct routes {
	struct route *route;
	unsigned int n, room;
};

/*
 * Read "10.0.0.0/8" or "2001:db8::/32"; a lone address is a prefix of all its bits. Errors: EINVAL,
 * also for bits behind the prefix's.
 */
int routes_prefix(struct route *route, const char *word, struct err *e);

/*
 * Read a five-tuple of ROUTES_FLOW_WORDS words, SRC DST SPORT DPORT PROTO: addresses of one family,
 * numbers, or a protocol's name. Errors: EINVAL.
 */
int routes_flow(struct route *route, const char *const *words, struct err *e);

/* The route of a prefix or a five-tuple, or NULL; valid until the next change. */
struct route *routes_find(const struct routes *rs, const struct route *like);

/* Add a route, or give what is there another port. Errors: ENOSPC, ENOMEM. */
int routes_add(struct routes *rs, const struct route *route, struct err *e);

/* Take a prefix or a five-tuple out. ENOENT when it is not there. */
int routes_delete(struct routes *rs, const struct route *route, struct err *e);

/*
 * Add the routes of a file: a line each, "PREFIX port PORT [mac MAC]" or "SRC DST SPORT DPORT PROTO
 * port PORT [mac MAC]", as routes_show() prints them; the keywords may be left out. Empty lines and
 * what follows a # are ignored. port_there: whether there is such a port. Errors, with "FILE:LINE: "
 * in front: what a word says; then no route of the file is added. What open(2) says.
 */
int routes_load(struct routes *rs, const char *path, bool (*port_there)(uint16_t id),
	struct err *e);

/* As port_there above: whether ethdev has such a port. */
bool routes_port(uint16_t id);

/* Make *to a copy, for routes_clear(). ENOMEM: it is empty. */
int routes_copy(struct routes *to, const struct routes *from, struct err *e);

/* Forget all of them. */
void routes_clear(struct routes *rs);

/* What routes_prefix() or routes_flow() takes. text: ROUTES_TEXT bytes. */
void routes_text(const struct route *r, char *text, size_t bytes);

/*
 * A line as routes_load() takes it. JSON: an object {"prefix" or "flow", "port", "mac"}; name: of
 * the object, or NULL in an array.
 */
void routes_show_one(const struct route *r, const char *name, struct out *o);

/*
 * Answer `show route`. JSON: {"routes":[{"prefix", "port", "mac"}, {"flow", "port", "mac"}]}.
 */
void routes_show(const struct routes *rs, struct out *o);
