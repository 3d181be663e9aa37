/* Segments TCP on IPv6 by copying: the bytes have to be read for the checksum anyway. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/vhost/vhost_cut6.h"

#include <rte_branch_prediction.h>
#include <rte_byteorder.h>
#include <rte_ip.h>
#include <rte_tcp.h>

#include <string.h>

/* Append n bytes at off of m to an mbuf that has room for them. */
static void
append(struct rte_mbuf *to, const struct rte_mbuf *m, uint32_t off, uint16_t n)
{
	char *at = rte_pktmbuf_append(to, n);
	const void *from = rte_pktmbuf_read(m, off, n, at);

	if (from != at)
		memcpy(at, from, n);
}

/*
 * Set the headers of the segment with n bytes of payload at offset done. last: it is the last one.
 */
static void
headers(struct rte_mbuf *to, const struct pkt_net *net, uint32_t done, uint16_t n, bool last)
{
	struct rte_ipv6_hdr *ip = rte_pktmbuf_mtod_offset(to, struct rte_ipv6_hdr *, net->l3_off);
	struct rte_tcp_hdr *tcp = rte_pktmbuf_mtod_offset(to, struct rte_tcp_hdr *, net->l4_off);

	ip->payload_len = rte_cpu_to_be_16(
		(uint16_t)(net->l4_off - net->l3_off - sizeof(*ip) + net->l4_len + n));
	tcp->sent_seq = rte_cpu_to_be_32(rte_be_to_cpu_32(tcp->sent_seq) + done);
	if (done > 0)
		tcp->tcp_flags &= ~RTE_TCP_CWR_FLAG;
	if (!last)
		tcp->tcp_flags &= ~(RTE_TCP_FIN_FLAG | RTE_TCP_PSH_FLAG);
}

uint16_t
vhost_cut6(struct stream *s, struct rte_mbuf *m, const struct pkt_net *net, struct rte_mbuf **out,
	uint16_t max)
{
	const uint16_t before = net->l4_off + net->l4_len, size = m->tso_segsz;
	const uint32_t bytes = (uint32_t)net->l4_off + net->l4_bytes - before;
	const uint32_t n = size > 0 ? (bytes + size - 1) / size : 0;
	uint32_t done = 0;

	if (n == 0 || n > max ||
		before + (uint32_t)RTE_MIN(size, bytes) >
			(uint32_t)rte_pktmbuf_data_room_size(s->pool) - RTE_PKTMBUF_HEADROOM ||
		rte_pktmbuf_alloc_bulk(s->pool, out, n) != 0)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		const uint16_t some = (uint16_t)RTE_MIN(size, bytes - done);

		append(out[i], m, 0, before);
		append(out[i], m, before + done, some);
		headers(out[i], net, done, some, i + 1 == n);
		done += some;
	}
	rte_pktmbuf_free(m);
	stream_made(s, (uint16_t)(n - 1));
	return (uint16_t)n;
}
