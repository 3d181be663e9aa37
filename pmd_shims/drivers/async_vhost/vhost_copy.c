/* Packets of a virtqueue whose bytes a DMA device copies. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/vhost_copy.h"

#include "pmd_shims/drivers/async_vhost/vhost_header.h"

#include <rte_branch_prediction.h>
#include <rte_cycles.h>
#include <rte_dmadev.h>
#include <rte_log.h>
#include <rte_malloc.h>
#include <rte_pause.h>

#include <linux/virtio_config.h>
#include <stdlib.h>
#include <string.h>

#define DRAIN_SECONDS 2 /* within which a working DMA device completes all copies */

enum {
	PACKET_MAX = 65553, /* bytes: 64 KB of IP, Ethernet header, a tag */
	AT_ONCE = 32,       /* packets or jobs */
};

RTE_LOG_REGISTER(vhost_copy_log, pmd.net.async_vhost, NOTICE)

static inline struct vhost_flight *
flight_at(const struct vhost_copy *c, uint32_t n)
{
	return &c->flight[n & (c->size - 1)];
}

static inline struct vhost_buffer *
buffer_at(const struct vhost_copy *c, uint32_t n)
{
	return &c->buffer[n & (c->size - 1)];
}

void
vhost_copy_init(struct vhost_copy *c, uint16_t port, uint16_t number, bool to_guest)
{
	memset(c, 0, sizeof(*c));
	rte_spinlock_init(&c->lock);
	c->port = port;
	c->number = number;
	c->to_guest = to_guest;
	c->vid = -1;
	c->dma = -1;
}

void
vhost_copy_free(struct vhost_copy *c)
{
	rte_free(c->flight);
	rte_free(c->buffer);
	rte_free(c->pieces);
	free(c->memory);
	c->flight = NULL;
	c->buffer = NULL;
	c->pieces = NULL;
	c->memory = NULL;
	c->size = 0;
}

static void
broken(struct vhost_copy *c, const char *why)
{
	rte_log(RTE_LOG_ERR, vhost_copy_log,
		"net_async_vhost: port %u virtqueue %u: the guest's ring is broken: %s; "
		"it is ignored until the guest starts it again\n",
		c->port, c->number, why);
}

static bool
take(struct vhost_copy *c, struct vhost_buffer *b)
{
	const bool was = c->ring.broken != NULL;

	if (likely(vhost_ring_take(&c->ring, b, c->pieces)))
		return true;
	if (unlikely(c->ring.broken != NULL && !was))
		broken(c, c->ring.broken);
	return false;
}

/* Copies between a packet and the pieces of its buffers. */

struct cursor {
	const struct vhost_piece *piece;
	uint32_t at;
};

/* Copy a header between the pieces and memory of this process. */
static struct cursor
header_copy(const struct vhost_copy *c, void *header, bool to_guest)
{
	struct cursor to = { c->pieces->piece, 0 };
	uint8_t *from = header;

	for (uint32_t left = c->header, len; left > 0; left -= len, from += len, to.at += len) {
		for (; to.at == to.piece->len; to.piece++)
			to.at = 0;
		len = RTE_MIN(left, to.piece->len - to.at);
		if (to_guest)
			memcpy(to.piece->at + to.at, from, len);
		else
			memcpy(from, to.piece->at + to.at, len);
	}
	return to;
}

/* A copy by the device. If it does not accept it, by the CPU: it has not that much room at all. */
static inline void
job(struct vhost_copy *c, struct rte_mbuf *m, uint32_t off, uint8_t *guest, uint32_t len)
{
	const rte_iova_t here = rte_pktmbuf_iova_offset(m, off), there = (rte_iova_t)guest;

	if (likely(rte_dma_copy(c->dma, c->vchan, c->to_guest ? here : there,
			   c->to_guest ? there : here, len, RTE_DMA_OP_FLAG_LLC) >= 0)) {
		c->jobs_made++;
		c->room--;
	} else if (c->to_guest) {
		memcpy(guest, rte_pktmbuf_mtod_offset(m, uint8_t *, off), len);
	} else {
		memcpy(rte_pktmbuf_mtod_offset(m, uint8_t *, off), guest, len);
	}
}

static void
jobs(struct vhost_copy *c, struct rte_mbuf *m, struct cursor guest)
{
	uint32_t off = 0, len;

	for (uint32_t left = m->pkt_len; left > 0; left -= len, off += len, guest.at += len) {
		for (; off == m->data_len; m = m->next)
			off = 0;
		for (; guest.at == guest.piece->len; guest.piece++)
			guest.at = 0;
		len = RTE_MIN(m->data_len - off, guest.piece->len - guest.at);
		len = RTE_MIN(len, left);
		job(c, m, off, guest.piece->at + guest.at, len);
	}
}

/* True if the device has room for a packet's copies, or nothing to wait for. */
static inline bool
has_room(const struct vhost_copy *c, const struct rte_mbuf *m)
{
	return likely(c->room >= (int)c->pieces->n + m->nb_segs) || c->jobs_made == c->jobs_done;
}

static inline void
flight_add(struct vhost_copy *c, struct rte_mbuf *m, uint16_t buffers)
{
	struct vhost_flight *f = flight_at(c, c->flight_tail++);

	f->pkt = m;
	f->jobs = c->jobs_made;
	f->buffers = buffers;
	f->failed = false;
	c->buffer_tail += buffers;
}

/* Take buffers for bytes, header included. Returns their number, 0: there are not enough. */
static uint16_t
buffers_take(struct vhost_copy *c, uint32_t bytes)
{
	const uint32_t room = c->size - (c->buffer_tail - c->buffer_head);
	uint16_t n = 0;

	c->pieces->n = 0;
	c->pieces->bytes = 0;
	c->pieces->bad = false;
	while (c->pieces->bytes < bytes) {
		struct vhost_buffer *b = buffer_at(c, c->buffer_tail + n);
		const uint32_t before = (uint32_t)c->pieces->bytes;

		if (n == room || (n > 0 && !c->mergeable) || !take(c, b))
			return 0;
		if (unlikely(c->pieces->bad)) {
			c->ring.broken =
				"a buffer is not in the guest's memory, or has too many parts";
			broken(c, c->ring.broken);
			return 0;
		}
		n++;
		b->written = (uint32_t)RTE_MIN(c->pieces->bytes, (uint64_t)bytes) - before;
	}
	return n;
}

uint16_t
vhost_copy_send(struct vhost_copy *c, struct rte_mbuf **pkts, uint16_t n)
{
	const uint64_t before = c->jobs_made;
	struct virtio_net_hdr_mrg_rxbuf header;
	uint16_t sent;

	c->room = rte_dma_burst_capacity(c->dma, c->vchan);
	for (sent = 0; sent < n && vhost_copy_in_flight(c) < c->size; sent++) {
		struct rte_mbuf *m = pkts[sent];
		const struct vhost_taken then = vhost_ring_taken(&c->ring);
		const uint16_t buffers = buffers_take(c, m->pkt_len + c->header);

		if (buffers == 0 || !has_room(c, m)) {
			vhost_ring_untake(&c->ring, then);
			break;
		}
		vhost_header_to_guest(&header.hdr, m);
		header.num_buffers = buffers;
		jobs(c, m, header_copy(c, &header, true));
		flight_add(c, m, buffers);
	}
	if (c->jobs_made != before)
		rte_dma_submit(c->dma, c->vchan);
	return sent;
}

/* Allocate the mbufs of a packet and set their lengths. Returns NULL without enough mbufs. */
static struct rte_mbuf *
packet_new(struct rte_mempool *pool, uint32_t bytes)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool), *last = m;

	if (unlikely(m == NULL))
		return NULL;
	m->pkt_len = bytes;
	for (;;) {
		last->data_len = (uint16_t)RTE_MIN(bytes, (uint32_t)rte_pktmbuf_tailroom(last));
		bytes -= last->data_len;
		if (likely(bytes == 0))
			return m;
		last->next = last->data_len > 0 ? rte_pktmbuf_alloc(pool) : NULL;
		if (unlikely(last->next == NULL)) {
			rte_pktmbuf_free(m);
			return NULL;
		}
		last = last->next;
		m->nb_segs++;
	}
}

/* Returns false if there is nothing to take, or no room. */
static bool
receive_one(struct vhost_copy *c, struct rte_mempool *pool)
{
	const struct vhost_taken then = vhost_ring_taken(&c->ring);
	struct virtio_net_hdr_mrg_rxbuf header;
	struct rte_mbuf *m = NULL;

	c->pieces->n = 0;
	c->pieces->bytes = 0;
	c->pieces->bad = false;
	if (!take(c, buffer_at(c, c->buffer_tail)))
		return false;
	if (unlikely(c->pieces->bad || c->pieces->bytes <= c->header ||
		    c->pieces->bytes > (uint32_t)PACKET_MAX + c->header)) {
		c->refused++;
	} else {
		m = packet_new(pool, (uint32_t)c->pieces->bytes - c->header);
		if (unlikely(m == NULL || !has_room(c, m))) {
			rte_pktmbuf_free(m);
			vhost_ring_untake(&c->ring, then);
			return false;
		}
		jobs(c, m, header_copy(c, &header, false));
		flight_at(c, c->flight_tail)->header = header.hdr;
	}
	flight_add(c, m, 1);
	return true;
}

void
vhost_copy_receive(struct vhost_copy *c, struct rte_mempool *pool, uint16_t n)
{
	const uint64_t before = c->jobs_made;

	c->room = rte_dma_burst_capacity(c->dma, c->vchan);
	while (n-- > 0 && vhost_copy_in_flight(c) < c->size && receive_one(c, pool))
		;
	if (c->jobs_made != before)
		rte_dma_submit(c->dma, c->vchan);
}

/* Completion. */

/* The flight of a job, counted from 1, did not arrive. */
static void
job_failed(struct vhost_copy *c, uint64_t number)
{
	uint32_t n = c->flight_head;

	while (n != c->flight_tail && flight_at(c, n)->jobs < number)
		n++;
	if (n != c->flight_tail)
		flight_at(c, n)->failed = true;
}

/* Read what the device has completed. After a failure one by one, with the status of each. */
static void
jobs_poll(struct vhost_copy *c)
{
	enum rte_dma_status_code status[AT_ONCE];
	bool failure = false;
	uint16_t last, n;

	c->jobs_done += rte_dma_completed(c->dma, c->vchan, UINT16_MAX, &last, &failure);
	if (likely(!failure))
		return;
	do {
		n = rte_dma_completed_status(c->dma, c->vchan, AT_ONCE, &last, status);
		for (uint16_t i = 0; i < n; i++) {
			c->jobs_done++;
			if (status[i] != RTE_DMA_STATUS_SUCCESSFUL)
				job_failed(c, c->jobs_done);
		}
	} while (n == AT_ONCE);
}

/* The packet of a flight that has landed; NULL: it has none for the caller. */
static inline struct rte_mbuf *
landed(struct vhost_copy *c, const struct vhost_flight *f)
{
	if (c->to_guest || unlikely(f->pkt == NULL))
		return f->pkt;
	if (unlikely(f->failed)) {
		rte_pktmbuf_free(f->pkt);
		return NULL;
	}
	vhost_header_from_guest(&f->header, f->pkt);
	return f->pkt;
}

static void
buffers_give(struct vhost_copy *c, const struct vhost_flight *f)
{
	for (uint16_t i = 0; i < f->buffers; i++) {
		struct vhost_buffer *b = buffer_at(c, c->buffer_head++);

		if (unlikely(f->failed))
			b->written = 0; /* so the guest drops it */
		if (likely(c->open))
			vhost_ring_give(&c->ring, b);
	}
}

uint16_t
vhost_copy_collect(struct vhost_copy *c, struct rte_mbuf **pkts, uint16_t max)
{
	const uint32_t before = c->flight_head;
	uint16_t n = 0;

	if (c->jobs_made != c->jobs_done)
		jobs_poll(c);
	while (n < max && c->flight_head != c->flight_tail) {
		const struct vhost_flight *f = flight_at(c, c->flight_head);

		if (f->jobs > c->jobs_done)
			break;
		c->failed += f->failed;
		buffers_give(c, f);
		pkts[n] = landed(c, f);
		n += pkts[n] != NULL;
		c->flight_head++;
	}
	if (c->flight_head != before && likely(c->open)) {
		vhost_ring_publish(&c->ring);
		vhost_ring_to_library(&c->ring, c->vid, c->number);
		c->call = true;
	}
	return n;
}

/* Who has the ring. */

bool
vhost_copy_enter(struct vhost_copy *c)
{
	rte_spinlock_lock(&c->lock);
	if (unlikely(!c->open)) {
		rte_spinlock_unlock(&c->lock);
		return false;
	}
	if (unlikely(!c->own)) {
		vhost_ring_from_library(&c->ring, c->vid, c->number);
		c->own = true;
		if (c->ring.broken != NULL)
			broken(c, c->ring.broken);
	}
	return true;
}

void
vhost_copy_leave(struct vhost_copy *c)
{
	const bool call = c->call;
	const int vid = c->vid;

	c->call = false;
	rte_spinlock_unlock(&c->lock);
	if (call)
		rte_vhost_vring_call(vid, c->number);
}

/* Copies that were never completed left their buffers with the guest: it may see them again. */
static void
give(struct vhost_copy *c)
{
	if (c->own) {
		c->ring.take = c->ring.give;
		vhost_ring_to_library(&c->ring, c->vid, c->number);
	}
	c->own = false;
}

bool
vhost_copy_give(struct vhost_copy *c)
{
	bool given;

	rte_spinlock_lock(&c->lock);
	given = vhost_copy_in_flight(c) == 0 || !c->open;
	if (given && c->open)
		give(c);
	rte_spinlock_unlock(&c->lock);
	return given;
}

/*
 * Wait for all copies in flight and free their packets, before the guest's memory is released. The
 * caller holds the lock.
 */
static unsigned int
drain(struct vhost_copy *c)
{
	const uint64_t until = rte_get_timer_cycles() + DRAIN_SECONDS * rte_get_timer_hz();
	struct rte_mbuf *done[AT_ONCE];
	unsigned int drained = 0;
	uint16_t n;

	while (vhost_copy_in_flight(c) > 0) {
		n = vhost_copy_collect(c, done, AT_ONCE);
		rte_pktmbuf_free_bulk(done, n);
		drained += n;
		if (n == 0 && rte_get_timer_cycles() > until) {
			rte_log(RTE_LOG_ERR, vhost_copy_log,
				"net_async_vhost: port %u virtqueue %u: %u copies not completed after %u s: "
				"DMA device %d does not work and is stopped\n",
				c->port, c->number, vhost_copy_in_flight(c), DRAIN_SECONDS, c->dma);
			atomic_store(&c->hung, true);
			break;
		}
		rte_pause();
	}
	return drained;
}

unsigned int
vhost_copy_abandon(struct vhost_copy *c)
{
	const unsigned int n = vhost_copy_in_flight(c);

	while (vhost_copy_in_flight(c) > 0) {
		struct vhost_flight *f = flight_at(c, c->flight_head++);

		f->failed = true;
		buffers_give(c, f);
		rte_pktmbuf_free(f->pkt);
	}
	if (c->open) {
		vhost_ring_publish(&c->ring);
		give(c);
		c->call = true;
	}
	c->jobs_done = c->jobs_made;
	c->open = c->hung = false;
	atomic_store(&c->lost, true);
	return n;
}

/* Make room for the packets of a ring. Returns false if memory is short. */
static bool
grow(struct vhost_copy *c, uint32_t size)
{
	struct vhost_flight *flight;
	struct vhost_buffer *buffer;

	size = rte_align32pow2(size);
	if (c->pieces == NULL)
		c->pieces = rte_zmalloc("vhost_pieces", sizeof(*c->pieces), RTE_CACHE_LINE_SIZE);
	if (c->pieces == NULL || size <= c->size)
		return c->pieces != NULL;
	flight = rte_zmalloc("vhost_flight", size * sizeof(*flight), RTE_CACHE_LINE_SIZE);
	buffer = rte_zmalloc("vhost_buffer", size * sizeof(*buffer), RTE_CACHE_LINE_SIZE);
	rte_free(c->flight);
	rte_free(c->buffer);
	c->flight = flight;
	c->buffer = buffer;
	c->size = flight != NULL && buffer != NULL ? (uint16_t)size : 0;
	return c->size != 0;
}

static void
ring_open(struct vhost_copy *c)
{
	uint64_t features = 0;
	bool packed;

	free(c->memory);
	c->memory = NULL;
	if (rte_vhost_get_negotiated_features(c->vid, &features) != 0 ||
		rte_vhost_get_mem_table(c->vid, &c->memory) != 0)
		return;
	packed = (features & UINT64_C(1) << VIRTIO_F_RING_PACKED) != 0;
	c->mergeable = (features & UINT64_C(1) << VIRTIO_NET_F_MRG_RXBUF) != 0;
	c->header = c->mergeable || (features & UINT64_C(1) << VIRTIO_F_VERSION_1) != 0
		? sizeof(struct virtio_net_hdr_mrg_rxbuf)
		: sizeof(struct virtio_net_hdr);
	c->open = vhost_ring_open(&c->ring, c->vid, c->number, packed, c->memory) &&
		grow(c, c->ring.vring.size);
}

static unsigned int
refresh(struct vhost_copy *c)
{
	const bool may = c->served && c->ready && !c->paused && !c->lost && !c->hung;
	unsigned int drained = 0;

	if (c->open && !may) {
		drained = drain(c);
		give(c);
		c->open = false;
	} else if (!c->open && may) {
		ring_open(c);
	}
	return drained;
}

bool
vhost_copy_use(struct vhost_copy *c, int16_t dma, uint16_t vchan)
{
	bool free;

	rte_spinlock_lock(&c->lock);
	free = vhost_copy_in_flight(c) == 0;
	if (free) {
		if (c->open)
			give(c);
		c->dma = dma;
		c->vchan = vchan;
		c->jobs_made = c->jobs_done = 0;
		atomic_store(&c->lost, false);
		refresh(c);
	}
	rte_spinlock_unlock(&c->lock);
	return free;
}

unsigned int
vhost_copy_serve(struct vhost_copy *c, bool served, int vid)
{
	unsigned int drained = 0;

	rte_spinlock_lock(&c->lock);
	c->served = false;
	drained = refresh(c);
	c->served = served;
	c->vid = vid;
	refresh(c);
	rte_spinlock_unlock(&c->lock);
	return drained;
}

unsigned int
vhost_copy_ready(struct vhost_copy *c, bool ready)
{
	unsigned int drained;

	rte_spinlock_lock(&c->lock);
	c->ready = ready;
	drained = refresh(c);
	rte_spinlock_unlock(&c->lock);
	return drained;
}

unsigned int
vhost_copy_pause(struct vhost_copy *c, bool paused)
{
	unsigned int drained;

	rte_spinlock_lock(&c->lock);
	c->paused = paused;
	drained = refresh(c);
	rte_spinlock_unlock(&c->lock);
	return drained;
}
