/* What a NIC does to a packet that leaves and says of one that comes: checksums, tags, segments. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/frame.h"

#include <stdbool.h>

enum { OFFLOAD_TAG = 4 }; /* bytes of a VLAN tag */

/* Called with each packet that leaves. */
typedef void offload_out(void *to, const uint8_t *pkt, uint32_t len);

/* Does the frame ask for anything? */
static inline bool
offload_wanted(const struct frame *f)
{
	return f->mss != 0 ||
		(f->flags & (FRAME_CSUM_L3 | FRAME_CSUM_L4 | FRAME_CSUM_OUTER | FRAME_VLAN)) != 0;
}

/*
 * Carry out what f asks for: its flags, l2_len (a tunnel's headers included), l3_len, l4_len, mss
 * and vlan. pkt: len bytes, written to, OFFLOAD_TAG bytes free before it. As on the card the L4
 * checksum starts from what the field holds: the sum of the pseudo header, without the length for
 * TSO. Lengths that do not fit the packet: it leaves as it is. Calls out for each packet that
 * leaves.
 */
void offload_send(uint8_t *pkt, uint32_t len, const struct frame *f, offload_out *out, void *to);

/*
 * FRAME_IPV4, _IPV6, _TCP, _UDP of a packet behind its tags; with check also FRAME_BAD_L3 and _L4.
 */
unsigned offload_inspect(const uint8_t *pkt, uint32_t len, bool check);

/*
 * The UDP checksum that a packet without tags and IPv4 options should have; network order in the
 * packet, host order here.
 */
uint16_t offload_udp4_sum(const uint8_t *pkt, uint32_t len);
