/* One poll of a stream (receive, work, transmit): the loop body that every engine instantiates. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "stream/stream.h"
#include "stream/stream_pass.h"
#include "stream/stream_time.h"

typedef void stream_first(struct stream *s);
typedef uint16_t stream_source(struct stream *s, struct rte_mbuf **pkts, uint16_t max);
typedef uint16_t stream_work(struct stream *s, struct rte_mbuf **pkts, uint16_t n);
typedef void stream_sink(struct stream *s, struct rte_mbuf **pkts, uint16_t n);

/*
 * Poll a stream once: first, source, work, sink. Each engine instantiates it with constants, so
 * that the compiler removes absent stages. first NULL: none. source NULL: receive from the port; a
 * source that held packets back may return more than requested, up to BURST_MAX. work NULL: none.
 * sink NULL: transmit to the port. ended: return value of the lcore's previous poll, 0 for the
 * first. Returns the TSC at the end of this poll, 0 without packets or if polls are not timed.
 * Thread: the stream's worker. Counts: as the stages do; the cycles of polls with packets.
 */
static __rte_always_inline uint64_t
stream_poll(struct stream *s, uint64_t ended, stream_first *first, stream_source *source,
	stream_work *work, stream_sink *sink)
{
	struct rte_mbuf *pkts[BURST_MAX];
	uint64_t begin = stream_begin(s, ended);
	uint16_t n;

	if (unlikely(begin != 0))
		stream_pass(s);
	if (stream_ran_out(s, begin))
		return 0;
	if (first != NULL)
		first(s);
	n = source != NULL ? source(s, pkts, s->burst) : stream_rx(s, pkts, s->burst);
	if (n == 0)
		return 0;
	if (work != NULL)
		n = work(s, pkts, n);
	if (work == NULL || n > 0) {
		if (sink != NULL)
			sink(s, pkts, n);
		else
			stream_tx(s, pkts, n);
	}
	return stream_end(s, begin);
}
