/* One poll of a stream, receive, work, transmit: the loop body that every engine instantiates. */
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
 * One poll of a stream: first, source, work, sink. Instantiated per engine with constants, so that
 * absent stages fold away. first NULL: nothing is done before. source NULL: receive from the port.
 * A source that held packets back may return more than it is asked for, up to BURST_MAX.
 * work NULL: nothing to change. sink NULL: transmit to the port.
 * ended: what the lcore's poll before this one returned, 0 for its first. Returns the TSC at which
 * this one ended, 0 when it had no packets or nobody asks. Thread: the stream's worker. Counts: as
 * the stages do, and the time of polls that had packets.
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
