/* Copies read-only segments of received packets where the engine writes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/packets/run_writable.h"

#include "base/err.h"
#include "engines/engine.h"
#include "memory/mbuf_readonly.h"
#include "pmd_shims/extbuf.h"
#include "run/run.h"

#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include <stdlib.h>

/* Return whether any segment is read-only. */
static __rte_always_inline bool
is_readonly(const struct rte_mbuf *m, uint64_t mask)
{
	if (likely(m->nb_segs == 1))
		return mbuf_readonly_test(m, mask);
	for (; m != NULL; m = m->next)
		if (mbuf_readonly_test(m, mask))
			return true;
	return false;
}

/* Return a copy of n bytes at off of m, in one or more segments that may be written. */
static struct rte_mbuf *
copy_of(const struct run_writable_queue *q, const struct rte_mbuf *m, uint32_t off, uint32_t n)
{
	struct rte_mbuf *copy = rte_pktmbuf_copy(m, q->stream->pool, off, n);

	if (unlikely(copy == NULL))
		return NULL;
	mbuf_readonly_clear(copy, q->readonly);
	extbuf_mark(&copy, 1); /* rte_pktmbuf_copy() removes the flag also in pinned pools */
	return copy;
}

/*
 * Put a copy in place of the segment *link of the packet *pkt. Offload flags and other properties
 * of the packet are in its first segment, which rte_pktmbuf_copy() copies with the bytes. Returns
 * the copy's last segment.
 */
static struct rte_mbuf *
replace(struct rte_mbuf **pkt, struct rte_mbuf **link, struct rte_mbuf *copy, uint64_t mark)
{
	struct rte_mbuf *segment = *link, *last = rte_pktmbuf_lastseg(copy);
	const uint16_t n = copy->nb_segs;

	if (link == pkt) {
		copy->pkt_len = segment->pkt_len;
		copy->nb_segs = segment->nb_segs;
	} else {
		copy->ol_flags &= RTE_MBUF_F_EXTERNAL;
		copy->nb_segs = 1;
	}
	last->next = segment->next;
	*link = copy;
	(*pkt)->nb_segs += n - 1;
	/* Some drivers do not reset the flags of the mbufs that they receive into. */
	if (rte_mbuf_refcnt_read(segment) == 1)
		mbuf_readonly_clear(segment, mark);
	rte_pktmbuf_free_seg(segment);
	return last;
}

/*
 * Copy the read-only segments that the engine may write, among the packet's bytes; others stay.
 * *copied: there was one. Returns false if there is no mbuf for a copy, or if the copies make more
 * segments than can be sent; the packet then still is whole, or partly copied.
 */
static bool
own(const struct run_writable_queue *q, struct rte_mbuf **pkt, bool *copied)
{
	const uint32_t written = q->stream->engine->written(q->stream, *pkt);
	const uint16_t n_segs = (*pkt)->nb_segs;
	struct rte_mbuf **link = pkt, *last, *copy;
	uint32_t at = 0, bytes;

	*copied = false;
	for (; *link != NULL && at < (*pkt)->pkt_len; at += bytes, link = &last->next) {
		last = *link;
		bytes = last->data_len;
		if (at > 0 && at >= written)
			break;
		if (!mbuf_readonly_test(last, q->readonly))
			continue;
		copy = copy_of(q, *pkt, at, bytes);
		if (unlikely(copy == NULL))
			return false;
		last = replace(pkt, link, copy, q->readonly);
		*copied = true;
	}
	return q->segments || (*pkt)->nb_segs == n_segs;
}

/* Rx callback. Thread: the stream's worker. */
static uint16_t
on_rx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, uint16_t max, void *arg)
{
	const struct run_writable_queue *q = arg;
	struct stream_count *c = &q->stream->count;
	uint16_t kept = 0, copies = 0;
	bool copied;

	for (uint16_t i = 0; i < n; i++) {
		pkts[kept] = pkts[i];
		if (likely(!is_readonly(pkts[kept], q->readonly))) {
			kept++;
		} else if (likely(own(q, &pkts[kept], &copied))) {
			kept++;
			copies += copied;
		} else {
			rte_pktmbuf_free(pkts[kept]);
		}
	}
	if (copies > 0)
		counter_add(&c->readonly_copied, copies);
	if (unlikely(kept < n)) {
		counter_add(&c->rx, n - kept);
		counter_add(&c->absorbed, n - kept);
		counter_add(&c->readonly_dropped, n - kept);
	}
	return kept;
}

int
run_writable_queue_open(struct run_writable_queue *q, struct err *e)
{
	const struct stream *s = q->stream;

	q->callback = rte_eth_add_rx_callback(s->rx_port, s->rx_queue, on_rx, q);
	if (q->callback == NULL)
		return err_set(e, rte_errno,
			"engine %s writes into packets, but read-only data that port %u queue %u receives cannot be copied: %s",
			s->engine->name, s->rx_port, s->rx_queue, rte_strerror(rte_errno));
	return 0;
}

void
run_writable_queue_close(struct run_writable_queue *q)
{
	/* No lcore receives any more, so the callback can be freed. */
	if (q->callback != NULL &&
		rte_eth_remove_rx_callback(q->stream->rx_port, q->stream->rx_queue, q->callback) ==
			0)
		rte_free((void *)(uintptr_t)q->callback);
	q->callback = NULL;
}

/* *segments: whether all Tx queues of the run support multiple segments. */
static int
segments_decide(const struct run *r, bool *segments, struct err *e)
{
	struct extbuf_queue tx;
	int ret = 0;

	*segments = true;
	for (unsigned int i = 0; i < r->plan.n_streams && ret == 0; i++) {
		const struct stream *s = r->streams[i];

		ret = extbuf_tx_judge(s->tx_port, s->tx_queue, s->tx_end.offloads, &tx, e);
		if (ret == 0 && tx.verdict[EXTBUF_TX_SEGMENTS].support == EXTBUF_REFUSED)
			*segments = false;
	}
	return ret;
}

int
run_writable_begin(struct run *r, struct err *e)
{
	const uint64_t readonly = mbuf_readonly_lookup();
	const unsigned int n = r->plan.n_streams;
	bool segments;
	int ret;

	if (r->engine_run->written == NULL || readonly == 0)
		return 0;
	ret = segments_decide(r, &segments, e);
	if (ret != 0)
		return ret;
	r->writable = calloc(n, sizeof(*r->writable));
	if (r->writable == NULL)
		return err_set(e, ENOMEM, "no memory to copy read-only data in %u streams", n);
	for (r->n_writable = 0; r->n_writable < n && ret == 0; r->n_writable++) {
		struct run_writable_queue *q = &r->writable[r->n_writable];

		*q = (struct run_writable_queue){ r->streams[r->n_writable], readonly, segments,
			NULL };
		ret = run_writable_queue_open(q, e);
	}
	if (ret != 0)
		run_writable_end(r);
	return ret;
}

void
run_writable_end(struct run *r)
{
	for (unsigned int i = 0; i < r->n_writable; i++)
		run_writable_queue_close(&r->writable[i]);
	free(r->writable);
	r->writable = NULL;
	r->n_writable = 0;
}
