/* What an lcore of l3fwd does with a burst, and with packets that wait to be sent. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/l3fwd/l3fwd_state.h"

/*
 * Route a burst of the stream: as struct engine's work; sends what is a burst, the rest waits. exact:
 * by five-tuples. Returns 0. Thread: the stream's worker.
 */
uint16_t l3fwd_poll_prefix(struct stream *s, struct rte_mbuf **pkts, uint16_t n);
uint16_t l3fwd_poll_exact(struct stream *s, struct rte_mbuf **pkts, uint16_t n);

/* Send all that waits. Thread: the lcore. */
void l3fwd_poll_flush(struct l3fwd_lcore *l);

/* Send what waits when it has waited long enough by now, a TSC. Thread: the lcore. */
static __rte_always_inline void
l3fwd_poll_drain(struct l3fwd_lcore *l, uint64_t now)
{
	if (now - l->since >= l->drain_tsc)
		l3fwd_poll_flush(l);
}
