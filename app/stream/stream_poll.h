/* One poll of a stream (receive, work, transmit): the loop body that every engine instantiates. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "stream/stream.h"

#include <rte_cycles.h>

/* Time the polls of a stream; reads the TSC only if cycles are recorded. */

/*
 * stream_begin() returns these in place of a TSC: the poll only decrements the log's skip; the poll
 * is not recorded.
 */
#define STREAM_COUNTED 1
#define STREAM_UNTIMED 2

/* Return whether the cycles of all polls are counted (record-core-cycles). Thread: any. */
static inline bool
stream_timed(const struct stream *s)
{
	return (atomic_load_explicit(&s->timed, memory_order_relaxed) & STREAM_TIMED_ALL) != 0;
}

/* The rare path of stream_begin(): something is recorded or limited. */
static inline uint64_t
stream_begin_timed(struct stream *s, uint64_t ended)
{
	/* Pairs with the release in run_count_record(): the log exists. */
	unsigned int timed = atomic_load_explicit(&s->timed, memory_order_acquire);
	struct stream_log *log;

	if ((timed & STREAM_TIMED_LIMIT) != 0)
		s->burst = stream_limit_take(&s->limit, &s->count);
	if ((timed & (STREAM_TIMED_ALL | STREAM_TIMED_LOG)) == 0)
		return STREAM_UNTIMED;
	if ((timed & STREAM_TIMED_LOG) == 0)
		return ended != 0 ? ended : rte_rdtsc();
	log = s->log;
	if (log->skip > 0)
		return (timed & STREAM_TIMED_ALL) == 0 ? STREAM_COUNTED
			: ended != 0                   ? ended
						       : rte_rdtsc();
	log->rx_before = counter_read(&s->count.rx);
	log->tx_before = counter_read(&s->count.tx);
	return log->now = ended != 0 ? ended : rte_rdtsc();
}

/*
 * Begin a poll. ended: the TSC at the end of the lcore's previous poll, from stream_end(), which
 * saves reading the TSC; 0: unknown. Thread: the stream's worker. Returns the argument for
 * stream_end(): the TSC, STREAM_COUNTED, STREAM_UNTIMED, or 0 if nothing is recorded.
 */
static __rte_always_inline uint64_t
stream_begin(struct stream *s, uint64_t ended)
{
	return likely(atomic_load_explicit(&s->timed, memory_order_relaxed) == 0)
		? 0
		: stream_begin_timed(s, ended);
}

/* Return whether the packet limit leaves none for this poll. begin: from stream_begin(). */
static __rte_always_inline bool
stream_ran_out(const struct stream *s, uint64_t begin)
{
	return unlikely(begin != 0) && s->burst == 0;
}

/* The rare path of stream_end(): something is recorded or limited. */
static inline uint64_t
stream_end_timed(struct stream *s, uint64_t begin)
{
	/* Pairs with the release in run_count_record(): a recording may have begun since. */
	unsigned int timed = atomic_load_explicit(&s->timed, memory_order_acquire);
	struct stream_log *log;
	uint64_t ended, cycles;

	if (begin == STREAM_UNTIMED)
		return 0;
	if (begin == STREAM_COUNTED) {
		s->log->skip--;
		return 0;
	}
	ended = rte_rdtsc();
	cycles = ended - begin;
	if ((timed & STREAM_TIMED_ALL) != 0)
		counter_add(&s->count.busy_cycles, cycles);
	if ((timed & STREAM_TIMED_LOG) == 0)
		return ended;
	log = s->log;
	/*
	 * A source may have restarted the poll. A poll that began before the log was enabled is not
	 * counted.
	 */
	if (begin <= log->now)
		stream_log_add(log, cycles, counter_read(&s->count.rx) - log->rx_before,
			counter_read(&s->count.tx) - log->tx_before);
	else if (log->skip > 0)
		log->skip--;
	return ended;
}

/*
 * End a poll with packets. begin: from stream_begin(). Returns the TSC, or 0 if it was not read.
 * Thread: the stream's worker. Counts: busy_cycles, the log.
 */
static __rte_always_inline uint64_t
stream_end(struct stream *s, uint64_t begin)
{
	return begin == 0 ? 0 : stream_end_timed(s, begin);
}

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
