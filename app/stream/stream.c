/* The rare paths of a stream: receiving in several calls, and transmit retries before a drop; its
 * name in output. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/stream.h"

#include "base/out.h"
#include "compat.h"

#include <rte_cycles.h>
#include <rte_pause.h>

/* The statistics rows of a stream's counters. */

#define ROW(member) .name = #member, .at = offsetof(struct stream_count, member)

static const struct stat_row rows[] = {
	{ ROW(rx), .label = "RX-packets", .help = "packets received", .part = STAT_RECEIVED },
	{ ROW(made), .help = "packets created by the engine", .part = STAT_MADE },
	{ ROW(tx), .label = "TX-packets", .help = "packets accepted by the port for transmission",
		.part = STAT_TAKEN },
	{ ROW(tx_dropped), .label = "TX-dropped",
		.help = "packets that the port did not accept, after all retries",
		.part = STAT_REFUSED },
	{ ROW(absorbed), .help = "packets that the engine removed", .part = STAT_ABSORBED },
	{ ROW(tx_retried), .unit = "calls",
		.help = "transmit calls repeated because the Tx ring was full" },
	{ ROW(readonly_copied),
		.help = "packets copied before the engine writes, because their data was read-only" },
	{ ROW(readonly_dropped),
		.help = "packets dropped, with read-only data: no free mbuf, or no Tx of several segments",
		.part = STAT_DROPPED_FIRST },
	{ ROW(busy_cycles), .unit = "cycles", .optional = true,
		.help = "TSC cycles of polls with packets (needs record-core-cycles)" },
	{ ROW(rx_bytes), .unit = "bytes", .optional = true,
		.help = "bytes received (needs record-bytes)" },
	{ ROW(tx_bytes), .unit = "bytes", .optional = true,
		.help = "bytes accepted by the port for transmission (needs record-bytes)" },
};

const struct stat_table stream_stats = { "stream", rows, ARRAY_SIZE(rows), false };

void
stream_end_put(const struct stat_sink *sink, bool rx, uint16_t port, uint16_t queue)
{
	sink->number(sink->to, rx ? "rx_port" : "tx_port", port);
	sink->number(sink->to, rx ? "rx_queue" : "tx_queue", queue);
}

void
stream_end_show(struct out *o, const char *before, bool rx, uint16_t port, uint16_t queue)
{
	const struct stat_sink sink = stat_sink_out(o);

	if (before != NULL)
		out_text(o, "%s%s Port=%u/Queue=%u", before, rx ? "RX" : "TX", port, queue);
	stream_end_put(&sink, rx, port, queue);
}

void
stream_ends_show(struct out *o, const struct stream *s)
{
	stream_end_show(o, "", true, s->rx_port, s->rx_queue);
	stream_end_show(o, " -> ", false, s->tx_port, s->tx_queue);
}

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

/* Rest while others need that no lcore polls. */
static void
rest(struct stream_rest *r)
{
	const unsigned int asked = atomic_load(r->asked);

	if (asked == atomic_load(r->done) || !atomic_load(r->now))
		return;
	atomic_store(&r->at, asked);
	/* Pairs with the end of run_move(). */
	while (atomic_load(r->done) != asked)
		rte_pause();
}

bool
stream_retry_wait(const struct stream *s, uint64_t begin)
{
	const uint64_t hz = (uint64_t)s->tsc_hz, until = rte_rdtsc() + hz * s->retry_us / 1000000;

	do {
		if (s->ending != NULL && atomic_load_explicit(s->ending, memory_order_relaxed) &&
			rte_rdtsc() - begin > hz * LAST_TRIES_MS / 1000)
			return false;
		if (s->rest != NULL)
			rest(s->rest);
		rte_pause();
	} while (rte_rdtsc() < until);
	return true;
}

/* Return whether the port can never send the packet. */
static bool
is_too_long(const struct stream *s, const struct rte_mbuf *m)
{
	const struct frame_limit *limit = &s->tx_end.frame;

	return limit->bytes > 0 && frame_limit_exceeded(limit, m);
}

/* Return 1 if the Tx ring has no room for n packets, else 0; -ENOTSUP: the driver does not report it. */
static int
is_full(const struct stream *s, unsigned int n)
{
	const int status = compat_tx_descriptor_status(s->tx_port, s->tx_queue, 0);
	int used;

	if (status >= 0)
		return status == RTE_ETH_TX_DESC_FULL;
	used = compat_tx_queue_count(s->tx_port, s->tx_queue);
	if (used < 0 || s->tx_end.descriptors == 0)
		return -ENOTSUP;
	return (unsigned int)used + n >= s->tx_end.descriptors;
}

/* Of that many refusals, the ring's level is read in one. */
#define REFUSED_LOOK 64

/* Note what is known of n refused packets. sent: packets that the port took of the same burst. */
static void
refused_note(struct stream *s, struct rte_mbuf *const *pkts, uint16_t n, uint16_t sent,
	uint64_t tsc)
{
	struct stream_refused *to = &s->refused;
	const uint64_t taken = counter_read(&s->count.tx) + sent;
	uint64_t longest = counter_read(&to->longest);
	uint16_t too_long = 0;
	int full;

	for (uint16_t i = 0; i < n; i++) {
		longest = RTE_MAX(longest, pkts[i]->pkt_len);
		too_long += is_too_long(s, pkts[i]);
	}
	counter_set(&to->longest, longest);
	counter_add(&to->too_long, too_long);
	if (too_long == n)
		return;
	if (counter_read(&to->since_tsc) == 0 || taken != counter_read(&to->taken)) {
		counter_set(&to->since_tsc, tsc);
		counter_set(&to->taken, taken);
	}
	if (to->skip-- > 0)
		return;
	to->skip = REFUSED_LOOK - 1;
	full = is_full(s, n - too_long);
	counter_add(&to->looks, full >= 0);
	counter_add(&to->full, full > 0);
}

uint16_t
stream_tx_rest(struct stream *s, struct rte_mbuf **pkts, uint16_t sent, uint16_t n, uint64_t *bytes)
{
	const uint64_t begin = rte_rdtsc();
	uint16_t poll;

	/* Packets that are too long are at the end: if the next one is, so are all. */
	for (poll = 0; sent < n && poll < s->retries && !is_too_long(s, pkts[sent]) &&
		stream_retry_wait(s, begin);
		poll++)
		sent += rte_eth_tx_burst(s->tx_port, s->tx_queue, pkts + sent, n - sent);
	counter_add(&s->count.tx_retried, poll);
	if (sent < n) {
		counter_add(&s->count.tx_dropped, n - sent);
		refused_note(s, pkts + sent, n - sent, sent, begin);
		if (*bytes > 0)
			*bytes -= stream_bytes(pkts + sent, n - sent);
		rte_pktmbuf_free_bulk(pkts + sent, n - sent);
	}
	return sent;
}

uint16_t
stream_tx_beside(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	const bool bytes = stream_records(s, STREAM_RECORD_BYTES);
	const uint64_t all = bytes ? stream_bytes(pkts, n) : 0;
	const uint16_t sent = rte_eth_tx_burst(s->tx_port, s->tx_queue, pkts, n);

	if (bytes)
		counter_add(&s->count.tx_bytes, all - stream_bytes(pkts + sent, n - sent));
	if (stream_records(s, STREAM_RECORD_BURSTS))
		hist_add(&s->tx_bursts, sent);
	counter_add(&s->count.made, sent);
	counter_add(&s->count.tx, sent);
	if (s->limit.left != NULL)
		s->limit.counted += sent;
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
