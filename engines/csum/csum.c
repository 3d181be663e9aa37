/* The engine csum: checksums in software or hardware, GRO on Rx, TSO and GSO on Tx. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "compat.h"
#include "engines/common/csum_fix.h"
#include "engines/common/csum_gso.h"
#include "engines/common/pkt.h"
#include "engines/csum/csum_gro.h"
#include "engines/csum/csum_split.h"
#include "engines/engine.h"

#include <rte_branch_prediction.h>
#include <rte_geneve.h>
#include <rte_vxlan.h>

#include <string.h>

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
		.drop = true },
	[GSO_FAILED] = { .name = "gso_failed",
		.help = "packets dropped because GSO had no free mbuf or the packet has too many segments",
		.drop = true },
	[PREPARE_FAILED] = { .name = "prepare_failed",
		.help = "packets dropped because the port refused their offload flags (rte_eth_tx_prepare)",
		.drop = true,
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

const struct engine engine_csum = {
	.name = "csum",
	.help = "recompute checksums in software or hardware, with TSO, GRO and GSO",
	.flags = ENGINE_WRITES,
	.state_size = sizeof(struct csum_state),
	.init = csum_init,
	.loop = csum_loop,
	.recycling = csum_recycling,
	.fini = csum_fini,
	.settings = csum_settings,
	.n_settings = ARRAY_SIZE(csum_settings),
	.counters = csum_counters,
	.n_counters = ARRAY_SIZE(csum_counters),
};
