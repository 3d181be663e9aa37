/* A virtqueue of net_async_vhost: the CPU copies at once, or a DMA device copies and is polled
 * later. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/vhost_queue.h"

#include "base/base.h"
#include "pmd_shims/drivers/async_vhost/vhost_loan.h"
#include "stream/stream_pkts.h"

#include <rte_branch_prediction.h>
#include <rte_cycles.h>
#include <rte_ip.h>
#include <rte_log.h>
#include <rte_net.h>
#include <rte_pause.h>
#include <rte_tcp.h>
#include <rte_udp.h>
#include <rte_vhost.h>
#include <rte_vhost_async.h>

#include <inttypes.h>
#include <linux/virtio_config.h>
#include <linux/virtio_net.h>
#include <stddef.h>
#include <string.h>

/* Checksums of packets between guests and ports, in software. */

/*
 * Compute the checksum of the bytes from off to the end and store it at off + field. Returns false
 * if the field is not in the first segment.
 */
static bool
sum_from(struct rte_mbuf *m, uint32_t off, uint32_t field, bool never_zero)
{
	uint16_t sum;

	if (off >= m->pkt_len || off + field + sizeof(sum) > m->data_len ||
		rte_raw_cksum_mbuf(m, off, m->pkt_len - off, &sum) != 0)
		return false;
	sum = (uint16_t)~sum;
	if (sum == 0 && never_zero)
		sum = UINT16_MAX;
	*rte_pktmbuf_mtod_offset(m, unaligned_uint16_t *, off + field) = sum;
	return true;
}

/*
 * Complete the TCP or UDP checksum of a received packet whose checksum field has only that of the
 * pseudo header. Returns true if it was completed.
 */
static bool
vhost_csum_complete(struct rte_mbuf *m)
{
	struct rte_net_hdr_lens lens;
	uint32_t l4 = rte_net_get_ptype(m, &lens, RTE_PTYPE_ALL_MASK) & RTE_PTYPE_L4_MASK, off;

	off = lens.l2_len + lens.l3_len;
	if (l4 == RTE_PTYPE_L4_TCP && sum_from(m, off, offsetof(struct rte_tcp_hdr, cksum), false))
		;
	else if (l4 != RTE_PTYPE_L4_UDP ||
		!sum_from(m, off, offsetof(struct rte_udp_hdr, dgram_cksum), true))
		return false;
	m->ol_flags = (m->ol_flags & ~RTE_MBUF_F_RX_L4_CKSUM_MASK) | RTE_MBUF_F_RX_L4_CKSUM_GOOD;
	return true;
}

static bool
segments(const struct rte_mbuf *m, uint64_t features)
{
	unsigned int bit;

	if ((m->ol_flags & RTE_MBUF_F_TX_UDP_SEG) != 0)
		bit = VIRTIO_NET_F_GUEST_UFO;
	else
		bit = (m->ol_flags & RTE_MBUF_F_TX_IPV4) != 0 ? VIRTIO_NET_F_GUEST_TSO4
							      : VIRTIO_NET_F_GUEST_TSO6;
	return (features & UINT64_C(1) << bit) != 0;
}

/*
 * Compute the checksums that Tx offload flags ask for and the guest cannot compute, and clear the
 * flags. features: of the guest. Returns false if the flags ask for a segmentation that the guest
 * does not accept.
 */
static bool
vhost_csum_before_tx(struct rte_mbuf *m, uint64_t features)
{
	const uint64_t l4 = m->ol_flags & RTE_MBUF_F_TX_L4_MASK;
	const uint32_t off = m->l2_len + m->l3_len;

	if ((m->ol_flags & (RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_UDP_SEG)) != 0)
		return segments(m, features);
	if (l4 == 0 || (features & UINT64_C(1) << VIRTIO_NET_F_GUEST_CSUM) != 0)
		return true;
	if (rte_net_intel_cksum_prepare(m) == 0) {
		if (l4 == RTE_MBUF_F_TX_TCP_CKSUM)
			sum_from(m, off, offsetof(struct rte_tcp_hdr, cksum), false);
		else if (l4 == RTE_MBUF_F_TX_UDP_CKSUM)
			sum_from(m, off, offsetof(struct rte_udp_hdr, dgram_cksum), true);
	}
	m->ol_flags &= ~RTE_MBUF_F_TX_L4_MASK;
	return true;
}

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

#define CALL_MAX 32     /* packets per call of the library */
#define TRIES 10000     /* attempts to take a lock that workers hold for a burst */
#define DRAIN_SECONDS 2 /* within which a working DMA device completes all copies */

/* Used only if a DMA device no longer works. */
RTE_LOG_REGISTER(vhost_queue_log, pmd.net.async_vhost, NOTICE)

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
 * Take packets whose copies are complete from the library: received packets, or sent packets to be
 * freed. The caller holds the lock.
 */
static uint16_t
collect(struct vhost_queue *q, struct rte_mbuf **pkts, uint16_t max)
{
	uint16_t n = q->rx
		? rte_vhost_clear_queue(q->vid, q->vring, pkts, max, q->dma, q->vchan)
		: rte_vhost_poll_enqueue_completed(q->vid, q->vring, pkts, max, q->dma, q->vchan);

	atomic_fetch_sub_explicit(&q->in_flight, n, memory_order_relaxed);
	return n;
}

/* True if the DMA device is to be used from now on. */
static inline bool
wants_engine(const struct vhost_queue *q)
{
	return q->dma >= 0 &&
		atomic_load_explicit(&q->copy, memory_order_relaxed) != NET_ASYNC_VHOST_CPU &&
		!vhost_autotune_all_cpu(&q->autotune) &&
		atomic_load_explicit(&q->registered, memory_order_relaxed);
}

static void
complete_tx(struct vhost_queue *q)
{
	struct rte_mbuf *done[CALL_MAX];
	uint16_t n;

	do {
		n = collect(q, done, CALL_MAX);
		rte_pktmbuf_free_bulk(done, n);
	} while (n == CALL_MAX);
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

/*
 * Number of free slots in the library, which does not check that itself: if a guest claims to have
 * given more buffers than its ring holds, later packets would overwrite slots of those in flight.
 */
static inline uint16_t
room(const struct vhost_queue *q)
{
	const int used = in_flight(q);

	return used < q->slots ? (uint16_t)(q->slots - used) : 0;
}

/*
 * Bug of the library, up to 26.07: it frees a packet of a packed ring twice if it cannot copy it,
 * because of more than 2048 parts or a lack of mbufs. For such rings it gets mbufs on loan.
 */
static uint16_t
rx_engine(struct vhost_queue *q, struct rte_mbuf **pkts, uint16_t n)
{
	const bool packed = (atomic_load_explicit(&q->features, memory_order_relaxed) &
				    UINT64_C(1) << VIRTIO_F_RING_PACKED) != 0;
	const uint16_t half = (q->slots + 1) / 2, most = RTE_MIN(half, CALL_MAX);
	uint16_t got = 0, more, max;
	int left;

	do {
		max = RTE_MIN((uint16_t)(n - got), most);
		if (unlikely(room(q) < max)) {
			more = collect(q, &pkts[got], max);
		} else {
			more = rte_vhost_async_try_dequeue_burst(q->vid, q->vring,
				packed ? vhost_loan_begin(q->loan) : q->pool, &pkts[got], max,
				&left, q->dma, q->vchan);
			if (packed)
				vhost_loan_end(q->loan);
			if (left >= 0)
				atomic_store_explicit(&q->in_flight, left, memory_order_relaxed);
		}
		got += more;
	} while (more == most && got < n);
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
		got = rx_engine(q, pkts, n);
	} else if (unlikely(was)) { /* first the packets in flight, to keep the order */
		got = collect(q, pkts, RTE_MIN(n, CALL_MAX));
		q->async = rte_vhost_async_get_inflight(q->vid, q->vring) > 0;
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
		n = RTE_MIN(n, room(q));
		sent = rte_vhost_submit_enqueue_burst(q->vid, q->vring, pkts, n, q->dma, q->vchan);
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
	if (q->async && in_flight(q) > 0)
		complete_tx(q);
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

/* Number of packets that the library has in flight; -1: unknown, as it is busy. */
static int
left_in(const struct vhost_queue *q, int vid, bool locked)
{
	return locked ? rte_vhost_async_get_inflight_thread_unsafe(vid, q->vring)
		      : rte_vhost_async_get_inflight(vid, q->vring);
}

/*
 * Wait for all copies in flight and free their packets, before the guest's memory is released. No
 * other thread calls the library for this virtqueue at the same time.
 */
static void
drain(struct vhost_queue *q, int vid, bool locked)
{
	const uint64_t until = rte_get_timer_cycles() + DRAIN_SECONDS * rte_get_timer_hz();
	struct rte_mbuf *done[CALL_MAX];
	int left;
	uint16_t n;

	if (!atomic_load(&q->registered))
		return;
	/* left is -1 while another thread is in the library; that thread drains too. */
	while ((left = left_in(q, vid, locked)) > 0 || (left < 0 && in_flight(q) > 0)) {
		n = locked ? rte_vhost_clear_queue_thread_unsafe(vid, q->vring, done, CALL_MAX,
				     q->dma, q->vchan)
			   : rte_vhost_clear_queue(vid, q->vring, done, CALL_MAX, q->dma, q->vchan);
		if (n > CALL_MAX) /* some releases return -1 if the lock is not held */
			n = 0;
		rte_pktmbuf_free_bulk(done, n);
		atomic_fetch_sub_explicit(&q->in_flight, n, memory_order_relaxed);
		if (q->rx)
			atomic_fetch_add_explicit(&q->drained, n, memory_order_relaxed);
		if (n == 0 && rte_get_timer_cycles() > until) {
			rte_log(RTE_LOG_ERR, vhost_queue_log,
				"net_async_vhost: port %u virtqueue %u: %d copies not completed after %u s: "
				"DMA device %d does not work\n",
				q->port, q->vring, left, DRAIN_SECONDS, q->dma);
			return;
		}
		rte_pause();
	}
}

void
vhost_queue_drain_locked(struct vhost_queue *q, int vid)
{
	rte_spinlock_lock(&q->draining);
	drain(q, vid, true);
	rte_spinlock_unlock(&q->draining);
}

/*
 * Register the queue's DMA device in the library, unless it is registered. locked: this thread
 * holds the library's lock.
 */
static void
tell_engine(struct vhost_queue *q, int vid, bool locked)
{
	struct rte_vhost_vring ring;
	int ret;

	if ((q->dma < 0 && !q->movable) || atomic_load(&q->registered) ||
		rte_vhost_get_vhost_vring(vid, q->vring, &ring) != 0 || ring.size == 0)
		return;
	ret = locked ? rte_vhost_async_channel_register_thread_unsafe(vid, q->vring)
		     : rte_vhost_async_channel_register(vid, q->vring);
	if (ret != 0)
		return;
	q->slots = ring.size;
	atomic_store(&q->registered, true);
}

static void
open_now(struct vhost_queue *q, int vid, uint64_t features, bool locked)
{
	q->vid = vid;
	q->async = false;
	atomic_store(&q->features, features);
	tell_engine(q, vid, locked);
	atomic_store_explicit(&q->open, true, memory_order_release);
}

void
vhost_queue_open(struct vhost_queue *q, int vid, uint64_t features)
{
	rte_spinlock_lock(&q->lock);
	open_now(q, vid, features, false);
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
				open_now(q, vid, features, true);
			else
				tell_engine(q, vid, true);
			rte_spinlock_unlock(&q->lock);
			return;
		}
		rte_pause();
	}
}

void
vhost_queue_forget(struct vhost_queue *q)
{
	atomic_store(&q->registered, false);
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
	if (q->vid >= 0) {
		drain(q, q->vid, false);
		if (atomic_load(&q->registered) &&
			rte_vhost_async_channel_unregister(q->vid, q->vring) == 0)
			atomic_store(&q->registered, false);
	}
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

	/* The library's number also has packets that an earlier guest's close gave up. */
	if (in_flight(q) > 0 ||
		(may_be_open(q) && atomic_load(&q->registered) && left_in(q, q->vid, false) != 0))
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
