/* Merges TCP/IPv4 segments with DPDK's GRO library: selects the packets that it handles correctly,
 * and counts those merged. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/csum/csum_gro.h"

#include "base/err.h"
#include "engines/common/pkt_parse.h"

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_mbuf_ptype.h>

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

/*
 * Table sizes as in testpmd: for a single burst, and for packets held over several polls.
 */
#define BURST_FLOW_PACKETS 32
#define TABLE_FLOWS 4

int
csum_gro_init(struct csum_gro *gro, const struct stream *s, uint16_t flush_cycles, struct err *e)
{
	*gro = (struct csum_gro){
		.param = {
			.gro_types = RTE_GRO_TCP_IPV4,
			.max_flow_num = RTE_GRO_MAX_BURST_ITEM_NUM / BURST_FLOW_PACKETS,
			.max_item_per_flow = BURST_FLOW_PACKETS,
			.socket_id = s->rx_end.socket,
		},
		.flush_cycles = flush_cycles,
	};
	if (flush_cycles == 1)
		return 0;
	gro->param.max_flow_num = TABLE_FLOWS;
	gro->param.max_item_per_flow = BURST_MAX;
	gro->table = rte_gro_ctx_create(&gro->param);
	if (gro->table == NULL)
		return err_set(e, ENOMEM, "port %u queue %u: no memory for a GRO table", s->rx_port,
			s->rx_queue);
	return 0;
}

/*
 * Set the lengths and packet type in m, which the library trusts. Returns whether the library
 * handles m correctly: it removes headers by the lengths of another packet of the flow, and does
 * not compare VLAN tags or IP options.
 */
static bool
prepare(struct rte_mbuf *m)
{
	struct pkt_layers layers;
	const struct pkt_net *net = &layers.inner;
	uint32_t headers, end;

	pkt_parse(&layers, m);
	headers = net->l4_off + net->l4_len;
	end = net->l4_off + net->l4_bytes;
	if (net->version != 4 || net->proto != IPPROTO_TCP || net->l4_len == 0 ||
		net->l3_off != sizeof(struct rte_ether_hdr) ||
		net->l4_off - net->l3_off != (int)sizeof(struct rte_ipv4_hdr) ||
		headers > m->data_len || headers == end)
		return false;
	if (m->pkt_len > end && rte_pktmbuf_trim(m, m->pkt_len - end) != 0)
		return false;
	m->packet_type = RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4 | RTE_PTYPE_L4_TCP;
	m->tx_offload = rte_mbuf_tx_offload(net->l3_off, net->l4_off - net->l3_off, net->l4_len, 0,
		0, 0, 0);
	return true;
}

/*
 * Merge the candidates pkts[0..n), or add them to the table if there is one. Returns how many are
 * left in pkts.
 */
static uint16_t
reassemble(struct csum_gro *gro, struct stream *s, struct rte_mbuf **pkts, uint16_t n,
	unsigned int which)
{
	uint64_t held, merged;
	uint16_t left;

	if (n == 0)
		return 0;
	if (gro->table == NULL) {
		left = rte_gro_reassemble_burst(pkts, n, &gro->param);
		merged = n - left;
	} else {
		held = rte_gro_get_pkt_count(gro->table);
		left = rte_gro_reassemble(pkts, n, gro->table);
		merged = held + n - left - rte_gro_get_pkt_count(gro->table);
	}
	if (merged > 0) {
		counter_add(&s->count.absorbed, merged);
		stream_count_named(s, which, merged);
	}
	return left;
}

uint16_t
csum_gro_merge(struct csum_gro *gro, struct stream *s, struct rte_mbuf **pkts, uint16_t n,
	unsigned int which)
{
	struct rte_mbuf *rest[BURST_MAX];
	uint16_t n_rest = 0, candidates = 0, left, flushed = 0;

	if (n == 0 && (gro->table == NULL || rte_gro_get_pkt_count(gro->table) == 0))
		return 0;
	for (uint16_t i = 0; i < n; i++) {
		if (prepare(pkts[i]))
			pkts[candidates++] = pkts[i];
		else
			rest[n_rest++] = pkts[i];
	}
	left = reassemble(gro, s, pkts, candidates, which);
	if (gro->table != NULL && ++gro->polls >= gro->flush_cycles) {
		/* Packets in the table are older than those that did not fit into it. */
		memmove(&pkts[BURST_MAX - left], pkts, left * sizeof(pkts[0]));
		flushed = rte_gro_timeout_flush(gro->table, 0, RTE_GRO_TCP_IPV4, pkts,
			BURST_MAX - left - n_rest);
		memmove(&pkts[flushed], &pkts[BURST_MAX - left], left * sizeof(pkts[0]));
		/* Packets for which pkts has no room come with the next poll. */
		gro->polls = rte_gro_get_pkt_count(gro->table) > 0 ? gro->flush_cycles - 1 : 0;
	}
	memcpy(&pkts[flushed + left], rest, n_rest * sizeof(pkts[0]));
	return flushed + left + n_rest;
}

void
csum_gro_fini(struct csum_gro *gro, struct stream *s, unsigned int which)
{
	struct rte_mbuf *pkts[BURST_MAX];
	uint16_t n;

	if (gro->table == NULL)
		return;
	while ((n = rte_gro_timeout_flush(gro->table, 0, RTE_GRO_TCP_IPV4, pkts, BURST_MAX)) > 0) {
		stream_absorb(s, pkts, n);
		stream_count_named(s, which, n);
	}
	rte_gro_ctx_destroy(gro->table);
	gro->table = NULL;
}
