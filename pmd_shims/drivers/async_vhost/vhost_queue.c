/* A virtqueue of net_async_vhost: the CPU copies at once, or a DMA device copies and is polled
 * later. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/vhost_queue.h"

#include "base/base.h"
#include "pmd_shims/drivers/async_vhost/vhost_header.h"
#include "stream/stream_pkts.h"

#include <rte_branch_prediction.h>
#include <rte_cycles.h>
#include <rte_pause.h>
#include <rte_vhost.h>

#include <string.h>

/* Mode auto: sets the threshold of the virtqueue's vchan to the autotuned one. */

static void
set(struct vhost_autotune *a, uint32_t bytes)
{
	const struct dma_min_len both = { bytes, bytes };

	a->in_force = bytes;
	dma_adaptive_set_min_len(a->dma, a->vchan, both);
}

void
vhost_autotune_open(struct vhost_autotune *a, int16_t dma, uint16_t vchan, unsigned int descriptors)
{
	struct dma_min_len now = { 0 };

	dma_adaptive_min_len(dma, vchan, &now);
	a->dma = dma;
	a->vchan = vchan;
	set(a,
		threshold_autotune_open(&a->threshold, now.near, descriptors, rte_get_tsc_hz(),
			true));
}

void
vhost_autotune_close(struct vhost_autotune *a)
{
	memset(a, 0, sizeof(*a));
}

/* Record the lengths of packets that a poll will copy or has copied. */
static void
vhost_autotune_lengths(struct vhost_autotune *a, struct rte_mbuf *const *pkts, uint16_t n)
{
	if (!threshold_autotune_wants_lengths(&a->threshold))
		return;
	/* Each segment of a packet is a copy of its own. */
	for (uint16_t i = 0; i < n; i++)
		threshold_autotune_length(&a->threshold, pkts[i]->data_len);
}

/*
 * Record a timed poll from TSC begin to now, which accepted packets. collected: it completed copies
 * of earlier polls.
 */
static void
vhost_autotune_poll(struct vhost_autotune *a, uint64_t begin, uint64_t now, uint16_t packets,
	bool collected)
{
	const uint32_t bytes = threshold_autotune_poll(&a->threshold, begin, now, packets,
		packets > 0 || collected);

	if (bytes != a->in_force)
		set(a, bytes);
}

#define CALL_MAX 32 /* packets per call of the library */
#define TRIES 10000 /* attempts to take a lock that workers hold for a burst */

/*
 * Count packets and bytes, the latter also by copier. A dma_adaptive device counts its own bytes.
 */
static inline void
count(struct vhost_queue *q, struct rte_mbuf *const *pkts, uint16_t n, bool async)
{
	const uint64_t bytes = stream_bytes(pkts, n);

	counter_add(&q->packets, n);
	counter_add(&q->bytes, bytes);
	if (!async)
		counter_add(&q->cpu_bytes, bytes);
	else if (!q->adaptive)
		counter_add(&q->dma_bytes, bytes);
}

static inline bool
may_be_open(const struct vhost_queue *q)
{
	return atomic_load_explicit(&q->open, memory_order_acquire);
}

static inline int
in_flight(const struct vhost_queue *q)
{
	return atomic_load_explicit(&q->in_flight, memory_order_relaxed);
}

/*
 * Take packets whose copies are complete: received packets, or sent packets to be freed. The caller
 * has entered.
 */
static uint16_t
collect(struct vhost_queue *q, struct rte_mbuf **pkts, uint16_t max)
{
	const uint16_t n = vhost_copy_collect(&q->path, pkts, max);

	if (unlikely(q->path.refused + q->path.failed > 0)) {
		counter_add(&q->refused, q->path.refused);
		atomic_fetch_add_explicit(&q->drained, q->path.failed, memory_order_relaxed);
		q->path.refused = q->path.failed = 0;
	}
	atomic_store_explicit(&q->in_flight, (int)vhost_copy_in_flight(&q->path),
		memory_order_relaxed);
	return n;
}

/* True if the DMA device is to be used from now on. */
static inline bool
wants_engine(const struct vhost_queue *q)
{
	return q->dma >= 0 &&
		atomic_load_explicit(&q->copy, memory_order_relaxed) != NET_ASYNC_VHOST_CPU &&
		!vhost_autotune_all_cpu(&q->autotune) &&
		atomic_load_explicit(&q->path.open, memory_order_relaxed);
}

/* Free sent packets whose copies are complete. The caller has entered. */
static void
free_sent(struct vhost_queue *q)
{
	struct rte_mbuf *done[CALL_MAX];
	uint16_t n;

	do {
		n = collect(q, done, CALL_MAX);
		rte_pktmbuf_free_bulk(done, n);
	} while (n == CALL_MAX);
}

static void
complete_tx(struct vhost_queue *q)
{
	if (!vhost_copy_enter(&q->path))
		return;
	free_sent(q);
	vhost_copy_leave(&q->path);
}

int
vhost_queue_complete(void *queue, uint32_t max)
{
	struct vhost_queue *q = queue;
	int before = in_flight(q);

	(void)max;
	if (before <= 0 || !may_be_open(q) || !rte_spinlock_trylock(&q->lock))
		return 0;
	before = in_flight(q);
	if (q->async && may_be_open(q))
		complete_tx(q);
	before -= in_flight(q);
	rte_spinlock_unlock(&q->lock);
	return before > 0 ? before : 0;
}

static uint16_t
rx_cpu(struct vhost_queue *q, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t got = 0, more;

	do {
		more = rte_vhost_dequeue_burst(q->vid, q->vring, q->pool, &pkts[got],
			RTE_MIN(n - got, CALL_MAX));
		got += more;
	} while (more == CALL_MAX && got < n);
	return got;
}

static uint16_t
rx_engine(struct vhost_queue *q, struct rte_mbuf **pkts, uint16_t n, bool start)
{
	uint16_t got;

	if (!vhost_copy_enter(&q->path))
		return 0;
	if (start)
		vhost_copy_receive(&q->path, q->pool, n);
	got = collect(q, pkts, n);
	vhost_copy_leave(&q->path);
	return got;
}

/* Complete the checksums that the guest left incomplete, unless the application does. */
static void
rx_csum(struct vhost_queue *q, struct rte_mbuf **pkts, uint16_t n)
{
	uint64_t made = 0;

	if (q->verdicts || atomic_load_explicit(&q->leaves_csum, memory_order_relaxed))
		return;
	for (uint16_t i = 0; i < n; i++)
		if (unlikely((pkts[i]->ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK) ==
			    RTE_MBUF_F_RX_L4_CKSUM_NONE))
			made += vhost_csum_complete(pkts[i]);
	if (made > 0)
		counter_add(&q->csum, made);
}

static uint16_t
receive_some(struct vhost_queue *q, struct rte_mbuf **pkts, uint16_t n)
{
	const bool engine = wants_engine(q), was = q->async;
	uint16_t got;

	if (likely(engine)) {
		q->async = true;
		got = rx_engine(q, pkts, n, true);
	} else if (unlikely(was)) { /* first the packets in flight, to keep the order */
		got = rx_engine(q, pkts, n, false);
		q->async = !vhost_copy_give(&q->path);
	} else {
		got = rx_cpu(q, pkts, n);
	}
	if (got == 0)
		return 0;
	for (uint16_t i = 0; i < got; i++)
		pkts[i]->port = q->port;
	count(q, pkts, got, engine || was);
	rx_csum(q, pkts, got);
	return got;
}

static uint16_t
receive(struct vhost_queue *q, struct rte_mbuf **pkts, uint16_t n)
{
	uint64_t begin;
	uint16_t got;

	if (likely(!vhost_autotune_due(&q->autotune)))
		return receive_some(q, pkts, n);
	begin = rte_rdtsc();
	got = receive_some(q, pkts, n);
	vhost_autotune_poll(&q->autotune, begin, rte_rdtsc(), got, false);
	vhost_autotune_lengths(&q->autotune, pkts, got);
	return got;
}

uint16_t
vhost_queue_rx(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	struct vhost_queue *q = queue;
	uint16_t got = 0;

	if (unlikely(!may_be_open(q)))
		return 0;
	if (likely(rte_spinlock_trylock(&q->lock))) {
		if (likely(may_be_open(q)))
			got = receive(q, pkts, n);
		rte_spinlock_unlock(&q->lock);
	}
	/* Also complete packets sent to the guest: there may be no further transmit calls. */
	if (q->tx != NULL && in_flight(q->tx) > 0)
		vhost_queue_complete(q->tx, 0);
	return got;
}

/*
 * Number of leading packets that can be sent. If already the first one cannot, it is freed and *bad
 * is set.
 */
static uint16_t
fit(struct vhost_queue *q, struct rte_mbuf **pkts, uint16_t n, bool *bad)
{
	const uint64_t features = atomic_load_explicit(&q->features, memory_order_relaxed);
	const uint64_t asks = RTE_MBUF_F_TX_L4_MASK | RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_UDP_SEG;
	uint16_t i;

	for (i = 0; i < n; i++) {
		/* The library would treat the copy of an empty packet as completed at once. */
		if (unlikely(pkts[i]->pkt_len == 0))
			break;
		if (unlikely((pkts[i]->ol_flags & asks) != 0) &&
			!vhost_csum_before_tx(pkts[i], features))
			break;
	}
	*bad = unlikely(i == 0 && n > 0);
	if (*bad) {
		counter_add(&q->refused, 1);
		rte_pktmbuf_free(pkts[0]);
	}
	return i;
}

static uint16_t
tx_some(struct vhost_queue *q, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t sent;

	if (q->async) {
		sent = vhost_copy_send(&q->path, pkts, n);
		/* Counting after the call is safe: freeing them needs the lock. */
		count(q, pkts, sent, true);
		atomic_fetch_add_explicit(&q->in_flight, sent, memory_order_relaxed);
		return sent;
	}
	sent = rte_vhost_enqueue_burst(q->vid, q->vring, pkts, n);
	count(q, pkts, sent, false);
	rte_pktmbuf_free_bulk(pkts, sent);
	return sent;
}

/* Switch the way of copying once copies in flight are complete. Returns false if they are not. */
static bool
tx_switch(struct vhost_queue *q, bool engine)
{
	const uint64_t until = rte_get_timer_cycles() + rte_get_timer_hz() / 100;

	while (q->async && in_flight(q) > 0) {
		complete_tx(q);
		if (rte_get_timer_cycles() > until)
			return false;
		rte_pause();
	}
	if (!engine)
		vhost_copy_give(&q->path);
	q->async = engine;
	return true;
}

static uint16_t
transmit_some(struct vhost_queue *q, struct rte_mbuf **pkts, uint16_t n)
{
	const bool engine = wants_engine(q);
	uint16_t sent = 0, fitting, some;
	bool bad;

	if (unlikely(engine != q->async) && !tx_switch(q, engine))
		return 0;
	if (q->async && !vhost_copy_enter(&q->path))
		return 0;
	if (q->async && in_flight(q) > 0)
		free_sent(q);
	while (sent < n) {
		fitting = fit(q, &pkts[sent], RTE_MIN(n - sent, CALL_MAX), &bad);
		if (unlikely(bad)) {
			sent++;
			continue;
		}
		some = tx_some(q, &pkts[sent], fitting);
		sent += some;
		if (some < fitting)
			break;
	}
	if (q->async)
		vhost_copy_leave(&q->path);
	return sent;
}

static uint16_t
transmit(struct vhost_queue *q, struct rte_mbuf **pkts, uint16_t n)
{
	int before = in_flight(q);
	uint64_t begin;
	uint16_t sent;

	if (likely(!vhost_autotune_due(&q->autotune)))
		return transmit_some(q, pkts, n);
	vhost_autotune_lengths(&q->autotune, pkts, n);
	begin = rte_rdtsc();
	sent = transmit_some(q, pkts, n);
	vhost_autotune_poll(&q->autotune, begin, rte_rdtsc(), sent, before + sent > in_flight(q));
	return sent;
}

uint16_t
vhost_queue_tx(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	struct vhost_queue *q = queue;
	uint16_t sent = 0;

	if (unlikely(!may_be_open(q)))
		return 0;
	rte_spinlock_lock(&q->lock);
	if (likely(may_be_open(q)))
		sent = transmit(q, pkts, n);
	rte_spinlock_unlock(&q->lock);
	return sent;
}

/* Count packets that were freed because their ring stopped; those to the guest had been sent. */
static void
count_drained(struct vhost_queue *q, unsigned int n, bool sent)
{
	if (n > 0 && !sent)
		atomic_fetch_add_explicit(&q->drained, n, memory_order_relaxed);
	atomic_store_explicit(&q->in_flight, (int)vhost_copy_in_flight(&q->path),
		memory_order_relaxed);
}

void
vhost_queue_ready(struct vhost_queue *q, bool ready)
{
	count_drained(q, vhost_copy_ready(&q->path, ready), !q->rx);
}

void
vhost_queue_pause(struct vhost_queue *q, bool paused)
{
	count_drained(q, vhost_copy_pause(&q->path, paused), !q->rx);
}

void
vhost_queue_abandon(struct vhost_queue *q)
{
	count_drained(q, vhost_copy_abandon(&q->path), false);
}

static void
open_now(struct vhost_queue *q, int vid, uint64_t features)
{
	q->vid = vid;
	q->async = false;
	atomic_store(&q->features, features);
	if (q->dma >= 0 || q->movable)
		vhost_copy_serve(&q->path, true, vid);
	atomic_store_explicit(&q->open, true, memory_order_release);
}

void
vhost_queue_open(struct vhost_queue *q, int vid, uint64_t features)
{
	rte_spinlock_lock(&q->lock);
	open_now(q, vid, features);
	rte_spinlock_unlock(&q->lock);
}

void
vhost_queue_open_locked(struct vhost_queue *q, int vid, uint64_t features,
	const atomic_bool *started)
{
	/*
	 * Do not block on the lock: a thread that holds it for long opens or closes the queue and
	 * may be waiting for the library's lock, which this thread holds.
	 */
	for (unsigned int i = 0; i < TRIES; i++) {
		if (rte_spinlock_trylock(&q->lock)) {
			if (!may_be_open(q) && atomic_load(started))
				open_now(q, vid, features);
			rte_spinlock_unlock(&q->lock);
			return;
		}
		rte_pause();
	}
}

void
vhost_queue_close(struct vhost_queue *q)
{
	/*
	 * Pairs with vhost_queue_rx(), vhost_queue_tx(): a poll that holds the lock ends, later
	 * ones see that the queue is closed.
	 */
	atomic_store(&q->open, false);
	rte_spinlock_lock(&q->lock);
	count_drained(q, vhost_copy_serve(&q->path, false, -1), !q->rx);
	q->async = false;
	atomic_store(&q->in_flight, 0);
	rte_spinlock_unlock(&q->lock);
}

/* Bytes that a dma_adaptive copied for the queue since it came to its vchan. */
static bool
since_arrival(const struct vhost_queue *q, uint64_t *cpu_bytes, uint64_t *dma_bytes)
{
	struct dma_adaptive_stats s;

	if (!q->adaptive || dma_adaptive_stats(q->dma, q->vchan, &s) != 0)
		return false;
	*cpu_bytes = s.cpu_bytes - q->arrived.cpu_bytes;
	*dma_bytes = s.dma_bytes - q->arrived.dma_bytes;
	return true;
}

bool
vhost_queue_rebind(struct vhost_queue *q, int16_t dma, uint16_t vchan)
{
	uint64_t cpu_bytes, dma_bytes;

	/* Its own number also has packets that an earlier guest's close gave up. */
	if (!vhost_copy_use(&q->path, dma, vchan))
		return false;
	q->async = false;
	rte_spinlock_lock(&q->counting);
	if (since_arrival(q, &cpu_bytes, &dma_bytes)) {
		counter_add(&q->cpu_bytes, cpu_bytes);
		counter_add(&q->dma_bytes, dma_bytes);
	}
	q->dma = dma;
	q->vchan = vchan;
	q->adaptive = dma_adaptive_is(dma);
	memset(&q->arrived, 0, sizeof(q->arrived));
	if (since_arrival(q, &cpu_bytes, &dma_bytes)) {
		q->arrived.cpu_bytes = cpu_bytes;
		q->arrived.dma_bytes = dma_bytes;
	}
	rte_spinlock_unlock(&q->counting);
	return true;
}

void
vhost_queue_stats(struct vhost_queue *q, struct net_async_vhost_stats *to)
{
	const int left = in_flight(q);
	uint64_t cpu_bytes, dma_bytes;

	rte_spinlock_lock(&q->counting);
	*to = (struct net_async_vhost_stats){
		.packets = q->packets,
		.bytes = q->bytes,
		.cpu_bytes = q->cpu_bytes,
		.dma_bytes = q->dma_bytes,
		.in_flight = left > 0 ? (uint64_t)left : 0,
		.drained = q->drained,
		.refused = q->refused,
		.csum = q->csum,
	};
	if (since_arrival(q, &cpu_bytes, &dma_bytes)) {
		to->cpu_bytes += cpu_bytes;
		to->dma_bytes += dma_bytes;
	}
	rte_spinlock_unlock(&q->counting);
}
