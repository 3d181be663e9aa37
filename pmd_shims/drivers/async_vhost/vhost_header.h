/* The header of virtio-net in front of a packet, an mbuf's offload flags, and checksums in software. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_mbuf.h>

#include <linux/virtio_net.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Fill a header from a packet's Tx offload flags, and make its IPv4 checksum if they ask for it,
 * because virtio has no request for that.
 */
void vhost_header_to_guest(struct virtio_net_hdr *h, struct rte_mbuf *m);

/*
 * Set a packet's Rx offload flags from its header: RTE_MBUF_F_RX_L4_CKSUM_NONE for an incomplete
 * checksum, RTE_MBUF_F_RX_LRO with tso_segsz for a packet that its sender left to be cut.
 */
void vhost_header_from_guest(const struct virtio_net_hdr *h, struct rte_mbuf *m);

/*
 * Complete the TCP or UDP checksum of a received packet whose checksum field has only that of the
 * pseudo header. Returns true if it was completed.
 */
bool vhost_csum_complete(struct rte_mbuf *m);

/*
 * Compute the checksums that Tx offload flags ask for and the guest cannot compute, and clear the
 * flags. features: of the guest. Returns false if the flags ask for a segmentation that the guest
 * does not accept.
 */
bool vhost_csum_before_tx(struct rte_mbuf *m, uint64_t features);
