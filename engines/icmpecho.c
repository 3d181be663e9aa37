/* Answers ARP and ICMP echo requests on the port of arrival; drops everything else and counts it by
 * reason. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/answer.h"
#include "engines/common/pkt.h"
#include "engines/engine.h"

static const struct stat_row counters[ANSWERS] = {
	[ANSWER_ARP] = { .name = "arp_replies", .help = "ARP requests answered" },
	[ANSWER_ECHO] = { .name = "echo_replies", .help = "ICMP echo requests answered" },
	[ANSWER_OTHER_TYPE] = { .name = "other_type",
		.help = "packets dropped: neither ARP nor IPv4" },
	[ANSWER_OTHER_ARP] = { .name = "other_arp",
		.help = "packets dropped: ARP, but not a request for an IPv4 address on Ethernet" },
	[ANSWER_NOT_ECHO] = { .name = "not_echo",
		.help = "packets dropped: IPv4, but not an ICMP echo request" },
	[ANSWER_FRAGMENT] = { .name = "fragment",
		.help = "packets dropped: fragmented ICMP (no reassembly)" },
	[ANSWER_BAD_SOURCE] = { .name = "bad_source",
		.help = "requests dropped: multicast or broadcast source address" },
	[ANSWER_MALFORMED] = { .name = "malformed",
		.help = "packets dropped: truncated or inconsistent length fields" },
};

static_assert(ANSWERS <= STREAM_NAMED_MAX, "one counter each");

/* Keep the answers in pkts, in order, and free the other packets. Returns how many are left. */
static uint16_t
icmpecho_work(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	struct rte_mbuf *others[BURST_MAX];
	uint64_t seen[ANSWERS] = { 0 };
	uint16_t answers = 0, i;
	unsigned int v;

	for (i = 0; i < n; i++) {
		struct rte_mbuf *m = pkts[i];
		const enum answer verdict = answer_make(m, &s->tx_end.mac);

		seen[verdict]++;
		if (answer_made(verdict)) {
			pkt_mark(m, 0);
			pkts[answers++] = m;
		} else {
			others[i - answers] = m;
		}
	}
	for (v = 0; v < ANSWERS; v++)
		if (seen[v] > 0)
			stream_count_named(s, v, seen[v]);
	if (answers < n)
		stream_absorb(s, others, n - answers);
	return answers;
}

ENGINE_LOOPS(icmpecho, NULL, icmpecho_work, NULL)

const struct engine engine_icmpecho = {
	.name = "icmpecho",
	.help = "answer ARP and ICMP echo requests on the port of arrival, drop other packets",
	.flags = ENGINE_ECHOES,
	.written = pkt_head_written,
	.loop = icmpecho_loop,
	.recycling = icmpecho_recycling,
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters),
};
