/* Processes bursts of l3fwd, and sends waiting packets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "engines/common/l3/l3_tables.h"
#include "stream/stream.h"

#include <rte_config.h>
#include <rte_rcu_qsbr.h>

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* State of the engine l3fwd: lcores, their Tx queues, and the current routes. Shared fields name
 * their writer. */

#define L3FWD_OUTS_MAX 255 /* maximum Tx queues per lcore */

/* Indexes in stream_count.named; the first are those of enum l3_drop minus 1. */
enum {
	L3FWD_NO_ROUTE,
	L3FWD_EXPIRED,
	L3FWD_MALFORMED,
	L3FWD_NO_TX_QUEUE,
	L3FWD_ROUTED_OUT,
	L3FWD_ROUTED_IN,
	L3FWD_LEFT,
};

/* A Tx queue of the lcore, and packets that wait for it. Written by the lcore. */
struct l3fwd_out {
	struct stream *stream; /* the stream that owns the queue */
	uint16_t n, counted;   /* packets, and how many of them stream has counted already */
	struct rte_mbuf *pkts[2 * BURST_MAX]; /* less than a burst, plus a new burst */
};

/* An lcore. outs[n_outs] is for packets to be dropped. */
struct l3fwd_lcore {
	struct l3fwd *run;
	unsigned int index;           /* of the lcore in the run */
	uint16_t burst;               /* packets per full burst */
	uint64_t drain_tsc;           /* maximum wait for a full burst; 0: none */
	const struct l3_paths *paths; /* current paths; this and what follows is the lcore's own */
	bool waiting;                 /* packets wait to be sent */
	uint64_t since;               /* TSC since which the first of them waits */
	unsigned int n_outs;
	struct l3fwd_out outs[];
};

/* State of a stream. Written by its lcore. */
struct l3fwd_stream {
	struct l3fwd_lcore *lcore;
	uint8_t own; /* index of the stream's Tx queue in outs */
	/* index in outs by port; n_outs: the lcore has no Tx queue on that port */
	uint8_t way[RTE_MAX_ETHPORTS];
	/* packets received by this stream and added to outs[i], for sent() of struct engine */
	uint64_t sent_by[L3FWD_OUTS_MAX + 1];
};

/* State shared by the streams of a run. */
struct l3fwd {
	/* written by control; lcores read it at a quiescent point, when they hold no other paths */
	_Atomic(struct l3_paths *) paths;
	struct rte_rcu_qsbr *readers; /* lcores by their index */
	enum l3_lookup lookup;
	struct l3fwd_lcore **lcores;
	unsigned int n_lcores;
};

/*
 * Route a burst of the stream, by prefixes or five-tuples; a work stage of stream_poll(). Sends
 * full bursts; other packets wait. Returns 0. Thread: the stream's worker.
 */
uint16_t l3fwd_poll_prefix(struct stream *s, struct rte_mbuf **pkts, uint16_t n);
uint16_t l3fwd_poll_exact(struct stream *s, struct rte_mbuf **pkts, uint16_t n);

/* Send all waiting packets. Thread: the lcore. */
void l3fwd_poll_flush(struct l3fwd_lcore *l);

/* Send waiting packets if they have waited long enough. now: TSC. Thread: the lcore. */
static __rte_always_inline void
l3fwd_poll_drain(struct l3fwd_lcore *l, uint64_t now)
{
	if (now - l->since >= l->drain_tsc)
		l3fwd_poll_flush(l);
}
