/* Segments large packets with DPDK's GSO library: selects the packets that it handles correctly,
 * and corrects its results. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/csum_gso.h"

#include "base/err.h"
#include "engines/common/csum_fix.h"

#include <rte_branch_prediction.h>
#include <rte_ethdev.h>

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

int
csum_gso_init(struct csum_gso *gso, const struct stream *s, uint16_t segsz, struct err *e)
{
	if ((s->tx_end.offloads & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0)
		return err_set(e, ENOTSUP,
			"port %u: GSO creates indirect mbufs, which mbuf_fast_free does not allow; "
			"use \"port config %u tx_offload mbuf_fast_free off\"",
			s->tx_port, s->tx_port);
	if ((rte_pktmbuf_priv_flags(s->pool) & RTE_PKTMBUF_POOL_F_PINNED_EXT_BUF) != 0)
		return err_set(e, ENOTSUP,
			"pool %s: GSO creates indirect mbufs, which a pool of external buffers "
			"does not allow",
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

/* Whether the packet is unfragmented, plain TCP or UDP on IPv4. */
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

/*
 * Bytes of headers in each segment. UDP packets become fragments, of which only the first has a UDP
 * header.
 */
static uint32_t
headers_of(const struct pkt_net *net)
{
	return net->l4_off + (net->proto == IPPROTO_TCP ? net->l4_len : 0U);
}

/* Whether the library segments such packets. A tunnel must end where its inner packet ends. */
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
 * The number of segments for m; 1: do not segment it. The library does not check that the headers
 * fit into an mbuf or are shorter than a segment, and treats padding as payload.
 */
static uint32_t
segments(const struct csum_gso *gso, struct rte_mbuf *m, const struct pkt_layers *layers)
{
	const struct pkt_net *net = &layers->inner;
	uint32_t headers = headers_of(net), unit;

	if (headers > m->data_len || headers > gso->header_room || headers >= gso->context.gso_size)
		return 1;
	unit = gso->context.gso_size - headers;
	if (net->proto == IPPROTO_UDP)
		unit &= ~7U; /* fragment offsets are in units of 8 bytes */
	if (unit == 0 || end_of(net) <= gso->context.gso_size ||
		(uint32_t)net->l4_off + net->l4_len >= end_of(net))
		return 1;
	if (m->pkt_len > end_of(net) && rte_pktmbuf_trim(m, m->pkt_len - end_of(net)) != 0)
		return 1;
	return (m->pkt_len - headers + unit - 1) / unit;
}

/* Set the lengths and flags in m that the library reads, and clear those from Rx. */
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

/*
 * Copy m's headers into a direct mbuf if m is external or indirect: the library copies m's flags to
 * the mbufs of new headers, which would then be freed as the wrong kind. Returns m, or the new
 * first mbuf followed by m, or NULL if there is none.
 */
static struct rte_mbuf *
own_headers(struct rte_mempool *pool, struct rte_mbuf *m, uint16_t headers)
{
	struct rte_mbuf *first;

	if (likely(RTE_MBUF_DIRECT(m)))
		return m;
	first = rte_pktmbuf_alloc(pool);
	if (unlikely(first == NULL))
		return NULL;
	memcpy(rte_pktmbuf_mtod(first, void *), rte_pktmbuf_mtod(m, void *), headers);
	first->data_len = headers;
	first->pkt_len = m->pkt_len;
	first->nb_segs = m->nb_segs + 1;
	first->next = m;
	m->data_off += headers;
	m->data_len -= headers;
	return first;
}

/* Undo own_headers(). */
static void
disown_headers(struct rte_mbuf *first, struct rte_mbuf *m)
{
	if (first == m)
		return;
	m->data_off -= first->data_len;
	m->data_len += first->data_len;
	rte_pktmbuf_free_seg(first);
}

/* Segment m. Returns the number of segments, or 0 if it fails. */
static uint16_t
cut(const struct csum_gso *gso, struct rte_mbuf *m, const struct pkt_layers *layers,
	struct rte_mbuf **out, uint16_t max)
{
	struct rte_mbuf *first, *empty;
	int n;

	if (layers->inner.proto == IPPROTO_UDP)
		csum_fix_l4(m, &layers->inner);
	first = own_headers(gso->context.direct_pool, m, headers_of(&layers->inner));
	if (unlikely(first == NULL))
		return 0;
	describe(first, layers);
	n = rte_gso_segment(first, &gso->context, out, max);
	if (unlikely(n <= 0)) {
		disown_headers(first, m);
		return 0;
	}
	/* If the headers filled their mbuf, the first piece of payload is empty. */
	for (empty = out[0]->next; unlikely(empty->data_len == 0); empty = out[0]->next) {
		out[0]->next = empty->next;
		out[0]->nb_segs--;
		rte_pktmbuf_free_seg(empty);
	}
	rte_pktmbuf_free(first);
	return n;
}

uint16_t
csum_gso_cut(const struct csum_gso *gso, struct stream *s, struct rte_mbuf *m,
	struct rte_mbuf **out, uint16_t max)
{
	struct pkt_layers layers;
	uint32_t want = 1;
	uint16_t n;

	if (m->pkt_len > gso->context.gso_size) {
		pkt_parse(&layers, m);
		if (gso->parse_tunnel)
			pkt_parse_tunnel(&layers, m, &gso->ports);
		if (suits(&layers))
			want = segments(gso, m, &layers);
	}
	if (unlikely(want > max))
		return 0;
	if (likely(want == 1)) {
		out[0] = m;
		return 1;
	}
	n = cut(gso, m, &layers, out, max);
	if (likely(n > 0))
		stream_made(s, n - 1);
	return n;
}
