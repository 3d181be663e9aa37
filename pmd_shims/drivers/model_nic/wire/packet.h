/* What NICs read in a packet to spread it over queues, and the hash that they spread it by. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	TOEPLITZ_BYTES = 40, /* input at most: IPv6 addresses, ports, SCTP's tag */
	TOEPLITZ_KEY = TOEPLITZ_BYTES + 4,
};

enum { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17, PROTOCOL_SCTP = 132 };

/* Where the parts are. */
struct packet_parts {
	const uint8_t *address[2], *port[2],
		*tag;         /* source, destination; ports NULL: none; tag: SCTP's */
	unsigned address_len; /* 4 or 16; 0: not IP */
	unsigned ethertype;   /* behind the tags; 0: the packet's end is missing */
	unsigned tag_control; /* of the outermost tag; 0: none */
	unsigned protocol;    /* of IP; meaningless in a fragment */
	bool fragment;
};

/* false: not IP, or its end is missing: only ethertype and tag_control are meant then. Tags of VLANs are passed. */
bool packet_parts_find(struct packet_parts *parts, const uint8_t *pkt, uint32_t len);

struct toeplitz {
	/* What each value of each half byte of the input adds. */
	uint32_t table[TOEPLITZ_BYTES * 2][16];
};

/* Source: "Verifying the RSS Hash Calculation", Microsoft; rte_thash.h agrees. */
void toeplitz_make(struct toeplitz *t, const uint8_t key[TOEPLITZ_KEY]);

/* Of n bytes, TOEPLITZ_BYTES at most. */
uint32_t toeplitz_hash(const struct toeplitz *t, const uint8_t *input, unsigned n);
