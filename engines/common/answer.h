/* Converts ARP and ICMP echo requests into their answers, in place. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ether.h>
#include <rte_mbuf.h>

#include <stdbool.h>

/* What a packet was. The first two became answers; all others are unchanged. */
enum answer {
	ANSWER_ARP,
	ANSWER_ECHO,
	ANSWER_OTHER_TYPE, /* neither ARP nor IPv4 */
	ANSWER_OTHER_ARP,  /* no request for an IPv4 address on Ethernet */
	ANSWER_NOT_ECHO,   /* IPv4, but no ICMP echo request */
	ANSWER_FRAGMENT,
	ANSWER_BAD_SOURCE, /* a group address */
	ANSWER_MALFORMED,
	ANSWERS
};

/*
 * Convert a request for any IPv4 address into its answer in place, as testpmd does. Checksums are
 * changed incrementally and not checked. m: writable up to PKT_HEAD_MAX bytes, and in its whole first
 * segment. own: the port's address. Thread: any. Source: RFC 826, 792, 1624.
 */
enum answer answer_make(struct rte_mbuf *m, const struct rte_ether_addr *own);

/* Return whether the packet became an answer. */
static inline bool
answer_made(enum answer what)
{
	return what <= ANSWER_ECHO;
}
