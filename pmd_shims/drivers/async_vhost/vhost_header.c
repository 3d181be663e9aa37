/* The header of virtio-net in front of a packet, an mbuf's offload flags, and checksums in software. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/vhost_header.h"

#include <rte_branch_prediction.h>
#include <rte_ip.h>
#include <rte_net.h>
#include <rte_sctp.h>
#include <rte_tcp.h>
#include <rte_udp.h>

#include <stddef.h>
#include <string.h>

/* Checksums of packets between guests and ports, in software. */

/*
 * Compute the checksum of the bytes from off to the end and store it at off + field. Returns false
 * if the field is not in the first segment.
 */
static bool
sum_from(struct rte_mbuf *m, uint32_t off, uint32_t field, bool never_zero)
{
	uint16_t sum;

	if (off >= m->pkt_len || off + field + sizeof(sum) > m->data_len ||
		rte_raw_cksum_mbuf(m, off, m->pkt_len - off, &sum) != 0)
		return false;
	sum = (uint16_t)~sum;
	if (sum == 0 && never_zero)
		sum = UINT16_MAX;
	*rte_pktmbuf_mtod_offset(m, unaligned_uint16_t *, off + field) = sum;
	return true;
}

bool
vhost_csum_complete(struct rte_mbuf *m)
{
	struct rte_net_hdr_lens lens;
	uint32_t l4 = rte_net_get_ptype(m, &lens, RTE_PTYPE_ALL_MASK) & RTE_PTYPE_L4_MASK, off;

	off = lens.l2_len + lens.l3_len;
	if (l4 == RTE_PTYPE_L4_TCP && sum_from(m, off, offsetof(struct rte_tcp_hdr, cksum), false))
		;
	else if (l4 != RTE_PTYPE_L4_UDP ||
		!sum_from(m, off, offsetof(struct rte_udp_hdr, dgram_cksum), true))
		return false;
	m->ol_flags = (m->ol_flags & ~RTE_MBUF_F_RX_L4_CKSUM_MASK) | RTE_MBUF_F_RX_L4_CKSUM_GOOD;
	return true;
}

static bool
segments(const struct rte_mbuf *m, uint64_t features)
{
	unsigned int bit;

	if ((m->ol_flags & RTE_MBUF_F_TX_UDP_SEG) != 0)
		bit = VIRTIO_NET_F_GUEST_UFO;
	else
		bit = (m->ol_flags & RTE_MBUF_F_TX_IPV4) != 0 ? VIRTIO_NET_F_GUEST_TSO4
							      : VIRTIO_NET_F_GUEST_TSO6;
	return (features & UINT64_C(1) << bit) != 0;
}

bool
vhost_csum_before_tx(struct rte_mbuf *m, uint64_t features)
{
	const uint64_t l4 = m->ol_flags & RTE_MBUF_F_TX_L4_MASK;
	const uint32_t off = m->l2_len + m->l3_len;

	if ((m->ol_flags & (RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_UDP_SEG)) != 0)
		return segments(m, features);
	if (l4 == 0 || (features & UINT64_C(1) << VIRTIO_NET_F_GUEST_CSUM) != 0)
		return true;
	if (rte_net_intel_cksum_prepare(m) == 0) {
		if (l4 == RTE_MBUF_F_TX_TCP_CKSUM)
			sum_from(m, off, offsetof(struct rte_tcp_hdr, cksum), false);
		else if (l4 == RTE_MBUF_F_TX_UDP_CKSUM)
			sum_from(m, off, offsetof(struct rte_udp_hdr, dgram_cksum), true);
	}
	m->ol_flags &= ~RTE_MBUF_F_TX_L4_MASK;
	return true;
}

/* Where the checksum is in the header of layer 4 that Tx offload flags name. */
static uint16_t
csum_offset(uint64_t l4)
{
	if (l4 == RTE_MBUF_F_TX_UDP_CKSUM)
		return offsetof(struct rte_udp_hdr, dgram_cksum);
	return l4 == RTE_MBUF_F_TX_SCTP_CKSUM ? offsetof(struct rte_sctp_hdr, cksum)
					      : offsetof(struct rte_tcp_hdr, cksum);
}

static void
requests_to_guest(struct virtio_net_hdr *h, struct rte_mbuf *m)
{
	const bool tcp_seg = (m->ol_flags & RTE_MBUF_F_TX_TCP_SEG) != 0;
	const bool udp_seg = (m->ol_flags & RTE_MBUF_F_TX_UDP_SEG) != 0;
	const uint64_t l4 = tcp_seg ? RTE_MBUF_F_TX_TCP_CKSUM : m->ol_flags & RTE_MBUF_F_TX_L4_MASK;

	if (l4 != 0) {
		rte_net_intel_cksum_prepare(m); /* the sum of the pseudo header */
		h->flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
		h->csum_start = m->l2_len + m->l3_len;
		h->csum_offset = csum_offset(l4);
	}
	if ((m->ol_flags & RTE_MBUF_F_TX_IP_CKSUM) != 0) {
		struct rte_ipv4_hdr *ip =
			rte_pktmbuf_mtod_offset(m, struct rte_ipv4_hdr *, m->l2_len);

		ip->hdr_checksum = 0;
		ip->hdr_checksum = rte_ipv4_cksum(ip);
	}
	if (tcp_seg || udp_seg) {
		h->gso_type = (m->ol_flags & RTE_MBUF_F_TX_IPV4) != 0 ? VIRTIO_NET_HDR_GSO_TCPV4
								      : VIRTIO_NET_HDR_GSO_TCPV6;
		if (udp_seg)
			h->gso_type = VIRTIO_NET_HDR_GSO_UDP;
		h->gso_size = m->tso_segsz;
		h->hdr_len = (uint16_t)(m->l2_len + m->l3_len + m->l4_len);
	}
}

void
vhost_header_to_guest(struct virtio_net_hdr *h, struct rte_mbuf *m)
{
	const uint64_t asks = RTE_MBUF_F_TX_L4_MASK | RTE_MBUF_F_TX_IP_CKSUM |
		RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_UDP_SEG;

	memset(h, 0, sizeof(*h));
	if (unlikely((m->ol_flags & asks) != 0))
		requests_to_guest(h, m);
}

static void
requests_from_guest(const struct virtio_net_hdr *h, struct rte_mbuf *m)
{
	const uint8_t gso = h->gso_type & ~VIRTIO_NET_HDR_GSO_ECN;
	struct rte_net_hdr_lens lens;
	uint32_t l4;

	m->packet_type = rte_net_get_ptype(m, &lens, RTE_PTYPE_ALL_MASK);
	l4 = m->packet_type & RTE_PTYPE_L4_MASK;
	if ((h->flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) != 0) {
		const bool known = l4 == RTE_PTYPE_L4_TCP || l4 == RTE_PTYPE_L4_UDP ||
			l4 == RTE_PTYPE_L4_SCTP;

		if (known && h->csum_start <= lens.l2_len + lens.l3_len + lens.l4_len)
			m->ol_flags |= RTE_MBUF_F_RX_L4_CKSUM_NONE;
		else /* such as in a tunnel: nothing behind the port could fill it in */
			sum_from(m, h->csum_start, h->csum_offset, false);
	}
	if (h->gso_size == 0)
		return;
	if ((l4 == RTE_PTYPE_L4_TCP &&
		    (gso == VIRTIO_NET_HDR_GSO_TCPV4 || gso == VIRTIO_NET_HDR_GSO_TCPV6)) ||
		(l4 == RTE_PTYPE_L4_UDP && gso == VIRTIO_NET_HDR_GSO_UDP)) {
		m->ol_flags |= RTE_MBUF_F_RX_LRO | RTE_MBUF_F_RX_L4_CKSUM_NONE;
		m->tso_segsz = h->gso_size;
	}
}

void
vhost_header_from_guest(const struct virtio_net_hdr *h, struct rte_mbuf *m)
{
	if (unlikely(h->flags != 0 || h->gso_type != VIRTIO_NET_HDR_GSO_NONE))
		requests_from_guest(h, m);
}
