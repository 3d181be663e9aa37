/* The engine vhost: forwards between guests and any ports. Checksums and segmentation that a guest offloads are done by the Tx port or guest if it can, otherwise in software. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "base/stat.h"
#include "compat.h"
#include "engines/common/csum_fix.h"
#include "engines/common/csum_gso.h"
#include "engines/common/pkt_parse.h"
#include "engines/engine.h"
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"
#include "stream/stream.h"

#include <rte_branch_prediction.h>
#include <rte_byteorder.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_gso.h>
#include <rte_ip.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_tcp.h>

#include <linux/virtio_net.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Checksums and segmentation that a guest offloads: done by the Tx port or in software. */

/* Indexes in stream_count.named. */
enum vhost_counter {
	VHOST_CSUM_PASSED,
	VHOST_CSUM_MADE,
	VHOST_SEGMENTS_PASSED,
	VHOST_CUT,
	VHOST_CUT_FAILED,
};

struct vhost_offload {
	struct csum_gso gso; /* gso_size is set for each packet */
	bool to_guest;       /* the Tx port is a guest's, with negotiated features */
	bool cuts;           /* guests were offered segmentation, so gso is initialised */
};

/* Whether m has offloads from a guest that still have to be done. */
static inline bool
vhost_offload_due(const struct rte_mbuf *m)
{
	return (m->ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK) == RTE_MBUF_F_RX_L4_CKSUM_NONE ||
		(m->ol_flags & RTE_MBUF_F_RX_LRO) != 0;
}

/* Segments TCP on IPv6 by copying: the bytes have to be read for the checksum anyway. */

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

/*
 * Copy m into segments of tso_segsz bytes of payload in out[0..max), without setting checksums, and
 * free m. net: m's layer, TCP on IPv6. Thread: the stream's worker. Returns the packets in out; 0
 * if there is no mbuf, a segment does not fit into one, or out has no room, and then the caller
 * still owns m. Counts: made.
 */
static uint16_t
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

/* Does the checksums and segmentation that a guest offloads to its virtual device. */

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

/*
 * Do m's offloads: request them from the Tx port, or set checksums and segment in software. Puts
 * the packets into out[0..max) in order. Thread: the stream's worker. Returns how many; 0 if mbufs
 * or room in out are short, and then the caller still owns m. Counts: made, enum vhost_counter.
 */
static uint16_t
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

/* Statistics of virtqueues: the counters at the begin of a run are subtracted, and the result is
 * kept at its end. */

enum { RECEIVE, TRANSMIT, ENDS };

struct kept {
	struct net_async_vhost_virtqueue begin[ENDS], end[ENDS];
	bool there[ENDS]; /* whether the port is a guest's */
};

static int
now(const struct stream *s, unsigned int i, struct net_async_vhost_virtqueue *to)
{
	return net_async_vhost_virtqueue(i == RECEIVE ? s->rx_port : s->tx_port,
		i == RECEIVE ? s->rx_queue : s->tx_queue, i == RECEIVE, to);
}

/*
 * Store the virtqueues' counters at the begin of a run. Returns 0, or -ENOMEM. Thread: control, all
 * of this file.
 */
static int
vhost_virtqueue_begin(struct stream *s, struct err *e)
{
	struct kept *kept = rte_zmalloc_socket("vhost", sizeof(*kept), 0,
		(int)rte_lcore_to_socket_id(s->lcore));

	if (kept == NULL)
		return err_set(e, ENOMEM, "vhost: no memory for stream %u", s->index);
	for (unsigned int i = 0; i < ENDS; i++)
		kept->there[i] = now(s, i, &kept->begin[i]) == 0;
	s->kept = kept;
	return 0;
}

/* Store the counters at the end of a run, after which the ports may be closed. */
static void
vhost_virtqueue_end(struct stream *s)
{
	struct kept *kept = s->kept;

	for (unsigned int i = 0; kept != NULL && i < ENDS; i++)
		if (kept->there[i])
			now(s, i, &kept->end[i]);
}

/* Free the stored counters. */
static void
vhost_virtqueue_forget(struct stream *s)
{
	rte_free(s->kept);
}

#define ROW(member) .name = #member, .at = offsetof(struct net_async_vhost_stats, member)

static const struct stat_row rows[] = {
	{ ROW(packets), .help = "packets passed through the virtqueue" },
	{ ROW(bytes), .unit = "bytes", .help = "bytes of these packets" },
	{ ROW(cpu_bytes), .unit = "bytes",
		.help = "bytes copied by the CPU, without DMA or because dma_adaptive decided so" },
	{ ROW(dma_bytes), .unit = "bytes", .help = "bytes copied by the DMA engine" },
	{ ROW(in_flight), .kind = STAT_GAUGE,
		.help = "packets whose copy has not been completed yet" },
	{ ROW(drained),
		.help = "packets dropped because the guest or port went away, rings changed, or a DMA copy failed" },
	{ ROW(refused),
		.help = "empty or malformed packets, and those needing segmentation that the guest does not support" },
	{ ROW(csum), .help = "received packets whose checksum was computed by the port" },
};
static const struct stat_table stats = { "virtqueue", rows, ARRAY_SIZE(rows), false };

static unsigned int
members(const struct stream *s)
{
	return ENDS;
}

static bool
read_one(const struct stream *s, unsigned int i, bool running, void *to)
{
	const struct kept *kept = s->kept;
	struct net_async_vhost_virtqueue v;

	if (kept == NULL || !kept->there[i])
		return false;
	/* The counters at the end are written while other threads may still read the live ones. */
	if (!running)
		v = kept->end[i];
	else if (now(s, i, &v) != 0)
		v = kept->begin[i];
	memcpy(to, &v.stats, sizeof(v.stats));
	stat_since(&stats, to, &kept->begin[i].stats);
	return true;
}

static void
words(const struct stream *s, unsigned int i, const struct stat_sink *sink)
{
	const struct kept *kept = s->kept;

	sink->number(sink->to, "port", i == RECEIVE ? s->rx_port : s->tx_port);
	sink->number(sink->to, "queue", i == RECEIVE ? s->rx_queue : s->tx_queue);
	sink->text(sink->to, "direction", i == RECEIVE ? "rx" : "tx");
	if (kept != NULL)
		sink->text(sink->to, "copy", net_async_vhost_word(kept->begin[i].copy));
}

/* The group "virtqueue": the virtqueue that a stream receives from and the one it transmits to. */
static const struct engine_group vhost_virtqueue_group = {
	.stats = &stats,
	.size = sizeof(struct net_async_vhost_stats),
	.members = members,
	.read = read_one,
	.words = words,
};

#define PIECES 2048    /* maximum segments per packet */
#define LAST_COPIES 10 /* milliseconds to wait for DMA copies at the end of a run */

static const struct stat_row counters[] = {
	[VHOST_CSUM_PASSED] = { .name = "csum_passed",
		.help = "packets whose checksum was offloaded to the Tx port or guest" },
	[VHOST_CSUM_MADE] = { .name = "csum_made",
		.help = "packets whose checksum was computed in software" },
	[VHOST_SEGMENTS_PASSED] = { .name = "segments_passed",
		.help = "packets whose segmentation was offloaded to the Tx port or guest" },
	[VHOST_CUT] = { .name = "cut", .help = "packets segmented in software" },
	[VHOST_CUT_FAILED] = { .name = "cut_failed",
		.help = "packets dropped because there was no mbuf for segments or too many segments",
		.part = STAT_DROPPED },
};
static_assert(ARRAY_SIZE(counters) <= STREAM_NAMED_MAX, "counters of an engine");

/* During the run the driver must not set guests' checksums, because this engine does. */
static int
vhost_init(struct stream *s, struct err *e)
{
	struct vhost_offload *o = s->state;
	struct net_async_vhost_guest guest;
	int ret = 0;

	o->to_guest = net_async_vhost_is(s->tx_port);
	if (net_async_vhost_guest(s->rx_port, &guest) == 0 && (guest.tso || guest.ufo)) {
		ret = csum_gso_init(&o->gso, s, RTE_GSO_SEG_SIZE_MIN, e);
		o->cuts = ret == 0;
	}
	if (ret == 0)
		ret = vhost_virtqueue_begin(s, e);
	if (ret == 0)
		net_async_vhost_leave_csum(s->rx_port, s->rx_queue, true);
	return ret;
}

/* At the end of a run, wait until packets sent to guests are copied. */
static void
last_copies(const struct stream *s)
{
	const uint64_t until = rte_rdtsc() + LAST_COPIES * (uint64_t)s->tsc_hz / 1000;
	struct net_async_vhost_virtqueue v;

	while (net_async_vhost_virtqueue(s->tx_port, s->tx_queue, false, &v) == 0 &&
		v.stats.in_flight > 0 && rte_rdtsc() < until)
		rte_eth_tx_done_cleanup(s->tx_port, s->tx_queue, 0);
}

static void
vhost_fini(struct stream *s)
{
	net_async_vhost_leave_csum(s->rx_port, s->rx_queue, false);
	last_copies(s);
	vhost_virtqueue_end(s);
}

/* Receive. Also poll for completed copies to a guest, which otherwise only sending does. */
static uint16_t
vhost_source(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	const struct vhost_offload *o = s->state;

	if (o->to_guest)
		rte_eth_tx_done_cleanup(s->tx_port, s->tx_queue, 0);
	return stream_rx(s, pkts, max);
}

/* Transmit in bursts of at most BURST_MAX, after rte_eth_tx_prepare(). */
static void
send_all(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t ready, i = 0;

	while (i < n) {
		const uint16_t some = RTE_MIN(n - i, BURST_MAX);

		ready = compat_tx_prepare(s->tx_port, s->tx_queue, &pkts[i], some);
		if (ready > 0)
			stream_tx(s, &pkts[i], ready);
		i += ready;
		if (ready < some) {
			rte_pktmbuf_free(pkts[i++]);
			counter_add(&s->count.tx_dropped, 1);
		}
	}
}

/* Do the guests' offloads, then send all packets in order. */
static __rte_noinline void
offload_and_send(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	struct vhost_offload *o = s->state;
	struct rte_mbuf *out[PIECES];
	uint16_t used = 0, more;

	for (uint16_t i = 0; i < n; i++) {
		if (!vhost_offload_due(pkts[i])) {
			if (used == PIECES) {
				send_all(s, out, used);
				used = 0;
			}
			out[used++] = pkts[i];
			continue;
		}
		more = used < PIECES ? vhost_offload_do(o, s, pkts[i], &out[used], PIECES - used)
				     : 0;
		if (more == 0 && used > 0) {
			send_all(s, out, used);
			used = 0;
			more = vhost_offload_do(o, s, pkts[i], out, PIECES);
		}
		if (more == 0) {
			stream_absorb(s, &pkts[i], 1);
			stream_count_named(s, VHOST_CUT_FAILED, 1);
		}
		used += more;
	}
	send_all(s, out, used);
}

static void
vhost_sink(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	bool due = false;

	for (uint16_t i = 0; i < n; i++)
		due |= vhost_offload_due(pkts[i]);
	if (unlikely(due))
		offload_and_send(s, pkts, n);
	else
		stream_tx(s, pkts, n);
}

/* Checksums are written in headers, which may be anywhere in the packet. */
static uint32_t
vhost_written(const struct stream *s, const struct rte_mbuf *m)
{
	struct pkt_layers layers;

	pkt_parse(&layers, m);
	return pkt_parse_end(&layers);
}

ENGINE_LOOP(vhost, vhost_source, NULL, vhost_sink)

/* Segments of TCP on IPv6 are in mbufs of the stream's pool. */
static unsigned int
vhost_sends(const struct settings *all)
{
	return ENGINE_SENDS_RECEIVED | ENGINE_SENDS_TAKEN;
}

const struct engine engine_vhost = {
	.name = "vhost",
	.help = "forward between guests (net_async_vhost) and any ports, with checksums and segmentation in software if one side lacks them",
	.flags = ENGINE_MOVES,
	.state_size = sizeof(struct vhost_offload),
	.init = vhost_init,
	.written = vhost_written,
	.sends = vhost_sends,
	.loop = vhost_loop,
	.fini = vhost_fini,
	.forget = vhost_virtqueue_forget,
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters),
	.groups = &vhost_virtqueue_group,
	.n_groups = 1,
};
