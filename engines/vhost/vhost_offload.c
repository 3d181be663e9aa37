/* Does the checksums and segmentation that a guest offloads to its virtual device. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/vhost/vhost_offload.h"

#include "engines/common/csum_fix.h"
#include "engines/common/pkt_parse.h"
#include "engines/vhost/vhost_cut6.h"
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"

#include <rte_ethdev.h>

#include <linux/virtio_net.h>
#include <netinet/in.h>

/* Offloads of the Tx port. */
struct offers {
	bool tcp_csum, udp_csum, tso4, tso6, ufo;
};

static bool
agreed(uint64_t features, unsigned int bit)
{
	return (features & UINT64_C(1) << bit) != 0;
}

/* For a guest, the features it negotiated, which can change; for other ports, enabled offloads. */
static struct offers
offers_of(const struct vhost_offload *o, const struct stream *s)
{
	const uint64_t features = o->to_guest ? net_async_vhost_features(s->tx_port) : 0,
		       on = s->tx_end.offloads;

	if (!o->to_guest)
		return (struct offers){
			.tcp_csum = (on & RTE_ETH_TX_OFFLOAD_TCP_CKSUM) != 0,
			.udp_csum = (on & RTE_ETH_TX_OFFLOAD_UDP_CKSUM) != 0,
			.tso4 = (on & RTE_ETH_TX_OFFLOAD_TCP_TSO) != 0,
			.tso6 = (on & RTE_ETH_TX_OFFLOAD_TCP_TSO) != 0,
			.ufo = (on & RTE_ETH_TX_OFFLOAD_UDP_TSO) != 0,
		};
	return (struct offers){
		.tcp_csum = agreed(features, VIRTIO_NET_F_GUEST_CSUM),
		.udp_csum = agreed(features, VIRTIO_NET_F_GUEST_CSUM),
		.tso4 = agreed(features, VIRTIO_NET_F_GUEST_TSO4),
		.tso6 = agreed(features, VIRTIO_NET_F_GUEST_TSO6),
		.ufo = agreed(features, VIRTIO_NET_F_GUEST_UFO),
	};
}

/* Whether a port parses the headers as we do. */
static bool
port_reads(const struct rte_mbuf *m, const struct pkt_net *net)
{
	return net->plain && !net->fragment && net->l4_off + net->l4_len <= m->data_len;
}

static bool
takes_segments(const struct offers *port, const struct pkt_net *net)
{
	if (net->proto == IPPROTO_UDP)
		return port->ufo;
	return net->version == 4 ? port->tso4 : port->tso6;
}

static bool
takes_csum(const struct offers *port, const struct pkt_net *net)
{
	return net->proto == IPPROTO_UDP ? port->udp_csum : port->tcp_csum;
}

/* Request the checksum from the port, and segments of segsz bytes of payload if it is not 0. */
static void
ask(struct rte_mbuf *m, const struct pkt_net *net, uint16_t segsz)
{
	const bool udp = net->proto == IPPROTO_UDP;

	m->ol_flags &= RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL;
	m->ol_flags |= (net->version == 4 ? RTE_MBUF_F_TX_IPV4 : RTE_MBUF_F_TX_IPV6) |
		(udp ? RTE_MBUF_F_TX_UDP_CKSUM : RTE_MBUF_F_TX_TCP_CKSUM);
	if (segsz > 0)
		m->ol_flags |= (udp ? RTE_MBUF_F_TX_UDP_SEG : RTE_MBUF_F_TX_TCP_SEG) |
			(net->version == 4 ? RTE_MBUF_F_TX_IP_CKSUM : 0);
	m->tx_offload = rte_mbuf_tx_offload(net->l3_off, net->l4_off - net->l3_off, net->l4_len,
		segsz, 0, 0, 0);
}

/* rte_gso supports only IPv4; UDP on IPv6 cannot be segmented. */
static uint16_t
pieces(struct vhost_offload *o, struct stream *s, struct rte_mbuf *m, const struct pkt_net *net,
	struct rte_mbuf **out, uint16_t max)
{
	const bool tcp = net->proto == IPPROTO_TCP;
	const uint32_t size = net->l4_off + m->tso_segsz + (tcp ? net->l4_len : 0U);

	if (net->version == 6)
		return tcp ? vhost_cut6(s, m, net, out, max) : 0;
	o->gso.context.gso_size = (uint16_t)RTE_MIN(size, (uint32_t)UINT16_MAX);
	return csum_gso_cut(&o->gso, s, m, out, max);
}

/* Segment m as its guest requested, and set the checksums of each segment. */
static uint16_t
cut(struct vhost_offload *o, struct stream *s, struct rte_mbuf *m, const struct pkt_net *net,
	struct rte_mbuf **out, uint16_t max)
{
	static const struct csum_fix software;
	const uint16_t n = pieces(o, s, m, net, out, max);

	if (n == 0)
		return 0;
	stream_count_named(s, VHOST_CUT, 1);
	csum_fix_burst(&software, out, n);
	return n;
}

uint16_t
vhost_offload_do(struct vhost_offload *o, struct stream *s, struct rte_mbuf *m,
	struct rte_mbuf **out, uint16_t max)
{
	const struct offers port = offers_of(o, s);
	const bool large = (m->ol_flags & RTE_MBUF_F_RX_LRO) != 0;
	struct pkt_layers layers;
	const struct pkt_net *net = &layers.inner;

	pkt_parse(&layers, m);
	out[0] = m;
	if (net->l4_len == 0 || (net->proto != IPPROTO_TCP && net->proto != IPPROTO_UDP))
		return 1;
	if (large && !(takes_segments(&port, net) && port_reads(m, net)) && o->cuts)
		return cut(o, s, m, net, out, max);
	if (large && takes_segments(&port, net) && port_reads(m, net)) {
		ask(m, net, m->tso_segsz);
		stream_count_named(s, VHOST_SEGMENTS_PASSED, 1);
	} else if (takes_csum(&port, net) && port_reads(m, net)) {
		ask(m, net, 0);
		stream_count_named(s, VHOST_CSUM_PASSED, 1);
	} else {
		csum_fix_l4(m, net);
		m->ol_flags &= RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL;
		stream_count_named(s, VHOST_CSUM_MADE, 1);
	}
	return 1;
}
