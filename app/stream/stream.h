/* A stream: one Rx queue forwarded to one Tx queue by one worker lcore; receive, transmit and
 * count. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stream is the unit of everything that forwards: one Rx queue, one Tx queue, one worker lcore.
 *
 * The problem: counts have to be exact while packets are forwarded, and must cost nothing that shows
 * at 20 cycles per packet. Locks and atomic additions cost more than that. A count that several
 * lcores write is either expensive or wrong.
 *
 * The idea: every counter has one writer, the worker of its stream. Counters are written with plain
 * additions (see counter in base.h), may be read by any thread at any time, and are never reset. A
 * reader that wants an interval subtracts an earlier reading. So "clear", the end of an interval and
 * a recording never disturb a worker, and two readers never disturb each other.
 *
 * What an engine does is a composition of source, work and sink (stream_poll.h). stream_rx() and
 * stream_tx() are the only places where packets are received and sent for an engine, so each packet
 * is counted once. For every stopped stream, rx + made == tx + tx_dropped + absorbed: a packet that
 * an engine takes is sent, dropped on a full ring, or absorbed, and none is in two rows.
 *
 * Why not a struct per lcore or per port: two streams of an lcore may use different engines' state
 * and different ports, and a port's queues belong to several lcores. The stream is the largest unit
 * that has one writer.
 *
 * Limits: a queue is polled by one stream, so two engines cannot share a queue. What happens in a
 * driver (missed packets, errors) is not here but in the port's own counters; run_account.h adds
 * both up. A counter that is read while its worker runs may be behind another one of the same
 * stream; only after the run do they fit together. Burst sizes are in [1, BURST_MAX].
 */
#pragma once

#include "base/base.h"
#include "base/hist.h"
#include "base/stat.h"
#include "stream/frame_limit.h"
#include "stream/hw_counters.h"
#include "stream/stream_log.h"
#include "stream/stream_pkts.h"

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct engine;
struct out;
struct recycle_tuning;
struct run_cpus;
struct settings;
struct stream;

/* The counters of a stream. */

#define STREAM_NAMED_MAX 10 /* counters that an engine may add */

/* Optional counts of each burst. */
enum stream_record {
	STREAM_RECORD_BURSTS = 1 << 0, /* its size: record-burst-stats, a recording */
	STREAM_RECORD_BYTES = 1 << 1,  /* its bytes: record-bytes */
};

/* Written by the worker, read by any thread; never reset. */
struct stream_count {
	counter rx, tx; /* packets received and sent */
	counter made;   /* packets created by the engine */
	/* packets that the engine removed on purpose (the engine's counters give the reason) */
	counter absorbed;
	counter tx_dropped; /* packets dropped because the Tx ring was full, after retries */
	counter tx_retried; /* transmit calls repeated because the Tx ring was full */
	/* TSC cycles of polls with packets; counted while record-core-cycles is on */
	counter busy_cycles;
	counter rx_bytes, tx_bytes;      /* sums of pkt_len; counted while record-bytes is on */
	counter named[STREAM_NAMED_MAX]; /* the engine's counters; rows: engine.counters */
	/*
	 * Packets with read-only data for an engine that writes: copied where it writes; dropped,
	 * and counted absorbed, because a copy was not possible.
	 */
	counter readonly_copied, readonly_dropped;
};

/* The rows of struct stream_count, except named. */
extern const struct stat_table stream_stats;

/* Report an end of a stream: "rx_port" and "rx_queue", or "tx_port" and "tx_queue". */
void stream_end_put(const struct stat_sink *sink, bool rx, uint16_t port, uint16_t queue);

/* Print it behind a text: "RX Port=0/Queue=1". before NULL: in JSON only. */
void stream_end_show(struct out *o, const char *before, bool rx, uint16_t port, uint16_t queue);

/* Print both ends: "RX Port=0/Queue=1 -> TX Port=2/Queue=1". */
void stream_ends_show(struct out *o, const struct stream *s);

/* Properties of a stream's Rx and Tx port for engines, copied from the port when a run starts. */

/*
 * Checksum and segmentation settings of a Tx port for the csum engine (csum set, tso set, set port
 * gro|gso).
 */
struct stream_csum {
	bool ip_hw, udp_hw, tcp_hw, sctp_hw, outer_ip_hw, outer_udp_hw;
	bool parse_tunnel; /* look into VXLAN, GRE, ... for inner headers */
	bool mac_swap; /* swap MAC addresses as testpmd's csum does: write peer and own address */
	bool gso, gro;
	uint16_t tso_segsz;        /* bytes of payload per segment; 0: no TSO */
	uint16_t tunnel_tso_segsz; /* as tso_segsz, for tunnelled packets */
};

/* Bytes of a frame on the wire that its length lacks: checksum, preamble, gap. */
#define L1_BYTES (4 + 8 + 12)

/*
 * One end of a stream: a queue of a port, and properties of the port, copied when the run starts.
 */
struct stream_end {
	uint16_t port, queue;
	int socket;
	struct rte_ether_addr mac, peer; /* own address; destination of frames sent from here */
	uint64_t offloads;               /* RTE_ETH_{RX,TX}_OFFLOAD_* enabled on the queue */
	uint16_t vlan, vlan_outer;       /* tags that transmit inserts if the offload is on */
	uint16_t mtu;         /* of the kernel's interface if the port has one whose MTU decides */
	uint16_t descriptors; /* of the Tx end's queue; 0: unknown */
	struct frame_limit frame; /* of the Tx end: packets that exceed it are refused */
	double line_bps;          /* speed of the link in bit/s; 0: down or unknown */
	struct stream_csum csum;  /* of the Tx end; of the Rx end only gro is used */
};

/* Limit a run to a number of packets: before each poll, a stream checks or takes from the packets
 * that are left. */

/*
 * The limit of one stream; all zero: none. Written by control before the run, then by the worker.
 */
struct stream_limit {
	atomic_llong *left; /* packets left for all streams of the run together */
	uint64_t counted;   /* packets of this stream that were subtracted from left */
	uint16_t burst;     /* the stream's burst size without a limit */
	uint16_t taken;     /* packets reserved for the current poll; if made only */
	bool made;          /* the engine creates packets: the limit counts sent ones */
};

/*
 * Return how many packets the next poll may request, 0..l->burst. An engine that creates packets
 * reserves them, so that all streams together send exactly the limit; unsent packets are returned
 * at the next poll. Others request full bursts, as vector drivers require, until nothing is left,
 * so each stream may receive up to one burst more. Thread: the stream's worker.
 */
static inline uint16_t
stream_limit_take(struct stream_limit *l, const struct stream_count *c)
{
	uint64_t now = counter_read(l->made ? &c->tx : &c->rx);
	long long back = (long long)l->taken - (long long)(now - l->counted), left;

	l->counted = now;
	l->taken = 0;
	if (back != 0)
		atomic_fetch_add_explicit(l->left, back, memory_order_relaxed);
	left = atomic_load_explicit(l->left, memory_order_relaxed);
	if (left <= 0)
		return 0;
	if (!l->made)
		return l->burst;
	do {
		l->taken = (uint16_t)RTE_MIN(left, (long long)l->burst);
	} while (l->taken > 0 &&
		!atomic_compare_exchange_weak_explicit(l->left, &left, left - l->taken,
			memory_order_relaxed, memory_order_relaxed));
	return l->taken;
}

/* Give back what the current poll reserved, because the stream sends nothing. Thread: the worker. */
static inline void
stream_limit_give_back(struct stream_limit *l)
{
	if (l->taken == 0)
		return;
	atomic_fetch_add_explicit(l->left, l->taken, memory_order_relaxed);
	l->taken = 0;
}

/*
 * Where an lcore rests in the middle of a poll, between two attempts to send to a full Tx ring, while
 * others need that no lcore polls: until done is asked again. The attempts may last as long as the others
 * rest, so they cannot wait for the end of the poll.
 */
struct stream_rest {
	const atomic_uint *asked, *done; /* of struct run_moving */
	const atomic_bool *now;          /* of struct run_moving */
	atomic_uint at;                  /* asked, when the lcore rested last; written by it */
};

/* What is known of packets that a port refused. Written by the stream's worker, read by any thread. */
struct stream_refused {
	counter longest;   /* bytes of the longest one */
	counter too_long;  /* packets beyond the port's limit: struct frame_limit */
	counter looks;     /* how often the ring's level was known when packets were refused */
	counter full;      /* of these, how often the ring was full */
	counter since_tsc; /* when the port had last taken a packet */
	counter taken;     /* packets that it had taken then */
	unsigned int skip; /* refusals until the next look at the level */
};

struct stream {
	/* Fixed before the run and read by the worker, unless stated otherwise. */
	alignas(CACHE_PAIR) uint16_t rx_port;
	uint16_t rx_queue, tx_port, tx_queue;
	/* maximum packets per receive, 1..BURST_MAX; 0.. at the end of a limited run */
	uint16_t burst;
	uint16_t rx_call; /* maximum packets per driver call: rx_call_max() */
	/* enum stream_record; written by control at any time, no ordering needed */
	atomic_uchar record;
	/* enum stream_timed; written by control at any time, after the log that its bit needs */
	atomic_uchar timed;
	uint16_t retries;  /* transmit retries on a full Tx ring, 0: drop at once */
	uint32_t retry_us; /* delay before each retry */
	void *state;       /* the engine's, zeroed, state_size bytes, on the stream's socket */
	struct rte_mempool *pool;    /* for packets that the engine creates */
	struct rte_mempool *rx_pool; /* of received packets */
	struct zcfwd_recycle *feed;  /* recycles sent mbufs to the Rx queue; NULL: no recycling */
	uint8_t recycle_mode;        /* of the feed: the setting recycle mode */
	bool recycle_traffic;        /* the lcore chooses among the feed's queues */
	/* chooses how the Rx ring is refilled; NULL: no choice. Written by control. */
	_Atomic(struct recycle_tuning *) tuning;
	const struct engine *engine;
	unsigned int lcore;
	struct stream_end rx_end, tx_end;
	bool tx_stopped; /* the Tx queue is stopped: engines that route must not send to it */
	bool tx_mirrors; /* the Tx port also sends clones, which no stream counts */
	double tsc_hz;   /* TSC ticks per second, measured */
	const struct settings *settings; /* control thread only: init and fini */
	struct stream *const *siblings;  /* all streams of this run, including this one */
	unsigned int n_siblings, index;  /* index: of this stream among them */
	/* the engine's second state, valid after fini() until forget() of struct engine */
	void *kept;
	void *config;              /* of the engine; control thread only: init and fini */
	struct stream_log *log;    /* NULL until a recording needs it */
	const atomic_bool *ending; /* the run is stopping: do not wait long; may be NULL */
	struct stream_rest *rest;  /* of the lcore; NULL: none */
	struct stream_limit limit; /* of a run limited to a number of packets */
	/* of the lcore; NULL unless this is the lcore's first stream */
	struct hw_counters *hw;
	struct run_cpus *cpus; /* of the run's first stream; control only; else NULL */

	struct stream_refused refused; /* written by the stream's worker */

	alignas(CACHE_PAIR) struct stream_count count;
	alignas(CACHE_PAIR) struct hist rx_bursts; /* cell n: receive calls with n packets */
	struct hist tx_bursts; /* cell n: transmit calls that sent n packets, with retries */
};

/* Return whether what, a bit of enum stream_record, is counted now. Thread: any. */
static inline bool
stream_records(const struct stream *s, unsigned int what)
{
	return (atomic_load_explicit(&s->record, memory_order_relaxed) & what) != 0;
}

/* Receive in several driver calls, for max > rx_call. Returns packets received. */
uint16_t stream_rx_calls(struct stream *s, struct rte_mbuf **pkts, uint16_t max);

/*
 * As stream_rx(), without counting packets: for callers that receive other streams' packets too.
 * Counts: rx_bursts[n].
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
 * Wait before a retry. Returns false if the run is stopping and 500 ms have passed since begin, a
 * TSC. Thread: the stream's worker.
 */
bool stream_retry_wait(const struct stream *s, uint64_t begin);

/*
 * Handle the unsent packets of stream_tx(): retry as configured, but at most 500 ms while the run
 * is stopping; then free the rest and count them as dropped. *bytes: of pkts[0..n), or 0; the bytes
 * of freed packets are subtracted. Returns packets sent.
 */
uint16_t stream_tx_rest(struct stream *s, struct rte_mbuf **pkts, uint16_t sent, uint16_t n,
	uint64_t *bytes);

/*
 * Transmit pkts[0..n) on the stream's queue; the mbufs are sent or freed. Thread: the stream's
 * worker. Returns packets sent. Counts: tx, tx_bytes, tx_dropped, tx_retried, tx_bursts.
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

/*
 * Transmit up to n packets that the engine made beside its traffic, without retries. They are not part
 * of a limit of packets. Those that the port does not take remain the caller's. Thread: the stream's
 * worker. Returns packets sent. Counts: made, tx, tx_bytes, tx_bursts.
 */
uint16_t stream_tx_beside(struct stream *s, struct rte_mbuf **pkts, uint16_t n);

/* Count n packets created by the engine. Thread: the stream's worker. */
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
 * Add n to the engine's counter number which (its index in engine.counters). Thread: the stream's
 * worker.
 */
static __rte_always_inline void
stream_count_named(struct stream *s, unsigned int which, uint64_t n)
{
	counter_add(&s->count.named[which], n);
}

/* Count hardware events in the passes of an lcore's loop over its streams. */

/* Return whether hardware events of its lcore are counted (record-hw-counters). Thread: any. */
static inline bool
stream_hardware(const struct stream *s)
{
	return (atomic_load_explicit(&s->timed, memory_order_relaxed) & STREAM_TIMED_HARDWARE) != 0;
}

/*
 * Begin a pass if this is the lcore's first stream; call before its poll. Thread: the stream's
 * worker. Counts: hw, while record-hw-counters is on.
 */
void stream_pass(struct stream *s);
