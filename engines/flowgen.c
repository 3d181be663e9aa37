/* Creates packets of many flows, each with its own destination address, and frees received
 * packets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/pkt.h"
#include "engines/engine.h"
#include "pmd_shims/extbuf.h"

#define IP_SRC RTE_IPV4(10, 254, 0, 0)
#define IP_DST RTE_IPV4(10, 253, 0, 0)
#define UDP_SRC 1000
#define UDP_DST 1001
#define FCS 4 /* bytes that the port adds; included in the length in txpkts */

/* clang-format off */
static const struct setting settings[] = {
	{ .name = "flowgen-flows", .unit = "flows", .min = 1, .max = INT32_MAX, .value = 1024,
		.help = "flowgen: number of destination addresses, starting at 10.253.0.0" },
	{ .name = "flowgen-clones", .unit = "packets", .max = UINT16_MAX,
		.help = "flowgen: additional copies of each packet within a burst" },
};
/* clang-format on */

struct flowgen {
	struct pkt_udp head;
	uint32_t sum; /* of the IP header's 16-bit words without the destination, host order */
	uint32_t flow, flows; /* next flow, number of flows */
	unsigned int group;   /* copies of each packet in a burst */
	uint16_t bytes;
	uint64_t flags;
	struct pool_blocks blocks;
};

static int
flowgen_init(struct stream *s, struct err *e)
{
	static const struct rte_ether_addr src = { { 0, 1, 2, 3, 4, 0 } },
					   dst = { { 0, 1, 2, 3, 4, 1 } };
	struct flowgen *f = s->state;
	uint16_t room = rte_pktmbuf_data_room_size(s->pool) - RTE_PKTMBUF_HEADROOM;
	uint16_t lengths[PKT_SEGS_MAX];
	uint64_t readonly = 0;
	int n = pkt_text_lengths(setting_text(s->settings, "txpkts"), lengths, e), bytes = -FCS;

	if (n < 0)
		return n;
	while (n > 0)
		bytes += lengths[--n];
	if (bytes < (int)sizeof(f->head) || bytes > room)
		return err_set(e, ERANGE,
			"flowgen: packet of %d bytes: expected %zu..%u, in one segment",
			bytes + FCS, sizeof(f->head) + FCS, room + FCS);
	f->group = (unsigned int)setting_u64(s->settings, "flowgen-clones") + 1;
	if (f->group > 1 && (s->tx_end.offloads & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0)
		return err_set(e, EINVAL,
			"flowgen-clones %u: clones are not possible with mbuf_fast_free on port %u; use 0, "
			"or disable the offload",
			f->group - 1, s->tx_port);
	f->flows = (uint32_t)setting_u64(s->settings, "flowgen-flows");
	f->bytes = (uint16_t)bytes;
	/* Clones of a packet are references to one mbuf. */
	if (f->group > 1 && extbuf_readonly_register(&readonly, e) != 0)
		return -e->code;
	f->flags = pkt_tx_flags(&s->tx_end) | readonly;
	f->head.ether.src_addr = src;
	f->head.ether.dst_addr = dst;
	pkt_udp_fill(&f->head, IP_SRC, 0, UDP_SRC, UDP_DST, f->bytes);
	f->sum = (uint16_t)~rte_be_to_cpu_16(f->head.ip.hdr_checksum);
	pkt_blocks_open(&f->blocks, s);
	return 0;
}

static void
flowgen_fini(struct stream *s)
{
	struct flowgen *f = s->state;

	pool_blocks_close(&f->blocks);
}

/* Write the packet of the next flow into an uninitialised mbuf. */
static __rte_always_inline void
build(struct stream *s, struct flowgen *f, struct rte_mbuf *m)
{
	uint32_t dst = IP_DST + f->flow, sum = f->sum + (dst >> 16) + (dst & 0xffff);
	struct pkt_udp *p;

	pkt_raw_open(m, f->bytes, f->flags, &s->tx_end);
	p = rte_pktmbuf_mtod(m, struct pkt_udp *);
	memcpy(p, &f->head, sizeof(*p));
	sum = (sum & 0xffff) + (sum >> 16);
	sum += sum >> 16;
	p->ip.dst_addr = rte_cpu_to_be_32(dst);
	p->ip.hdr_checksum = rte_cpu_to_be_16((uint16_t)~sum);
	if (++f->flow >= f->flows)
		f->flow = 0;
}

/*
 * Repeat each of pkts[0..n) group times, up to max packets in total; the last group may be
 * incomplete. Returns how many.
 */
static uint16_t
repeat(struct rte_mbuf **pkts, uint16_t n, unsigned int group, uint16_t max)
{
	unsigned int total = RTE_MIN(n * group, (unsigned int)max), end = total;

	while (n-- > 0) {
		struct rte_mbuf *m = pkts[n];
		unsigned int first = n * group;

		rte_mbuf_refcnt_update(m, (int16_t)(end - first - 1));
		while (end > first)
			pkts[--end] = m;
	}
	return (uint16_t)total;
}

static uint16_t
flowgen_source(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	struct flowgen *f = s->state;
	uint16_t n = stream_rx(s, pkts, max), i;

	if (n > 0)
		stream_absorb(s, pkts, n);
	n = pkt_blocks_get(s, &f->blocks, pkts, (uint16_t)((max + f->group - 1) / f->group));
	for (i = 0; i < n; i++)
		build(s, f, pkts[i]);
	if (f->group > 1)
		n = repeat(pkts, n, f->group, max);
	stream_made(s, n);
	return n;
}

/* Go back to the flows whose packets were not sent, so that every flow gets its share. */
static void
flowgen_sink(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	struct flowgen *f = s->state;
	unsigned int sent = stream_tx(s, pkts, n), again;

	if (likely(sent == n))
		return;
	again = (n + f->group - 1) / f->group - (sent + f->group - 1) / f->group;
	f->flow = (f->flow + f->flows - again % f->flows) % f->flows;
}

ENGINE_LOOP(flowgen, flowgen_source, NULL, flowgen_sink)

const struct engine engine_flowgen = {
	.name = "flowgen",
	.help = "create and send packets of many flows, free received packets",
	.flags = ENGINE_MAKES,
	.state_size = sizeof(struct flowgen),
	.init = flowgen_init,
	.loop = flowgen_loop,
	.fini = flowgen_fini,
	.settings = SETTING_TABLE("Engines", settings),
	.shown = &settings[0],
};
