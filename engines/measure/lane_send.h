/* Sends lanes: which packets are due, their headers, their probes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/measure/lane_run.h"
#include "engines/measure/sender.h"

/* The next packet of a lane. */
static __rte_always_inline void
lane_send_next(struct lane_run *run)
{
	if (++run->flow == run->flows) {
		run->flow = 0;
		run->round++;
	}
}

/* Take back a packet of a lane that was not sent: its number is used again. */
static inline void
lane_send_undo(struct lane_sender *d, struct lane_run *run, bool built, uint64_t now)
{
	if (built && run->flow-- == 0) {
		run->flow = run->flows - 1;
		run->round--;
	}
	if (run->plan->count == 0)
		return;
	run->left++;
	if (run->left == 1)
		lane_run_return(d, run, now);
}

/*
 * Choose the packets that are due at a time of their own, up to max, in the order of these times. Late
 * ones are skipped and counted. Returns how many.
 */
static inline uint16_t
lane_send_due(struct stream *s, struct lane_sender *d, uint64_t late, uint64_t now, uint64_t *due,
	uint16_t max)
{
	struct lane_run *const *runs = d->set->run;
	unsigned int skipped = 0;
	uint16_t n = 0;

	while (n < max && d->n_heap > 0 && (int64_t)(now - d->heap[0].due) >= 0) {
		struct lane_run *run = runs[d->heap[0].place];
		struct pace *pace = &run->plan->pace;

		if (unlikely((int64_t)(now - pace->due) > (int64_t)late)) {
			counter_add(&run->unsent, 1);
			if (++skipped == PACE_SKIP)
				max = n;
		} else {
			d->owner[n] = run->place;
			due[n++] = pace->due;
			run->left--;
		}
		pace_next(pace);
		d->heap[0].due = pace->due;
		if (unlikely(run->left == 0 ||
			    (run->plan->ticks > 0 && (int64_t)(pace->due - run->end) >= 0)))
			lane_run_done(d, run, pace->due);
		else
			lane_run_sift(d);
	}
	if (unlikely(skipped > 0))
		stream_count_named(s, SENDER_UNSENT, skipped);
	return n;
}

/* Fill a burst of n packets up to max with lanes that send as much as they can, in turn. */
static inline uint16_t
lane_send_fill(struct lane_sender *d, uint64_t now, uint64_t *due, uint16_t n, uint16_t max)
{
	while (n < max && d->n_greedy > 0) {
		struct lane_run *run;

		if (d->next_greedy >= d->n_greedy)
			d->next_greedy = 0;
		run = d->set->run[d->greedy[d->next_greedy]];
		if (unlikely(run->plan->ticks > 0 && (int64_t)(now - run->end) >= 0)) {
			lane_run_done(d, run, now);
			continue;
		}
		d->next_greedy++;
		d->owner[n] = run->place;
		due[n++] = now;
		if (unlikely(--run->left == 0))
			lane_run_done(d, run, now);
	}
	return n;
}

/* Write the next packet of a lane. */
static __rte_always_inline void
lane_send_build(const struct stream *s, const struct sender *d, struct lane_run *run,
	struct rte_mbuf *m, uint64_t due)
{
	const struct lane_plan *plan = run->plan;
	const struct probe probe = { run->base + run->flow, d->mark, (uint32_t)run->round, due };
	const uint16_t bytes = plan->sizes[plan->n_sizes == 1 ? 0
							      : lane_size_index(plan, run->flows,
									run->flow, probe.sequence)],
		       head = run->head_bytes;
	uint8_t *frame;

	pkt_raw_open(m, bytes, d->flags, &s->tx_end);
	frame = rte_pktmbuf_mtod(m, uint8_t *);
	memcpy(frame, run->heads + (size_t)run->flow * run->stride, head);
	for (unsigned int i = 0; i < run->n_patches; i++)
		sender_patch_one(&run->patches[i], frame, bytes);
	probe_write(frame + head, bytes - head, &probe, d->key);
	lane_send_next(run);
}

/* Create the packets that are due, up to max; due[i] is when. Thread: the stream's worker. */
static __rte_always_inline uint16_t
lane_send_source_due(struct stream *s, struct sender *sender, struct rte_mbuf **pkts, uint64_t *due,
	uint16_t max)
{
	struct lane_sender *d = sender->lanes;
	const uint64_t now = rte_rdtsc();
	uint16_t n, got;

	counter_add(&d->polls, 1);
	if (unlikely(d->ends))
		lane_run_ended(d);
	/* Pairs with the release in change_live(). */
	if (unlikely(atomic_load_explicit(&d->asked, memory_order_acquire) != d->adopted))
		lane_run_adopt(d, now);
	n = lane_send_fill(d, now, due, lane_send_due(s, d, sender->late, now, due, max), max);
	if (n == 0) {
		if (d->n_heap == 0)
			stream_limit_give_back(&s->limit);
		return 0;
	}
	got = pkt_blocks_get(s, &sender->blocks, pkts, n);
	for (uint16_t i = 0; i < got; i++)
		lane_send_build(s, sender, d->set->run[d->owner[i]], pkts[i], due[i]);
	for (uint16_t i = got; unlikely(i < n); i++) {
		struct lane_run *run = d->set->run[d->owner[i]];

		if (run->plan->pace.paced) {
			counter_add(&run->unsent, 1);
			sender_lacks(s, 1);
		}
		lane_send_undo(d, run, false, now);
	}
	stream_made(s, got);
	return got;
}

/* Transmit created packets. Returns how many were sent. Numbers of those that the port refuses are used again. */
static __rte_always_inline uint16_t
lane_send_send(struct stream *s, struct lane_sender *d, struct rte_mbuf **pkts, uint16_t n)
{
	const uint16_t sent = stream_tx(s, pkts, n);

	for (uint16_t i = 0; i < sent; i++)
		counter_add(&d->set->run[d->owner[i]]->sent, 1);
	for (uint16_t i = sent; unlikely(i < n); i++) {
		struct lane_run *run = d->set->run[d->owner[i]];

		counter_add(&run->refused, 1);
		lane_send_undo(d, run, true, rte_rdtsc());
	}
	return sent;
}
