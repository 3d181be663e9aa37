/* Checksums of packets between guests and ports, in software. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/vhost_csum.h"

#include <rte_ip.h>
#include <rte_net.h>
#include <rte_tcp.h>
#include <rte_udp.h>

#include <linux/virtio_net.h>
#include <stddef.h>

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
