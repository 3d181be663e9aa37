/* A stream: one Rx queue forwarded to one Tx queue by one worker lcore; receive, transmit and
 * count. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/hist.h"
#include "stream/stream_count.h"
#include "stream/stream_end.h"
#include "stream/stream_limit.h"
#include "stream/stream_log.h"
#include "stream/stream_pkts.h"

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

struct engine;
struct hw_counters;
struct recycle_feed;
struct settings;

struct stream {
	/* Fixed before the run; the worker reads. */
	alignas(CACHE_PAIR) uint16_t rx_port;
	uint16_t rx_queue, tx_port, tx_queue;
	/* packets asked of one receive, 1..BURST_MAX; at the end of a limited run what is left, 0.. */
	uint16_t burst;
	uint16_t rx_call; /* packets asked of one driver call at most: rx_call_max() */
	/* enum stream_record; control writes it at any time: a hint, no order needed */
	atomic_uchar record;
	atomic_uchar timed; /* enum stream_timed; the same, but the log is there before its bit */
	uint16_t retries;   /* transmit calls after a short one, 0: drop at once */
	uint32_t retry_us;  /* wait before each */
	void *state;        /* the engine's, zeroed, state_size bytes, on the stream's socket */
	struct rte_mempool *pool;    /* for packets that the engine makes */
	struct rte_mempool *rx_pool; /* of the packets that it receives */
	struct recycle_feed *feed;   /* sent mbufs for its receive queue; NULL: all from the pool */
	const struct engine *engine;
	unsigned int lcore;
	struct stream_end rx_end, tx_end;
	const struct settings *settings; /* control thread only: init and fini */
	struct stream *const *siblings;  /* all streams of this run, this one too */
	unsigned int n_siblings, index;  /* index: of this stream among them */
	/* the engine's, too: what stays when state goes, until forget() of struct engine */
	void *kept;
	void *config;              /* of the engine; control thread only: init and fini */
	struct stream_log *log;    /* NULL until a recording wants one */
	const atomic_bool *ending; /* no long waits any more: control's hint; may be NULL */
	struct stream_limit limit; /* of a run of so many packets */
	/* of its lcore, whose first stream it is; NULL: it is not the first */
	struct hw_counters *hw;

	alignas(CACHE_PAIR) struct stream_count count;
	alignas(CACHE_PAIR) struct hist rx_bursts; /* cells: receive calls that gave n packets */
	struct hist tx_bursts; /* cells: transmit calls that ended with n packets taken */
};

/* Whether what, of enum stream_record, is counted now. Thread: any. */
static inline bool
stream_records(const struct stream *s, unsigned int what)
{
	return (atomic_load_explicit(&s->record, memory_order_relaxed) & what) != 0;
}

/* The rare way of receiving: in as many calls as the driver needs. */
uint16_t stream_rx_calls(struct stream *s, struct rte_mbuf **pkts, uint16_t max);

/*
 * stream_rx() without counting packets: for who has to look at them to know whose they are. Counts:
 * rx_bursts[n].
 */
static __rte_always_inline uint16_t
stream_rx_uncounted(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	uint16_t n = likely(max <= s->rx_call)
		? rte_eth_rx_burst(s->rx_port, s->rx_queue, pkts, max)
		: stream_rx_calls(s, pkts, max);

	if (stream_records(s, STREAM_RECORD_BURSTS))
		hist_add(&s->rx_bursts, n);
	return n;
}

/*
 * Receive into pkts[0..n) from the stream's queue; the caller owns the n mbufs.
 * max: packets, 1..BURST_MAX. Thread: the stream's worker. Returns n, 0..max; cannot fail.
 * Counts: rx, rx_bytes, rx_bursts[n]. Source: rte_eth_rx_burst().
 */
static __rte_always_inline uint16_t
stream_rx(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	uint16_t n = stream_rx_uncounted(s, pkts, max);

	if (likely(n > 0))
		counter_add(&s->count.rx, n);
	if (stream_records(s, STREAM_RECORD_BYTES))
		counter_add(&s->count.rx_bytes, stream_bytes(pkts, n));
	return n;
}

/*
 * The rare end of stream_tx(): retry as set, but no longer than 500 ms when the run ends; then
 * free and count what the port did not take. bytes: of pkts[0..n), or 0; what the freed ones had is
 * taken off. Returns packets taken.
 */
uint16_t stream_tx_rest(struct stream *s, struct rte_mbuf **pkts, uint16_t sent, uint16_t n,
	uint64_t *bytes);

/*
 * Transmit pkts[0..n) on the stream's queue; the mbufs are gone afterwards, sent or freed. Thread:
 * the stream's worker. Returns packets taken. Counts: tx, tx_bytes, tx_dropped, tx_retried,
 * tx_bursts.
 */
static __rte_always_inline uint16_t
stream_tx(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	uint64_t bytes = stream_records(s, STREAM_RECORD_BYTES) ? stream_bytes(pkts, n) : 0;
	uint16_t sent = rte_eth_tx_burst(s->tx_port, s->tx_queue, pkts, n);

	if (unlikely(sent < n))
		sent = stream_tx_rest(s, pkts, sent, n, &bytes);
	if (stream_records(s, STREAM_RECORD_BURSTS))
		hist_add(&s->tx_bursts, sent);
	if (bytes > 0)
		counter_add(&s->count.tx_bytes, bytes);
	counter_add(&s->count.tx, sent);
	return sent;
}

/* Count n packets that the engine made. Thread: the stream's worker. */
static __rte_always_inline void
stream_made(struct stream *s, uint16_t n)
{
	counter_add(&s->count.made, n);
}

/* Free pkts[0..n) and count them absorbed. Thread: the stream's worker, or control in fini(). */
static __rte_always_inline void
stream_absorb(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	stream_free(pkts, n);
	counter_add(&s->count.absorbed, n);
}

/*
 * Add n to the engine's counter number which (its place in engine.counters). Thread: the stream's
 * worker.
 */
static __rte_always_inline void
stream_count_named(struct stream *s, unsigned int which, uint64_t n)
{
	counter_add(&s->count.named[which], n);
}
