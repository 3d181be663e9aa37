/* Routes packets without mbufs, between the streams of an lcore. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/l3/l3_tables.h"
#include "pmd_shims/direct/direct.h"
#include "stream/stream.h"

#include <rte_config.h>
#include <rte_mbuf.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct out;

/* Indexes in stream_count.named; the middle ones are those of enum l3_drop minus 1. */
enum {
	DIRECT_RX_ERRORS,
	DIRECT_TOPPED_UP,
	DIRECT_FREED,
	DIRECT_BY_MBUFS,
	DIRECT_NO_ROUTE,
	DIRECT_EXPIRED,
	DIRECT_MALFORMED,
	DIRECT_NO_TX_QUEUE,
	DIRECT_ROUTED_OUT,
	DIRECT_ROUTED_IN,
};

enum direct_rewrite { DIRECT_OFF, DIRECT_MAC, DIRECT_MACSWAP, DIRECT_L3FWD };

enum {
	DIRECT_L3_BURST = 32, /* packets routed together */
	DIRECT_L3_OUTS = 64,  /* streams of an lcore, at most */
};

/* State of a stream. Written by its lcore. */
struct direct_stream {
	struct direct *queues;
	enum direct_rewrite rewrite;
	/* The following are for DIRECT_L3FWD. */
	bool exact;
	uint8_t own, n_outs;        /* index of the stream among the lcore's, and their number */
	struct stream *const *outs; /* the lcore's streams */
	const struct l3_paths *paths;
	/* index in outs by port; n_outs: the lcore has no Tx queue on that port */
	uint8_t way[RTE_MAX_ETHPORTS];
	/* in place of mbufs, for functions that parse them: of the packets that are routed now */
	struct rte_mbuf heads[DIRECT_L3_BURST];
};

/* Count n packets that the stream's queue took in one burst, as stream_tx() does. Thread: the lcore. */
static __rte_always_inline void
direct_sent(struct stream *s, const struct direct_pkt *pkts, uint16_t n)
{
	if (stream_records(s, STREAM_RECORD_BURSTS))
		hist_add(&s->tx_bursts, n);
	if (stream_records(s, STREAM_RECORD_BYTES))
		counter_add(&s->count.tx_bytes, direct_bytes(pkts, n));
	counter_add(&s->count.tx, n);
}

/*
 * Make the paths of all streams of a run, after their queues are bound, and print the warnings of
 * l3_paths_warn(). Errors: those of l3_paths_make(); ENOTSUP for streams of an lcore whose packets
 * cannot be exchanged. Thread: control.
 */
int direct_l3_make(struct stream *const *streams, unsigned int n, const struct routes *routes,
	enum l3_lookup lookup, struct out *out, struct err *e);

/* Free what direct_l3_make() made, if anything. Thread: control. */
void direct_l3_free(struct stream *const *streams);

/* Route received packets: send, or drop. Thread: the lcore. */
void direct_l3_forward(struct stream *s, const struct direct_pkt *pkts, uint16_t n);

/* As direct_l3_forward(), by the drivers' functions. */
void direct_l3_forward_mbufs(struct stream *s, struct rte_mbuf **pkts, uint16_t n);

/* As direct_usable(), for all queues that the stream may use. Thread: the lcore. */
bool direct_l3_usable(const struct direct_stream *st);
