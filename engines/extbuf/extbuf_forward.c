/* Modes copy, attach and auto: received packets are copied into external memory, and copied out or
 * attached from there. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/extbuf/extbuf_priv.h"
#include "memory/extmem_buffers.h"

bool
extbuf_copy_out(struct stream *s, const struct extbuf *x, struct rte_mbuf *m, const uint8_t *from,
	uint32_t n)
{
	uint16_t part = (uint16_t)RTE_MIN(n, x->room);
	struct rte_mbuf *last = m;

	pkt_raw_open(m, part, x->flags, &s->tx_end);
	rte_memcpy(rte_pktmbuf_mtod(m, void *), from, part);
	while (unlikely(part < n)) {
		struct rte_mbuf *more;

		from += part;
		n -= part;
		part = (uint16_t)RTE_MIN(n, x->room);
		if (pkt_raw_get(s->pool, &more, 1) == 0) {
			rte_pktmbuf_free(m->next);
			m->next = NULL;
			m->nb_segs = 1;
			return false;
		}
		pkt_raw_open(more, part, 0, &s->tx_end);
		rte_memcpy(rte_pktmbuf_mtod(more, void *), from, part);
		last->next = more;
		last = more;
		m->nb_segs++;
		m->pkt_len += part;
	}
	return true;
}

/* Copy all bytes of a packet. */
static __rte_always_inline void
copy_in(uint8_t *to, const struct rte_mbuf *m)
{
	rte_memcpy(to, rte_pktmbuf_mtod(m, const void *), m->data_len);
	while (unlikely(m->next != NULL)) {
		to += m->data_len;
		m = m->next;
		rte_memcpy(to, rte_pktmbuf_mtod(m, const void *), m->data_len);
	}
}

/* Mbufs and buffers for a burst; those that are not used are returned after it. */
struct supply {
	struct rte_mbuf *mbuf[BURST_MAX], *rest[BURST_MAX];
	struct extmem_buffer *buffer[BURST_MAX];
	uint16_t mbufs, rests;
	uint16_t buffers; /* taken */
	uint16_t filled;  /* how many of them have a payload */
	uint16_t kept;    /* how many of these, buffer[0..kept), have no mbuf pointing to them */
};

static __rte_always_inline void
supply_take(struct supply *u, struct stream *s, struct extbuf *x, uint16_t n)
{
	u->mbufs = pkt_raw_get(s->pool, u->mbuf, n);
	u->rests = x->head > 0 ? pkt_raw_get(s->pool, u->rest, n) : 0;
	u->buffers = x->shared ? 0 : extmem_buffers_take(x->buffers, u->buffer, n);
	u->filled = u->kept = 0;
}

static __rte_always_inline void
supply_give(struct supply *u, struct stream *s, struct extbuf *x)
{
	if (unlikely(u->mbufs > 0))
		rte_mempool_put_bulk(s->pool, (void *const *)u->mbuf, u->mbufs);
	if (unlikely(u->rests > 0))
		rte_mempool_put_bulk(s->pool, (void *const *)u->rest, u->rests);
	if (u->kept > 0)
		extmem_buffers_give(x->buffers, u->buffer, u->kept);
	if (unlikely(u->filled < u->buffers))
		extmem_buffers_give(x->buffers, u->buffer + u->filled, u->buffers - u->filled);
}

/* A place for a packet's bytes, with its reference count. */
struct place {
	uint8_t *addr;
	uint64_t iova;
	struct extmem_buffer *buffer;
};

/* Add the pending mbufs to the open buffer's reference count, before they are sent. */
static __rte_always_inline void
pending_count(struct extbuf *x)
{
	if (x->pending > 0)
		rte_mbuf_ext_refcnt_update(&x->open->shinfo, (int16_t)x->pending);
	x->pending = 0;
}

void
extbuf_forward_end(struct extbuf *x)
{
	if (x->open == NULL)
		return;
	pending_count(x);
	extmem_buffers_drop(x->open);
	x->open = NULL;
}

/* Find room for a packet in the open buffer, or in a new one. */
static bool
place_shared(struct extbuf *x, uint32_t bytes, struct place *p)
{
	if (!extbuf_open_room(x, bytes, x->buffers->bytes))
		return false;
	*p = (struct place){ x->open->addr + x->at, x->open->iova, x->open };
	if (p->iova != RTE_BAD_IOVA)
		p->iova += x->at;
	return true;
}

static __rte_always_inline bool
place_find(struct supply *u, struct extbuf *x, uint32_t bytes, struct place *p)
{
	if (x->shared)
		return place_shared(x, bytes, p);
	if (unlikely(u->filled == u->buffers))
		return false;
	p->buffer = u->buffer[u->filled];
	p->addr = p->buffer->addr;
	p->iova = p->buffer->iova;
	return true;
}

/*
 * Mark the place as used. It is not used again in this burst even if the packet is copied out,
 * because an application may read all payloads.
 */
static __rte_always_inline void
place_fill(struct supply *u, struct extbuf *x, const struct place *p, uint32_t bytes, bool attached)
{
	if (x->shared) {
		x->at += bytes;
		x->pending += attached;
		return;
	}
	u->filled++;
	if (!attached)
		u->buffer[u->kept++] = p->buffer;
}

/* Build a packet whose bytes after x->head are attached. */
static __rte_always_inline struct rte_mbuf *
attach(struct supply *u, struct stream *s, struct extbuf *x, const struct place *p, uint32_t n)
{
	struct rte_mbuf *m = u->mbuf[--u->mbufs], *rest;
	const uint16_t head = x->head;

	if (head == 0) {
		pkt_attach(m, p->addr, p->iova, (uint16_t)n, &p->buffer->shinfo, 0);
	} else {
		rest = u->rest[--u->rests];
		pkt_raw_open(m, head, 0, &s->tx_end);
		rte_memcpy(rte_pktmbuf_mtod(m, void *), p->addr, head);
		pkt_attach(rest, p->addr + head,
			p->iova == RTE_BAD_IOVA ? RTE_BAD_IOVA : p->iova + head,
			(uint16_t)(n - head), &p->buffer->shinfo, 0);
		extbuf_join(m, rest);
	}
	if (unlikely(x->flags != 0)) {
		m->ol_flags |= x->flags;
		m->vlan_tci = s->tx_end.vlan;
		m->vlan_tci_outer = s->tx_end.vlan_outer;
	}
	return m;
}

/* Make a new packet from a received one; NULL: *why is the counter of the reason. */
static __rte_always_inline struct rte_mbuf *
pass(struct supply *u, struct stream *s, struct extbuf *x, const struct rte_mbuf *in,
	unsigned int *why)
{
	const uint32_t n = in->pkt_len, apart = x->slice > 0 ? x->slice : RTE_ALIGN_CEIL(n, 64);
	const uint32_t most = x->shared ? RTE_MIN(apart, x->buffers->bytes) : x->buffers->bytes;
	struct rte_mbuf *m;
	struct place p;

	*why = EXTBUF_TOO_LONG;
	if (unlikely(n > most || n > UINT16_MAX))
		return NULL;
	*why = EXTBUF_NO_BUFFER;
	if (unlikely(!place_find(u, x, apart, &p)))
		return NULL;
	*why = EXTBUF_NO_MBUF;
	if (unlikely(u->mbufs == 0))
		return NULL;
	copy_in(p.addr, in);
	extbuf_touch(x, p.addr, n);
	if (n < x->copy_below || n <= x->head) {
		if (unlikely(!extbuf_copy_out(s, x, u->mbuf[u->mbufs - 1], p.addr, n)))
			return NULL;
		*why = EXTBUF_COPIED;
		m = u->mbuf[--u->mbufs];
	} else {
		if (unlikely(x->head > 0 && u->rests == 0))
			return NULL;
		*why = EXTBUF_ATTACHED;
		m = attach(u, s, x, &p, n);
	}
	place_fill(u, x, &p, apart, *why == EXTBUF_ATTACHED);
	return m;
}

uint16_t
extbuf_forward(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t count[EXTBUF_TOO_LONG + 1] = { 0 }, out = 0;
	struct rte_mbuf *fresh[BURST_MAX];
	struct extbuf *x = s->state;
	struct supply u;
	unsigned int why;

	supply_take(&u, s, x, n);
	if (unlikely(threshold_autotune_wants_lengths(x->lengths)))
		for (uint16_t i = 0; i < n; i++)
			threshold_autotune_length(x->lengths, pkts[i]->pkt_len);
	for (uint16_t i = 0; i < n; i++) {
		fresh[out] = pass(&u, s, x, pkts[i], &why);
		out += fresh[out] != NULL;
		count[why]++;
	}
	pending_count(x);
	supply_give(&u, s, x);
	stream_free(pkts, n);
	memcpy(pkts, fresh, out * sizeof(*pkts));
	for (unsigned int i = 0; i < RTE_DIM(count); i++)
		if (count[i] > 0)
			stream_count_named(s, i, count[i]);
	if (unlikely(out < n))
		counter_add(&s->count.absorbed, n - out);
	return out;
}
