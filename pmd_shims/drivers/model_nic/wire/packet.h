/* The parts of a packet that NICs use to choose a queue, and the Toeplitz hash. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	TOEPLITZ_BYTES = 40, /* maximum input: IPv6 addresses, ports, SCTP's tag */
	TOEPLITZ_KEY = TOEPLITZ_BYTES + 4,
};

enum { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17, PROTOCOL_SCTP = 132 };

/* Positions and values of the parts. */
struct packet_parts {
	const uint8_t *address[2], *port[2]; /* source, destination; ports NULL: none */
	const uint8_t *tag;                  /* SCTP's tag; NULL: none */
	unsigned address_len;                /* 4 or 16; 0: not IP */
	unsigned ethertype;                  /* after the tags; 0: the packet is too short */
	unsigned tag_control;                /* of the outermost VLAN tag; 0: none */
	unsigned protocol;                   /* IP protocol; invalid in a fragment */
	bool fragment;
};

/*
 * Find the parts of a packet, with or without VLAN tags. Returns false if it is not IP or too
 * short; then only ethertype and tag_control are valid.
 */
bool packet_parts_find(struct packet_parts *parts, const uint8_t *pkt, uint32_t len);

struct toeplitz {
	/* the contribution to the hash of each value of each half byte of the input */
	uint32_t table[TOEPLITZ_BYTES * 2][16];
};

/*
 * Prepare a key for hashing. Source: "Verifying the RSS Hash Calculation", Microsoft; rte_thash.h
 * agrees.
 */
void toeplitz_make(struct toeplitz *t, const uint8_t key[TOEPLITZ_KEY]);

/* The hash of n bytes, at most TOEPLITZ_BYTES. */
uint32_t toeplitz_hash(const struct toeplitz *t, const uint8_t *input, unsigned n);
