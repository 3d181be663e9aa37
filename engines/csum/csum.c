/* The engine csum: checksums in software or hardware, GRO on Rx, TSO and GSO on Tx. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"
#include "base/setting.h"
#include "compat.h"
#include "engines/common/csum_fix.h"
#include "engines/common/csum_gso.h"
#include "engines/common/pkt.h"
#include "engines/common/pkt_parse.h"
#include "engines/engine.h"
#include "memory/pool.h"
#include "stream/stream.h"
#include "stream/stream_pkts.h"

#include <rte_branch_prediction.h>
#include <rte_ether.h>
#include <rte_geneve.h>
#include <rte_gro.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_mbuf_ptype.h>
#include <rte_random.h>
#include <rte_vxlan.h>

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct csum_gro {
	struct rte_gro_param param;
	void *table;           /* holds packets between polls; NULL: merge only within a burst */
	uint16_t flush_cycles; /* polls after which the table is flushed */
	uint16_t polls;        /* polls since the last flush */
};

/* Replaces packets by copies in segments of given lengths (txsplit), to test a driver's
 * multi-segment Tx. */

#define CSUM_SPLIT_MAX 255 /* segments per packet, as in testpmd */

struct csum_split {
	struct pool_blocks blocks; /* source of mbufs for the copies */
	uint16_t lengths[CSUM_SPLIT_MAX];
	uint8_t n;   /* number of lengths; 0: packets are not split */
	bool random; /* use a random number of lengths, 1..n */
};

/* Merges TCP/IPv4 segments with DPDK's GRO library: selects the packets that it handles correctly,
 * and counts those merged. */

/*
 * Table sizes as in testpmd: for a single burst, and for packets held over several polls.
 */
#define BURST_FLOW_PACKETS 32
#define TABLE_FLOWS 4

/*
 * Initialise. flush_cycles: number of polls for which packets are held; 1: merge only within a
 * burst. Thread: control. Returns 0, or -ENOMEM with e set.
 */
static int
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

/*
 * Merge pkts[0..n) with each other and with held packets; then forward pkts[0..result). Only
 * unfragmented, untagged packets without IP options are merged, because the library assumes that.
 * pkts has room for BURST_MAX. n may be 0 to get held packets only. Thread: the stream's worker.
 * Counts: packets that were merged into another one, as absorbed and in named[which].
 */
static uint16_t
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

/*
 * Free the held packets, counted as absorbed and in named[which], and the table. Thread: control,
 * stopped.
 */
static void
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

/* Copies packets into segments of given lengths (txsplit). */

static_assert(CSUM_SPLIT_MAX == PKT_SEGS_MAX, "txpkts can have more segments");

/*
 * Initialise from the settings txsplit and txpkts. Thread: control. Returns 0, or -errno with e
 * set.
 */
static int
csum_split_init(struct csum_split *split, const struct stream *s, struct err *e)
{
	uint64_t choice = setting_u64(s->settings, "txsplit");
	int n;

	*split = (struct csum_split){ .random = choice == PKT_SPLIT_RAND };
	if (choice == PKT_SPLIT_OFF)
		return 0;
	n = pkt_text_lengths(setting_text(s->settings, "txpkts"), split->lengths, e);
	if (n < 0)
		return n;
	split->n = n;
	pkt_blocks_open(&split->blocks, s);
	return 0;
}

/* Return unused mbufs. Allowed without csum_split_init(). Thread: control, stopped. */
static void
csum_split_fini(struct csum_split *split)
{
	pool_blocks_close(&split->blocks);
}

/* Copy bytes of m, starting at off, into a new mbuf; NULL if there is none or they do not fit. */
static struct rte_mbuf *
segment_of(struct csum_split *split, struct stream *s, const struct rte_mbuf *m, uint32_t off,
	uint32_t bytes)
{
	struct rte_mbuf *segment;
	const void *from;
	void *to;

	if (unlikely(pkt_blocks_get(s, &split->blocks, &segment, 1) == 0))
		return NULL;
	rte_pktmbuf_reset(segment);
	if (unlikely(bytes > rte_pktmbuf_tailroom(segment))) {
		rte_pktmbuf_free(segment);
		return NULL;
	}
	to = rte_pktmbuf_mtod(segment, void *);
	from = rte_pktmbuf_read(m, off, bytes, to);
	if (from != to)
		memcpy(to, from, bytes);
	segment->data_len = bytes;
	return segment;
}

static struct rte_mbuf *
copy_of(struct csum_split *split, struct stream *s, const struct rte_mbuf *m)
{
	unsigned int n = split->random ? rte_rand() % split->n + 1 : split->n, i = 0;
	struct rte_mbuf *first = NULL, **link = &first;

	for (uint32_t off = 0, bytes; off < m->pkt_len; off += bytes, link = &(*link)->next) {
		bytes = m->pkt_len - off;
		if (++i < n)
			bytes = RTE_MIN(bytes, split->lengths[i - 1]);
		*link = segment_of(split, s, m, off, bytes);
		if (unlikely(*link == NULL)) {
			rte_pktmbuf_free(first);
			return NULL;
		}
		first->nb_segs = i;
	}
	if (unlikely(first == NULL))
		return NULL;
	first->pkt_len = m->pkt_len;
	first->port = m->port;
	first->packet_type = m->packet_type;
	first->vlan_tci = m->vlan_tci;
	first->vlan_tci_outer = m->vlan_tci_outer;
	first->tx_offload = m->tx_offload;
	first->ol_flags |= m->ol_flags & ~(RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL);
	return first;
}

/*
 * Replace pkts[0..n) by copies whose segments have the given lengths; the last one takes the rest.
 * n: 0..BURST_MAX. A packet is left unchanged if mbufs are short or a segment does not fit into
 * one. Thread: the stream's worker.
 */
static void
csum_split_burst(struct csum_split *split, struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	struct rte_mbuf *copied[BURST_MAX];
	uint16_t n_copied = 0;

	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *copy = copy_of(split, s, pkts[i]);

		if (likely(copy != NULL)) {
			copied[n_copied++] = pkts[i];
			pkts[i] = copy;
		}
	}
	stream_free(copied, n_copied);
}

enum {
	BAD_IPCSUM,
	BAD_L4CSUM,
	BAD_OUTER_L4CSUM,
	BAD_OUTER_IPCSUM,
	GRO_MERGED,
	GRO_UNSENT,
	GSO_FAILED,
	PREPARE_FAILED,
};

static const struct stat_row csum_counters[] = {
	[BAD_IPCSUM] = { .name = "bad_ipcsum",
		.label = "Bad-ipcsum",
		.help = "received packets with a bad IP checksum, as reported by the port" },
	[BAD_L4CSUM] = { .name = "bad_l4csum",
		.label = "Bad-l4csum",
		.help = "received packets with a bad UDP, TCP or SCTP checksum, as reported by the port" },
	[BAD_OUTER_L4CSUM] = { .name = "bad_outer_l4csum",
		.label = "Bad-outer-l4csum",
		.help = "received tunnel packets with a bad outer UDP checksum, as reported by the port" },
	[BAD_OUTER_IPCSUM] = { .name = "bad_outer_ipcsum",
		.label = "Bad-outer-ipcsum",
		.help = "received tunnel packets with a bad outer IP checksum, as reported by the port" },
	[GRO_MERGED] = { .name = "gro_merged",
		.help = "packets that GRO merged into another packet" },
	[GRO_UNSENT] = { .name = "gro_unsent",
		.help = "packets held by GRO at stop, freed without being sent",
		.part = STAT_DROPPED },
	[GSO_FAILED] = { .name = "gso_failed",
		.help = "packets dropped because GSO had no free mbuf or the packet has too many segments",
		.part = STAT_DROPPED },
	[PREPARE_FAILED] = { .name = "prepare_failed",
		.help = "packets dropped because the port refused their offload flags (rte_eth_tx_prepare)",
		.part = STAT_DROPPED,
		.within = "tx_dropped" },
};

static_assert(ARRAY_SIZE(csum_counters) <= STREAM_NAMED_MAX, "");

/* clang-format off */
static const struct setting csum_settings[] = {
	{ .name = "gso-segsz", .words = SETTING_NONE, .option = SETTING_NONE, .unit = "bytes",
		.min = RTE_GSO_SEG_SIZE_MIN, .max = UINT16_MAX,
		.value = RTE_ETHER_MAX_LEN - RTE_ETHER_CRC_LEN,
		.help = "csum: maximum length of GSO segments, including headers" },
	{ .name = "gro-flush", .words = SETTING_NONE, .option = SETTING_NONE, .unit = "cycles",
		.min = 1, .max = 4, .value = 1,
		.help = "csum: polls for which GRO holds packets; 1: merge only within a burst" },
	{ .name = "vxlan-gpe-port", .words = SETTING_NONE, .max = UINT16_MAX,
		.value = RTE_VXLAN_GPE_DEFAULT_PORT,
		.help = "csum: UDP port of VXLAN-GPE" },
	{ .name = "geneve-parsed-port", .words = SETTING_NONE, .max = UINT16_MAX,
		.value = RTE_GENEVE_DEFAULT_PORT, .help = "csum: UDP port of GENEVE" },
};
/* clang-format on */

struct csum_state {
	struct csum_fix fix;
	struct csum_gro gro;
	struct csum_gso gso;
	struct csum_split split;
	bool merges, cuts;
};

/* Checksums are written in headers, which may be anywhere in the packet. */
static uint32_t
csum_written(const struct stream *s, const struct rte_mbuf *m)
{
	const struct csum_fix *fix = &((const struct csum_state *)s->state)->fix;
	struct pkt_layers layers;

	pkt_parse(&layers, m);
	if (fix->want.parse_tunnel)
		pkt_parse_tunnel(&layers, m, &fix->ports);
	return pkt_parse_end(&layers);
}

static void
csum_init_fix(struct csum_fix *fix, const struct stream *s)
{
	const struct stream_end *to = &s->tx_end;

	*fix = (struct csum_fix){
		.want = to->csum,
		.addresses = { to->peer, to->mac },
		.ports = {
			.vxlan_gpe = setting_u64(s->settings, "vxlan-gpe-port"),
			.geneve = setting_u64(s->settings, "geneve-parsed-port"),
		},
		.tx_flags = pkt_tx_flags(to),
		.vlan = to->vlan,
		.vlan_outer = to->vlan_outer,
	};
}

static int
csum_init(struct stream *s, struct err *e)
{
	struct csum_state *state = s->state;
	int rc;

	csum_init_fix(&state->fix, s);
	rc = csum_split_init(&state->split, s, e);
	if (rc != 0)
		return rc;
	if (s->tx_end.csum.gso) {
		rc = csum_gso_init(&state->gso, s, setting_u64(s->settings, "gso-segsz"), e);
		if (rc != 0)
			return rc;
		state->gso.ports = state->fix.ports;
		state->cuts = true;
	}
	if (s->rx_end.csum.gro) { /* GRO is enabled for the Rx port, as in testpmd */
		rc = csum_gro_init(&state->gro, s, setting_u64(s->settings, "gro-flush"), e);
		if (rc != 0)
			return rc;
		state->merges = true;
	}
	return 0;
}

static void
csum_fini(struct stream *s)
{
	struct csum_state *state = s->state;

	csum_gro_fini(&state->gro, s, GRO_UNSENT);
	csum_split_fini(&state->split);
}

/* Count packets that the port marked as having bad checksums. */
static void
csum_count_bad(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t bad[BAD_OUTER_IPCSUM + 1] = { 0 };

	for (uint16_t i = 0; i < n; i++) {
		uint64_t flags = pkts[i]->ol_flags;

		bad[BAD_IPCSUM] += (flags & RTE_MBUF_F_RX_IP_CKSUM_MASK) ==
			RTE_MBUF_F_RX_IP_CKSUM_BAD;
		bad[BAD_L4CSUM] += (flags & RTE_MBUF_F_RX_L4_CKSUM_MASK) ==
			RTE_MBUF_F_RX_L4_CKSUM_BAD;
		bad[BAD_OUTER_L4CSUM] += (flags & RTE_MBUF_F_RX_OUTER_L4_CKSUM_BAD) != 0;
		bad[BAD_OUTER_IPCSUM] += (flags & RTE_MBUF_F_RX_OUTER_IP_CKSUM_BAD) != 0;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		if (bad[i] != 0)
			stream_count_named(s, i, bad[i]);
	}
}

/*
 * Receive and merge. With packets that GRO held before, this can return more packets than max, up
 * to BURST_MAX, or some although none was received.
 */
static uint16_t
csum_source(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	struct csum_state *state = s->state;
	uint16_t n = stream_rx(s, pkts, max);
	uint64_t verdicts = 0;

	for (uint16_t i = 0; i < n; i++)
		verdicts |= pkts[i]->ol_flags;
	if (unlikely((verdicts &
			     (RTE_MBUF_F_RX_IP_CKSUM_BAD | RTE_MBUF_F_RX_L4_CKSUM_BAD |
				     RTE_MBUF_F_RX_OUTER_L4_CKSUM_BAD |
				     RTE_MBUF_F_RX_OUTER_IP_CKSUM_BAD)) != 0))
		csum_count_bad(s, pkts, n);
	if (unlikely(state->merges))
		n = csum_gro_merge(&state->gro, s, pkts, n, GRO_MERGED);
	return n;
}

/*
 * Drop each packet that the port refuses; pkts[ready] is the first of them. Returns how many
 * packets are left.
 */
static uint16_t
csum_drop_refused(struct stream *s, struct rte_mbuf **pkts, uint16_t ready, uint16_t n)
{
	uint16_t kept = ready, more;

	for (uint16_t i = ready; i < n; i += more) {
		rte_pktmbuf_free(pkts[i++]);
		more = compat_tx_prepare(s->tx_port, s->tx_queue, &pkts[i], n - i);
		memmove(&pkts[kept], &pkts[i], more * sizeof(pkts[0]));
		kept += more;
	}
	counter_add(&s->count.tx_dropped, n - kept);
	stream_count_named(s, PREPARE_FAILED, n - kept);
	return kept;
}

/* Set the checksums and transmit. n: 1..BURST_MAX. */
static inline void
csum_send(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	struct csum_state *state = s->state;
	uint16_t ready;

	csum_fix_burst(&state->fix, pkts, n);
	if (unlikely(state->split.n > 0))
		csum_split_burst(&state->split, s, pkts, n);
	ready = compat_tx_prepare(s->tx_port, s->tx_queue, pkts, n);
	if (unlikely(ready < n))
		ready = csum_drop_refused(s, pkts, ready, n);
	if (likely(ready > 0))
		stream_tx(s, pkts, ready);
}

/* Transmit in bursts of at most BURST_MAX. */
static void
csum_send_pieces(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	for (uint16_t i = 0; i < n; i += BURST_MAX)
		csum_send(s, &pkts[i], RTE_MIN(n - i, BURST_MAX));
}

/* Segment packets that are too long, then send all in order. */
static void
csum_cut_and_send(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	struct rte_mbuf *out[CSUM_GSO_SEGMENTS];
	struct csum_state *state = s->state;
	uint16_t used = 0, cut;

	for (uint16_t i = 0; i < n; i++) {
		cut = csum_gso_cut(&state->gso, s, pkts[i], &out[used], CSUM_GSO_SEGMENTS - used);
		if (cut == 0 && used > 0) {
			csum_send_pieces(s, out, used);
			used = 0;
			cut = csum_gso_cut(&state->gso, s, pkts[i], out, CSUM_GSO_SEGMENTS);
		}
		if (cut == 0) {
			stream_absorb(s, &pkts[i], 1);
			stream_count_named(s, GSO_FAILED, 1);
		}
		used += cut;
	}
	csum_send_pieces(s, out, used);
}

static void
csum_sink(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	const struct csum_state *state = s->state;

	if (likely(!state->cuts))
		csum_send(s, pkts, n);
	else
		csum_cut_and_send(s, pkts, n);
}

ENGINE_LOOPS(csum, csum_source, NULL, csum_sink)

static const char *
csum_segments(const struct settings *settings, const struct stream_csum *port)
{
	if (port->gso)
		return "cuts packets into headers and payload (gso)";
	return setting_u64(settings, "txsplit") != PKT_SPLIT_OFF &&
			strchr(setting_text(settings, "txpkts"), ',') != NULL
		? "splits packets (txsplit)"
		: NULL;
}

const struct engine engine_csum = {
	.name = "csum",
	.help = "recompute checksums in software or hardware, with TSO, GRO and GSO",
	.state_size = sizeof(struct csum_state),
	.init = csum_init,
	.segments = csum_segments,
	.written = csum_written,
	.loop = csum_loop,
	.recycling = csum_recycling,
	.fini = csum_fini,
	.settings = SETTING_TABLE("Engines", csum_settings),
	.counters = csum_counters,
	.n_counters = ARRAY_SIZE(csum_counters),
};
