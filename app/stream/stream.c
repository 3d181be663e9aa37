/* The rare paths of a stream: receiving in several calls, and transmit retries before a drop. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/stream.h"

#include <rte_cycles.h>
#include <rte_pause.h>

/* The statistics rows of a stream's counters. */

#define ROW(member) .name = #member, .at = offsetof(struct stream_count, member)

static const struct stat_row rows[] = {
	{ ROW(rx), .label = "RX-packets", .help = "packets received", .offered = 1 },
	{ ROW(made), .help = "packets created by the engine", .offered = 1 },
	{ ROW(tx), .label = "TX-packets", .help = "packets accepted by the port for transmission" },
	{ ROW(tx_dropped), .label = "TX-dropped",
		.help = "packets dropped because the Tx ring was full, after all retries",
		.drop = true },
	{ ROW(absorbed), .help = "packets that the engine removed on purpose" },
	{ ROW(tx_retried), .unit = "calls",
		.help = "transmit calls repeated because the Tx ring was full" },
	{ ROW(readonly_copied),
		.help = "packets copied before the engine writes, because their data was read-only" },
	{ ROW(readonly_dropped),
		.help = "packets dropped, with read-only data: no free mbuf, or no Tx of several segments",
		.drop = true },
	{ ROW(busy_cycles), .unit = "cycles", .optional = true,
		.help = "TSC cycles of polls with packets (needs record-core-cycles)" },
	{ ROW(rx_bytes), .unit = "bytes", .optional = true,
		.help = "bytes received (needs record-bytes)" },
	{ ROW(tx_bytes), .unit = "bytes", .optional = true,
		.help = "bytes accepted by the port for transmission (needs record-bytes)" },
};

const struct stat_table stream_stats = { "stream", rows, ARRAY_SIZE(rows), false };

/* How long to retry on a full Tx ring while the run stops: longer than a pause of flow control. */
#define LAST_TRIES_MS 500

uint16_t
stream_rx_calls(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	uint16_t n = 0, asked, got;

	do {
		asked = RTE_MIN(s->rx_call, (uint16_t)(max - n));
		got = rte_eth_rx_burst(s->rx_port, s->rx_queue, pkts + n, asked);
		n += got;
	} while (got == asked && n < max);
	return n;
}

bool
stream_retry_wait(const struct stream *s, uint64_t begin)
{
	const uint64_t hz = rte_get_tsc_hz(), until = rte_rdtsc() + hz * s->retry_us / 1000000;

	do {
		if (s->ending != NULL && atomic_load_explicit(s->ending, memory_order_relaxed) &&
			rte_rdtsc() - begin > hz * LAST_TRIES_MS / 1000)
			return false;
		rte_pause();
	} while (rte_rdtsc() < until);
	return true;
}

uint16_t
stream_tx_rest(struct stream *s, struct rte_mbuf **pkts, uint16_t sent, uint16_t n, uint64_t *bytes)
{
	const uint64_t begin = rte_rdtsc();
	uint16_t poll;

	for (poll = 0; sent < n && poll < s->retries && stream_retry_wait(s, begin); poll++)
		sent += rte_eth_tx_burst(s->tx_port, s->tx_queue, pkts + sent, n - sent);
	counter_add(&s->count.tx_retried, poll);
	if (sent < n) {
		counter_add(&s->count.tx_dropped, n - sent);
		if (*bytes > 0)
			*bytes -= stream_bytes(pkts + sent, n - sent);
		rte_pktmbuf_free_bulk(pkts + sent, n - sent);
	}
	return sent;
}

/* Sum up the packets of an lcore's streams for its hardware counters. */

void
stream_pass(struct stream *s)
{
	uint64_t packets = 0, moved = 0;

	if (!stream_hardware(s))
		return;
	for (unsigned int i = s->index; i < s->n_siblings && s->siblings[i]->lcore == s->lcore;
		i++) {
		const struct stream_count *c = &s->siblings[i]->count;

		packets += counter_read(&c->rx) + counter_read(&c->made);
		moved += counter_read(&c->tx) + counter_read(&c->tx_dropped);
	}
	hw_counters_pass(s->hw, atomic_load_explicit(&s->hw->switched, memory_order_relaxed),
		packets, packets + moved);
}
