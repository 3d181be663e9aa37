/* Processes bursts of l3fwd, and sends waiting packets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/l3fwd/l3fwd_state.h"

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
