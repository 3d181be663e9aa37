/* The addresses by which ports answer in runs of the engine measure: `set port P host`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ether.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct out;
struct rte_mempool;
struct rte_ring;

#define HOSTS_MAX 256 /* addresses of all ports */

struct host_address {
	uint16_t port;
	bool ip6;
	uint8_t prefix;            /* bits, as it was given */
	uint8_t bytes[16];         /* an IPv4 address: the last 4, the others 0 */
	struct rte_ether_addr mac; /* all 0: the port's */
};

/* All addresses. Workers read them during a run, in which they do not change. */
struct hosts {
	bool in_use;     /* by a run */
	struct out *out; /* of the program; NULL in tests */
	unsigned int n;
	struct host_address address[HOSTS_MAX];
};

/* Part of a stream in the answers of a run. Fixed before the run; without rings after it. */
struct host_run {
	const struct hosts *hosts; /* of the receiving port; NULL: it has no address */
	struct rte_ring *to;       /* of the stream that sends the answers */
	struct rte_mempool *pool;  /* of that stream */
	struct rte_ring *from;     /* answers that this stream sends; NULL: none */
};

/* Check the text of an address. EINVAL. */
int hosts_check(const char *text, struct err *e);

/*
 * Add an address of a port, "ADDRESS" or "ADDRESS/PREFIX". mac: of that host; NULL or all 0: the port's.
 * EINVAL: no address of a single host; EEXIST: a port has it; ENOSPC: there are HOSTS_MAX; EBUSY: a run
 * uses them. Thread: control, for all of this file, unless others are named.
 */
int hosts_add(struct hosts *h, uint16_t port, const char *text, const struct rte_ether_addr *mac,
	struct err *e);

/* Forget the addresses of a port. EBUSY: a run uses them. */
int hosts_clear(struct hosts *h, uint16_t port, struct err *e);

/* Return whether a port has any address. */
bool hosts_any(const struct hosts *h, uint16_t port);

/* Find an address of a port: bytes, 4 or 16 in network order. NULL: it has no such one. Thread: any. */
const struct host_address *hosts_find(const struct hosts *h, uint16_t port, bool ip6,
	const uint8_t *bytes);

/* Say that a run of an engine which never receives answers nothing, if a port has an address. */
void hosts_deaf_say(const struct hosts *h, const char *engine);

/* Print the commands that restore all addresses. Returns how many. */
uint64_t hosts_save(const struct hosts *h, struct out *to);

/* Print all addresses. */
void hosts_show(const struct hosts *h, struct out *to);
