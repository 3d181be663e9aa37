/* Time the polls of a stream: reads the TSC only while somebody asks for cycles. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "stream/stream.h"

#include <rte_cycles.h>

/* Times that are none: the poll counts, but is not timed; it is neither. */
#define STREAM_COUNTED 1
#define STREAM_UNTIMED 2

/* Whether all polls' cycles are to be counted (record-core-cycles). Thread: any. */
static inline bool
stream_timed(const struct stream *s)
{
	return (atomic_load_explicit(&s->timed, memory_order_relaxed) & STREAM_TIMED_ALL) != 0;
}

/* stream_begin() for polls that somebody wants to have timed. */
static inline uint64_t
stream_begin_timed(struct stream *s, uint64_t ended)
{
	/* Pairs with the release in run_count_record(): the log is there. */
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
 * A poll begins. ended: the TSC at which the lcore's poll before it did, from stream_end(), which
 * saves a look at the clock; 0: not known. Thread: the stream's worker. Returns what stream_end()
 * wants to know: the TSC, STREAM_COUNTED, STREAM_UNTIMED, or 0 when nobody asks.
 */
static __rte_always_inline uint64_t
stream_begin(struct stream *s, uint64_t ended)
{
	return likely(atomic_load_explicit(&s->timed, memory_order_relaxed) == 0)
		? 0
		: stream_begin_timed(s, ended);
}

/* Whether a run of so many packets has none left for this poll. begin: of stream_begin(). */
static __rte_always_inline bool
stream_ran_out(const struct stream *s, uint64_t begin)
{
	return unlikely(begin != 0) && s->burst == 0;
}

/* stream_end() for polls that somebody wants to have timed. */
static inline uint64_t
stream_end_timed(struct stream *s, uint64_t begin)
{
	/* As in stream_begin_timed(): a recording may have begun since. */
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
	 * A source may have begun the poll once more; one that began before the log was asked for
	 * does not count.
	 */
	if (begin <= log->now)
		stream_log_add(log, cycles, counter_read(&s->count.rx) - log->rx_before,
			counter_read(&s->count.tx) - log->tx_before);
	else if (log->skip > 0)
		log->skip--;
	return ended;
}

/*
 * A poll that had packets ends. begin: of stream_begin(). Returns the TSC, or 0 when the clock was
 * not looked at. Thread: the stream's worker. Counts: busy_cycles, the log.
 */
static __rte_always_inline uint64_t
stream_end(struct stream *s, uint64_t begin)
{
	return begin == 0 ? 0 : stream_end_timed(s, begin);
}
