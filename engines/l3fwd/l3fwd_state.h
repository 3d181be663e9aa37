/* State of the engine l3fwd: its lcores, their transmit queues, and the routes in force; who writes
 * what. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "engines/common/l3/l3_paths.h"
#include "stream/stream.h"

#include <rte_config.h>
#include <rte_rcu_qsbr.h>

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define L3FWD_OUTS_MAX 255 /* transmit queues of an lcore */

/* Indexes in stream_count.named; the first are what enum l3_drop says, less 1. */
enum {
	L3FWD_NO_ROUTE,
	L3FWD_EXPIRED,
	L3FWD_MALFORMED,
	L3FWD_NO_TX_QUEUE,
	L3FWD_ROUTED_OUT,
	L3FWD_ROUTED_IN,
	L3FWD_LEFT,
};

/* A transmit queue of the lcore, and what waits for it. Written by the lcore. */
struct l3fwd_out {
	struct stream *stream; /* whose queue it is */
	uint16_t n, counted;   /* packets; of them, those whose stream has counted them */
	struct rte_mbuf *pkts[2 * BURST_MAX]; /* less than a burst before one comes */
};

/* One lcore; outs[n_outs] has what is to be dropped. */
struct l3fwd_lcore {
	struct l3fwd *run;
	unsigned int index;           /* of the lcore among those of the run */
	uint16_t burst;               /* packets that are sent at once */
	uint64_t drain_tsc;           /* that they wait for more; 0: not at all */
	const struct l3_paths *paths; /* in force; the lcore's own, as what follows */
	bool waiting;                 /* packets are */
	uint64_t since;               /* TSC when the first of them began to */
	unsigned int n_outs;
	struct l3fwd_out outs[];
};

/* Of one stream: state. Written by its lcore. */
struct l3fwd_stream {
	struct l3fwd_lcore *lcore;
	uint8_t own; /* place of the stream's transmit queue in outs */
	/* place in outs by port; n_outs: the lcore has no transmit queue of that port */
	uint8_t way[RTE_MAX_ETHPORTS];
	/* packets received by this stream that were handed to outs[i]: sent() of struct engine */
	uint64_t sent_by[L3FWD_OUTS_MAX + 1];
};

/* What the streams of a run share. */
struct l3fwd {
	/* written by control; lcores take it at a quiescent point, at which they hold no other */
	_Atomic(struct l3_paths *) paths;
	struct rte_rcu_qsbr *readers; /* by their index */
	enum l3_lookup lookup;
	struct l3fwd_lcore **lcores;
	unsigned int n_lcores;
};
