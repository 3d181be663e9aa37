/* Sends the described traffic of a stream: which packets are due, their headers, and their probes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/pace.h"
#include "engines/common/pkt.h"
#include "engines/engine.h"
#include "engines/measure/probe.h"
#include "engines/measure/traffic/traffic_head.h"

#include <rte_cycles.h>

#include <string.h>

struct lane_sender;

/* Engines that send have this as their first counter. */
enum { SENDER_UNSENT };

/* What a stream sends. Written by its worker after sender_init(). */
struct sender {
	uint32_t flows;     /* of this stream; 0: it sends nothing */
	uint32_t base;      /* number of its first flow among those of all streams */
	uint32_t flow;      /* next one */
	uint32_t mark, key; /* of the run */
	uint64_t round;    /* packets that each flow has sent, those before the next one one more */
	unsigned int size; /* index of the next packet's length */
	unsigned int stride;    /* bytes of a header in heads, a multiple of 64 */
	uint8_t *heads;         /* flows headers */
	uint64_t flags;         /* of mbufs */
	uint64_t late;          /* TSC ticks after which a due packet is not sent */
	unsigned int n_patches; /* 0: all packets have the same length, which is in the headers */
	struct pace pace;
	struct pool_blocks blocks;
	struct traffic_patch patches[TRAFFIC_PATCHES_MAX];
	struct traffic traffic;
	struct lane_sender *lanes; /* send in place of this traffic; NULL: none, see lane_run.h */
};

/*
 * Prepare a stream to send the flows of its port that are its share: the description, rate and gaps
 * are settings. EINVAL, ERANGE, ENOMEM. Thread: control.
 */
int sender_init(struct sender *d, const struct stream *s, struct err *e);

/*
 * Number the flows of all streams, whose state begins with a struct sender, and mark their packets.
 * ERANGE: too many flows. EINVAL: a run of a number of packets, and no flow. Thread: control, before
 * the run.
 */
int sender_number(struct stream *const *streams, unsigned int n, uint32_t mark, uint32_t key,
	struct err *e);

/*
 * Check that packets as described fit the buffers of a stream and the MTU of its port. ERANGE. Thread:
 * control.
 */
int sender_size_check(const struct traffic *t, const struct stream *s, struct err *e);

/* Free what sender_init() allocated. Thread: control. */
void sender_fini(struct sender *d);

/* Count packets as unsent for which there was no mbuf. */
void sender_lacks(struct stream *s, uint64_t n);

/* Write the length into a header, or a checksum over it. */
static __rte_always_inline void
sender_patch_one(const struct traffic_patch *patch, uint8_t *head, uint16_t bytes)
{
	const uint16_t length = rte_cpu_to_be_16((uint16_t)(bytes - patch->before));
	uint16_t sum;

	if (patch->length_at != 0)
		memcpy(head + patch->length_at, &length, sizeof(length));
	if (patch->sum_at == 0)
		return;
	memcpy(&sum, head + patch->sum_at, sizeof(sum));
	sum = (uint16_t)~probe_fold(sum + (uint64_t)patch->times * length);
	if (patch->udp && sum == 0)
		sum = UINT16_MAX;
	memcpy(head + patch->sum_at, &sum, sizeof(sum));
}

/* Write the length into a header, and the checksums over it. */
static __rte_always_inline void
sender_patch(const struct sender *d, uint8_t *head, uint16_t bytes)
{
	for (unsigned int i = 0; i < d->n_patches; i++)
		sender_patch_one(&d->patches[i], head, bytes);
}

/* Advance to the next flow's packet. */
static __rte_always_inline void
sender_next(struct sender *d)
{
	if (unlikely(++d->flow == d->flows)) {
		d->flow = 0;
		d->round++;
		d->size = traffic_size_index(&d->traffic, d->base, (uint32_t)d->round);
	} else if (unlikely(++d->size == d->traffic.n_sizes)) {
		d->size = 0;
	}
}

/*
 * Write packets of one length, with a header and a payload of that many bytes; the payload includes
 * the probe. paced: each is due at a time of its own, else all at due[0].
 */
static __rte_always_inline void
sender_build(const struct stream *s, struct sender *d, struct rte_mbuf **pkts, const uint64_t *due,
	bool paced, uint16_t n, unsigned int head, unsigned int payload)
{
	/* Copies, because each byte that is written could be a member of *d for the compiler. */
	const uint8_t *const heads = d->heads;
	const uint64_t flags = d->flags;
	const uint32_t key = d->key, flows = d->flows;
	const unsigned int stride = RTE_ALIGN_CEIL(head, 64u);
	const struct probe next = { d->base + d->flow, d->mark, (uint32_t)d->round, 0 };
	struct probe_due same = probe_due(due[0], key);
	const uint8_t *from = heads + (size_t)d->flow * stride;
	uint32_t left = flows - d->flow; /* flows until the first one is next */
	uint64_t word = probe_word(&next);

	for (uint16_t i = 0; i < n; i++) {
		uint8_t *frame;

		pkt_raw_open_known(pkts[i], (uint16_t)(head + payload), flags, &s->tx_end);
		frame = rte_pktmbuf_mtod(pkts[i], uint8_t *);
		memcpy(frame, from, head);
		if (payload == PROBE_BYTES) {
			if (paced)
				same = probe_due(due[i], key);
			probe_write_alone(frame + head, word, &same, key);
		} else {
			const struct probe probe = { (uint32_t)word & (PROBE_FLOWS_MAX - 1),
				next.mark, (uint32_t)(word >> 32), paced ? due[i] : due[0] };

			probe_write(frame + head, payload, &probe, key);
		}
		/* The flow is in the lower half of the word, the sequence number in the upper one. */
		word++;
		from += stride;
		if (unlikely(--left == 0)) {
			left = flows;
			word += (UINT64_C(1) << 32) - flows;
			from = heads;
		}
	}
	d->round += (uint32_t)(word >> 32) - next.sequence;
	d->flow = flows - left;
}

/*
 * Write packets of one length, or of different ones. Thread: the stream's worker. These are no inline
 * functions, so that the loop of the shortest UDP packets has the registers.
 */
void sender_build_any(const struct stream *s, struct sender *d, struct rte_mbuf **pkts,
	const uint64_t *due, uint16_t n);
void sender_build_sizes(const struct stream *s, struct sender *d, struct rte_mbuf **pkts,
	const uint64_t *due, uint16_t n);

/*
 * Count as unsent what was late at ended_tsc, when the stream was not polled any more. Thread: the
 * stream's worker.
 */
void sender_end(struct stream *s, struct sender *d, uint64_t ended_tsc);

/*
 * How many packets, up to max, are due at now; due[i] is when, or due[0] for all if the stream is not
 * paced. Packets that are late by more than d->late are skipped and counted.
 */
static __rte_always_inline uint16_t
sender_due(struct stream *s, struct sender *d, uint64_t now, uint64_t *due, uint16_t max)
{
	uint64_t unsent = 0;
	uint16_t n = 0;

	if (!d->pace.paced) {
		due[0] = now;
		return max;
	}
	if (unlikely(d->pace.due == 0))
		d->pace.due = now;
	while (unlikely((int64_t)(now - d->pace.due) > (int64_t)d->late && unsent < PACE_SKIP)) {
		pace_next(&d->pace);
		unsent++;
	}
	if (unlikely(unsent > 0)) {
		stream_count_named(s, SENDER_UNSENT, unsent);
		/* More than that would delay the stream by as many again, at the highest rates. */
		if (unsent == PACE_SKIP)
			return 0;
	}
	for (; n < max && (int64_t)(now - d->pace.due) >= 0; n++) {
		due[n] = d->pace.due;
		pace_next(&d->pace);
	}
	return n;
}

/*
 * Create the packets that are due, up to max; due[i] is when, or due[0] for all if the stream is not
 * paced. Thread: the stream's worker.
 */
static __rte_always_inline uint16_t
sender_source_due(struct stream *s, struct sender *d, struct rte_mbuf **pkts, uint64_t *due,
	uint16_t max)
{
	const unsigned int head = d->traffic.head_bytes, payload = d->traffic.size_max - head;
	uint16_t n, got;

	if (unlikely(d->flows == 0)) {
		stream_limit_give_back(&s->limit);
		return 0;
	}
	n = sender_due(s, d, rte_rdtsc(), due, max);
	if (n == 0)
		return 0;
	got = pkt_blocks_get(s, &d->blocks, pkts, n);
	if (unlikely(got < n && d->pace.paced))
		sender_lacks(s, n - got);
	if (unlikely(d->n_patches > 0))
		sender_build_sizes(s, d, pkts, due, got);
	else if (head != sizeof(struct pkt_udp) || payload > PROBE_BYTES)
		sender_build_any(s, d, pkts, due, got);
	else if (d->pace.paced)
		sender_build(s, d, pkts, due, true, got, sizeof(struct pkt_udp), PROBE_BYTES);
	else
		sender_build(s, d, pkts, due, false, got, sizeof(struct pkt_udp), PROBE_BYTES);
	stream_made(s, got);
	return got;
}

/* Create the packets that are due, up to max. Thread: the stream's worker. */
static __rte_always_inline uint16_t
sender_source(struct stream *s, struct sender *d, struct rte_mbuf **pkts, uint16_t max)
{
	uint64_t due[BURST_MAX];

	return sender_source_due(s, d, pkts, due, max);
}

/* Transmit created packets. Returns how many were sent. Sequence numbers of those that the port refuses are used again. */
static __rte_always_inline uint16_t
sender_send(struct stream *s, struct sender *d, struct rte_mbuf **pkts, uint16_t n)
{
	uint64_t next;
	uint16_t sent = stream_tx(s, pkts, n);

	if (likely(sent == n))
		return n;
	next = d->round * d->flows + d->flow - (n - sent);
	d->round = next / d->flows;
	d->flow = (uint32_t)(next % d->flows);
	d->size = traffic_size_index(&d->traffic, d->base + d->flow, (uint32_t)d->round);
	return sent;
}
