/* Routes: IPv4 and IPv6 prefixes and five-tuples, each with a port and a next hop; engines build
 * their lookup tables from them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ether.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct out;
struct words;

#define ROUTES_MAX (UINT32_C(1) << 20)
#define ROUTES_TEXT 128 /* bytes that routes_text() may write */

/* Matches all packets to a prefix, or those of one five-tuple. */
struct route {
	bool flow;             /* a five-tuple */
	bool v6;               /* else IPv4, which uses the first 4 bytes of addresses */
	uint8_t proto;         /* flow: IPv4's protocol or IPv6's next header */
	uint8_t depth;         /* prefix length, bits; flow: all bits */
	uint16_t sport, dport; /* flow; 0 for protocols without ports */
	uint8_t addr[16];      /* destination; bits after depth are 0 */
	uint8_t src[16];       /* flow */
	bool has_mac;
	uint16_t port;
	struct rte_ether_addr mac; /* has_mac: the next hop's; without: use the port's peer */
};

/* All zero: no routes. Thread: control, for all of this file. */
struct routes {
	struct route *route;
	unsigned int n, room;
};

/*
 * Read a word such as "10.0.0.0/8" or "2001:db8::/32"; an address without a length is a prefix of all
 * its bits. EINVAL, also if bits after the prefix length are set.
 */
int routes_prefix(struct words *r, struct route *to, struct err *e);

/*
 * Read what a text begins with: a prefix, or SRC DST SPORT DPORT PROTO, a five-tuple with addresses of
 * one family, port numbers, a protocol's number or name. column: of the text in its line. EINVAL, ERANGE.
 */
int routes_parse(struct route *to, const char *text, size_t column, struct err *e);

/* Return the route with like's prefix or five-tuple, or NULL; valid until the next change. */
struct route *routes_find(const struct routes *rs, const struct route *like);

/* Add a route, or replace the one with the same prefix or five-tuple. ENOSPC, ENOMEM. */
int routes_add(struct routes *rs, const struct route *route, struct err *e);

/* Delete the route of a prefix or a five-tuple. ENOENT. */
int routes_delete(struct routes *rs, const struct route *route, struct err *e);

/*
 * Add the routes of a file, one per line: "PREFIX port PORT [mac MAC]" or "SRC DST SPORT DPORT
 * PROTO port PORT [mac MAC]", as show route prints them; the keywords are optional. Words, quotes and
 * comments are those of words.h. port_there: returns whether a port exists. Errors have
 * "FILE:LINE: " in front, and no route of the file is added: EINVAL, ERANGE, ENODEV, E2BIG, EILSEQ; those
 * of open(2).
 */
int routes_load(struct routes *rs, const char *path, bool (*port_there)(uint16_t id),
	struct err *e);

/* Return whether ethdev has that port; for port_there of routes_load(). */
bool routes_port(uint16_t id);

/* Copy from to *to; free it with routes_clear(). ENOMEM: *to is empty. */
int routes_copy(struct routes *to, const struct routes *from, struct err *e);

/* Delete all routes. */
void routes_clear(struct routes *rs);

/*
 * Write the prefix or five-tuple as routes_parse() reads it. text: ROUTES_TEXT
 * bytes.
 */
void routes_text(const struct route *r, char *text, size_t bytes);

/*
 * Print a line that routes_load() can read. JSON: an object {"prefix" or "flow", "port", "mac"}.
 * name: key of the object, or NULL in an array.
 */
void routes_show_one(const struct route *r, const char *name, struct out *o);
