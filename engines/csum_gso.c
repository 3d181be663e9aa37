/* Cut large packets: pick those that DPDK's GSO library can be trusted with, and mend what it leaves. */
#include "csum_gso.h"

#include "csum_fix.h"
#include "err.h"

#include <rte_branch_prediction.h>
#include <rte_ethdev.h>

#include <errno.h>
#include <netinet/in.h>

int
csum_gso_init(struct csum_gso *gso, const struct stream *s, uint16_t segsz, struct err *e)
{
	if ((s->tx_end.offloads & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0)
		return err_set(e, ENOTSUP,
			"port %u: GSO makes mbufs that refer to others, which mbuf_fast_free forbids: "
			"port config %u tx_offload mbuf_fast_free off",
			s->tx_port, s->tx_port);
	if ((rte_pktmbuf_priv_flags(s->pool) & RTE_PKTMBUF_POOL_F_PINNED_EXT_BUF) != 0)
		return err_set(e, ENOTSUP,
			"pool %s: GSO makes mbufs that refer to others, which a pool of external "
			"buffers forbids",
			s->pool->name);
	*gso = (struct csum_gso){
		.context = {
			.direct_pool = s->pool,
			.indirect_pool = s->pool,
			.gso_types = RTE_ETH_TX_OFFLOAD_TCP_TSO | RTE_ETH_TX_OFFLOAD_VXLAN_TNL_TSO |
				     RTE_ETH_TX_OFFLOAD_GRE_TNL_TSO | RTE_ETH_TX_OFFLOAD_UDP_TSO,
			.gso_size = segsz,
		},
		.header_room = rte_pktmbuf_data_room_size(s->pool) - RTE_PKTMBUF_HEADROOM,
		.parse_tunnel = s->tx_end.csum.parse_tunnel,
	};
	return 0;
}

/* A whole, plain TCP or UDP packet on IPv4. */
static bool
whole(const struct pkt_net *net)
{
	return net->version == 4 && net->plain && !net->fragment && net->l4_len > 0 &&
		(net->proto == IPPROTO_TCP || net->proto == IPPROTO_UDP);
}

static uint32_t
end_of(const struct pkt_net *net)
{
	return (uint32_t)net->l4_off + net->l4_bytes;
}

/* Whether the library cuts such packets; in a tunnel, what is inside must fill what is outside. */
static bool
suits(const struct pkt_layers *layers)
{
	const struct pkt_net *outer = &layers->outer, *inner = &layers->inner;

	if (!whole(inner))
		return false;
	if (layers->tunnel == 0)
		return true;
	if (outer->version != 4 || !outer->plain || outer->fragment ||
		end_of(outer) != end_of(inner))
		return false;
	if (layers->tunnel == RTE_MBUF_F_TX_TUNNEL_VXLAN)
		return true;
	return layers->tunnel == RTE_MBUF_F_TX_TUNNEL_GRE && inner->proto == IPPROTO_TCP &&
		layers->gre_sum_off == 0;
}

/*
 * How many segments m makes; 0: it stays whole. The library copies the headers into an mbuf without looking at its
 * size, subtracts them from the segment size without looking for a borrow, and takes padding for payload.
 */
static uint32_t
segments(const struct csum_gso *gso, struct rte_mbuf *m, const struct pkt_layers *layers)
{
	const struct pkt_net *net = &layers->inner;
	bool tcp = net->proto == IPPROTO_TCP;
	uint32_t headers = net->l4_off + (tcp ? net->l4_len : 0), unit;

	if (headers > m->data_len || headers > gso->header_room || headers >= gso->context.gso_size)
		return 0;
	unit = gso->context.gso_size - headers;
	if (!tcp)
		unit &= ~7U; /* fragments count in 8 bytes */
	if (unit == 0 || end_of(net) <= gso->context.gso_size ||
		(uint32_t)net->l4_off + net->l4_len >= end_of(net))
		return 0;
	if (m->pkt_len > end_of(net) && rte_pktmbuf_trim(m, m->pkt_len - end_of(net)) != 0)
		return 0;
	return (m->pkt_len - headers + unit - 1) / unit;
}

/* Tell the library what m is, with nothing left of what the receiving port said. */
static void
describe(struct rte_mbuf *m, const struct pkt_layers *layers)
{
	const struct pkt_net *outer = &layers->outer, *inner = &layers->inner;
	bool tunnel = layers->tunnel != 0;

	m->ol_flags &= RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL;
	m->ol_flags |= RTE_MBUF_F_TX_IPV4 | layers->tunnel |
		(tunnel ? RTE_MBUF_F_TX_OUTER_IPV4 : 0) |
		(inner->proto == IPPROTO_TCP ? RTE_MBUF_F_TX_TCP_SEG : RTE_MBUF_F_TX_UDP_SEG);
	m->tx_offload = rte_mbuf_tx_offload(inner->l3_off - (tunnel ? outer->l4_off : 0),
		inner->l4_off - inner->l3_off, inner->l4_len, 0,
		tunnel ? outer->l4_off - outer->l3_off : 0, tunnel ? outer->l3_off : 0, 0);
}

/* What the library leaves: flags of m's own buffer on mbufs that are not like it, an empty first piece of payload. */
static void
mend(struct rte_mbuf **out, uint16_t n)
{
	struct rte_mbuf *empty = out[0]->next;

	if (unlikely(empty != NULL && empty->data_len == 0)) {
		out[0]->next = empty->next;
		out[0]->nb_segs--;
		rte_pktmbuf_free_seg(empty);
	}
	for (uint16_t i = 0; i < n; i++)
		out[i]->ol_flags &= ~(RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL);
}

uint16_t
csum_gso_cut(const struct csum_gso *gso, struct stream *s, struct rte_mbuf *m,
	struct rte_mbuf **out, uint16_t max)
{
	struct pkt_layers layers;
	uint32_t want = 0;
	int n = 0;

	if (m->pkt_len > gso->context.gso_size) {
		pkt_parse(&layers, m);
		if (gso->parse_tunnel)
			pkt_parse_tunnel(&layers, m, &gso->ports);
		if (suits(&layers))
			want = segments(gso, m, &layers);
	}
	if (want > max)
		return 0;
	if (want > 0) {
		if (layers.inner.proto == IPPROTO_UDP)
			csum_fix_l4(m, &layers.inner);
		describe(m, &layers);
		n = rte_gso_segment(m, &gso->context, out, max);
		if (unlikely(n < 0))
			return 0;
	}
	if (n == 0) {
		out[0] = m;
		return 1;
	}
	mend(out, n);
	rte_pktmbuf_free(m);
	stream_made(s, n - 1);
	return n;
}
