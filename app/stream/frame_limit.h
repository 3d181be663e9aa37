/* The longest frame that a Tx queue can send, for drivers that accept longer ones and lose them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_branch_prediction.h>
#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_mbuf.h>

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

/* All zero: longer frames are not a problem, or nothing is known. */
struct frame_limit {
	uint32_t bytes;  /* of a frame without an 802.1Q tag */
	uint32_t tagged; /* of a frame with one; includes the tag */
	uint32_t mtu;    /* it decides; 0: the driver's buffers decide */
	uint32_t buffer; /* bytes of such a buffer, as in the device's arguments; 0: unknown */
	/* the interface that has the MTU, if ethdev cannot change it; else empty */
	char iface[IF_NAMESIZE];
};

/* Return whether a packet is longer than the queue can send. l->bytes: not 0. Thread: any. */
static inline bool
frame_limit_exceeded(const struct frame_limit *l, const struct rte_mbuf *m)
{
	const bool inserts = (m->ol_flags & RTE_MBUF_F_TX_VLAN) != 0;
	const uint32_t bytes = m->pkt_len + (inserts ? (uint32_t)sizeof(struct rte_vlan_hdr) : 0);
	const struct rte_ether_hdr *eth;

	if (likely(bytes <= l->bytes))
		return false;
	if (bytes > l->tagged)
		return true;
	eth = rte_pktmbuf_mtod(m, const struct rte_ether_hdr *);
	return !inserts && eth->ether_type != rte_cpu_to_be_16(RTE_ETHER_TYPE_VLAN);
}
