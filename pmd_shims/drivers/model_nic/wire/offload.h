/* Offloads of a NIC: checksums, tags and segmentation on Tx, checksum checks on Rx. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/frame.h"

#include <stdbool.h>

enum { OFFLOAD_TAG = 4 }; /* bytes of a VLAN tag */

/* Called with each packet that is sent. */
typedef void offload_out(void *to, const uint8_t *pkt, uint32_t len);

/* True if the frame requests an offload. */
static inline bool
offload_wanted(const struct frame *f)
{
	return f->mss != 0 ||
		(f->flags & (FRAME_CSUM_L3 | FRAME_CSUM_L4 | FRAME_CSUM_OUTER | FRAME_VLAN)) != 0;
}

/*
 * Apply the offloads that f requests by its flags, l2_len (including a tunnel's headers), l3_len,
 * l4_len, mss and vlan, and call out for each resulting packet. pkt: len bytes, which are modified,
 * with OFFLOAD_TAG bytes free before it. As on the card, the L4 checksum starts from the field,
 * which has the sum of the pseudo header, for TSO without the length. A packet whose headers are
 * shorter than these lengths is sent unchanged.
 */
void offload_send(uint8_t *pkt, uint32_t len, const struct frame *f, offload_out *out, void *to);

/*
 * The flags FRAME_IPV4, _IPV6, _TCP, _UDP of a packet, with or without tags; with check also
 * FRAME_BAD_L3 and _L4.
 */
unsigned offload_inspect(const uint8_t *pkt, uint32_t len, bool check);

/*
 * The right UDP checksum of a packet without tags and IPv4 options, in host byte order.
 */
uint16_t offload_udp4_sum(const uint8_t *pkt, uint32_t len);
