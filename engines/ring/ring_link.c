/* Moves bursts into and out of a pipeline's rings. The guard slots after the ring keep a burst that
 * wraps in one piece. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_link.h"

#include "base/err.h"

#include <rte_malloc.h>
#include <rte_mempool.h>

#include <errno.h>
#include <inttypes.h>

/* Finds the base address for pointers that are compressed to 32-bit words. */

struct reach {
	uintptr_t begin, end;
};

static void
chunk_add(struct rte_mempool *pool, void *to, struct rte_mempool_memhdr *chunk, unsigned int i)
{
	struct reach *all = to;
	uintptr_t at = (uintptr_t)chunk->addr;

	all->begin = RTE_MIN(all->begin, at);
	all->end = RTE_MAX(all->end, at + chunk->len);
}

/* All packet pools count: drivers can have their own, and one port's Tx can be another's Rx. */
static void
pool_add(struct rte_mempool *pool, void *to)
{
	if (pool->private_data_size >= sizeof(struct rte_pktmbuf_pool_private) &&
		pool->elt_size >= sizeof(struct rte_mbuf))
		rte_mempool_mem_iter(pool, chunk_add, to);
}

int
ring_compress_base(uintptr_t *base, struct err *e)
{
	struct reach all = { UINTPTR_MAX, 0 };

	rte_mempool_walk(pool_add, &all);
	all.begin = RTE_ALIGN_FLOOR(all.begin, (uintptr_t)RTE_CACHE_LINE_MIN_SIZE);
	if (all.end - all.begin > RING_COMPRESS_BYTES)
		return err_set(e, ERANGE,
			"pipeline-mode compressed: packet pools span %" PRIu64
			" GiB of addresses, at most %" PRIu64
			" are supported; use \"set pipeline mode\" with auto, copy or zc",
			(uint64_t)(all.end - all.begin) >> 30, RING_COMPRESS_BYTES >> 30);
	*base = all.begin;
	return 0;
}

static struct rte_ring *
ring_new(const struct ring_kind *kind, struct err *e)
{
	size_t each = kind->base != 0 ? sizeof(uint32_t) : sizeof(struct rte_mbuf *);
	/*
	 * A driver writes a whole burst into consecutive slots. Pointers that it writes past the
	 * end are moved to the front.
	 */
	size_t bytes = (size_t)rte_ring_get_memsize_elem((unsigned int)each, kind->size) +
		BURST_MAX * each;
	struct rte_ring *r = rte_zmalloc_socket("ring", bytes, CACHE_PAIR, kind->socket);

	if (r == NULL) {
		err_set(e, ENOMEM, "no memory for a ring of %u packets: %zu bytes", kind->size,
			bytes);
		return NULL;
	}
	rte_ring_init(r, "pipeline", kind->size,
		(kind->many_take ? RING_F_MC_HTS_DEQ : RING_F_SC_DEQ) |
			(kind->many_put ? RING_F_MP_HTS_ENQ : RING_F_SP_ENQ));
	return r;
}

struct ring_link *
ring_link_open(const struct ring_kind *kind, struct ring_link *beside, struct err *e)
{
	struct ring_link *l = rte_zmalloc_socket("ring_link", sizeof(*l), CACHE_PAIR, kind->socket);

	if (l == NULL) {
		err_set(e, ENOMEM, "no memory for a ring of %u packets", kind->size);
		return NULL;
	}
	l->base = kind->base;
	l->in_slots = kind->base == 0 && !kind->many_take;
	l->owner = beside != NULL ? beside : l;
	l->ring = beside != NULL ? beside->ring : ring_new(kind, e);
	if (l->ring == NULL) {
		rte_free(l);
		return NULL;
	}
	l->fill_shift = (uint8_t)(rte_log2_u32(rte_ring_get_size(l->ring)) - 3);
	return l;
}

void
ring_link_close(struct ring_link *l)
{
	if (l != NULL && l->owner == l)
		rte_free(l->ring);
	rte_free(l);
}

void
ring_link_words_read(const struct ring_link *l, uint32_t at, struct rte_mbuf **pkts, uint16_t n)
{
	const uint32_t *words = (const uint32_t *)(uintptr_t)&l->ring[1];
	uint32_t i = at & l->ring->mask;
	uint16_t first = (uint16_t)RTE_MIN(n, l->ring->size - i);

	ring_decompress(pkts, words + i, first, l->base);
	if (unlikely(first < n))
		ring_decompress(pkts + first, words, n - first, l->base);
}

void
ring_link_words_write(const struct ring_link *l, uint32_t at, struct rte_mbuf *const *pkts,
	uint16_t n)
{
	uint32_t *words = (uint32_t *)(uintptr_t)&l->ring[1], i = at & l->ring->mask;
	uint16_t first = (uint16_t)RTE_MIN(n, l->ring->size - i);

	ring_compress(words + i, pkts, first, l->base);
	if (unlikely(first < n))
		ring_compress(words, pkts + first, n - first, l->base);
}

/* Functions for words are not inlined: otherwise those for pointers would save more registers. */
static __rte_noinline uint16_t
words_put(struct ring_link *l, struct rte_mbuf *const *pkts, uint16_t n, unsigned int *room)
{
	struct rte_ring_zc_data z;
	uint16_t put = (uint16_t)rte_ring_enqueue_zc_burst_elem_start(l->ring, sizeof(uint32_t), n,
		&z, room);

	if (put == 0)
		return 0;
	ring_link_words_write(l, l->ring->prod.tail, pkts, put);
	rte_ring_enqueue_zc_elem_finish(l->ring, put);
	return put;
}

static __rte_noinline uint16_t
words_take(struct ring_link *l, struct rte_mbuf **pkts, uint16_t max)
{
	struct rte_ring_zc_data z;
	uint16_t n = (uint16_t)rte_ring_dequeue_zc_burst_elem_start(l->ring, sizeof(uint32_t), max,
		&z, NULL);

	if (n == 0)
		return 0;
	ring_link_words_read(l, l->ring->cons.tail, pkts, n);
	rte_ring_dequeue_zc_elem_finish(l->ring, n);
	return n;
}

/*
 * Put as many of pkts[0..n) into the ring as fit, and store the remaining free slots in *room.
 * Returns how many.
 */
static __rte_always_inline uint16_t
array_put(struct ring_link *l, struct rte_mbuf *const *pkts, uint16_t n, unsigned int *room)
{
	return likely(l->base == 0)
		? (uint16_t)rte_ring_enqueue_burst(l->ring, (void *const *)pkts, n, room)
		: words_put(l, pkts, n, room);
}

/* Take up to max packets from the ring into pkts. Returns how many. */
static __rte_always_inline uint16_t
array_take(struct ring_link *l, struct rte_mbuf **pkts, uint16_t max)
{
	return likely(l->base == 0)
		? (uint16_t)rte_ring_dequeue_burst(l->ring, (void **)pkts, max, NULL)
		: words_take(l, pkts, max);
}

uint64_t
ring_link_clear(struct ring_link *l)
{
	struct rte_mbuf *pkts[BURST_MAX];
	uint64_t all = 0;

	for (uint16_t n; (n = array_take(l, pkts, BURST_MAX)) > 0; all += n)
		for (uint16_t k = 0; k < n; k++)
			rte_pktmbuf_free(ring_unmarked(pkts[k]));
	return all;
}

static __rte_always_inline struct ring_slots
slots_of(const struct rte_ring_zc_data *z, uint16_t n)
{
	return (struct ring_slots){ { z->ptr1, z->ptr2 }, n,
		z->ptr2 != NULL ? (uint16_t)z->n1 : n };
}

/* Write pkts[0..n) into slots, beginning with slot at; they must fit. */
static __rte_always_inline void
slots_write(const struct ring_slots *to, uint16_t at, struct rte_mbuf *const *pkts, uint16_t n)
{
	uint16_t first = at < to->n_first ? (uint16_t)RTE_MIN(n, to->n_first - at) : 0;

	if (likely(first > 0))
		memcpy(to->at[0] + at, pkts, first * sizeof(*pkts));
	if (unlikely(first < n))
		memcpy(to->at[1] + (at + first - to->n_first), pkts + first,
			(n - first) * sizeof(*pkts));
}

/* Copy the first n packets from one set of slots to another; they must fit. */
static __rte_always_inline void
slots_copy(const struct ring_slots *to, const struct ring_slots *from, uint16_t n)
{
	uint16_t first = RTE_MIN(n, from->n_first);

	slots_write(to, 0, from->at[0], first);
	if (unlikely(first < n))
		slots_write(to, first, from->at[1], n - first);
}

/* Count a burst of n packets put in. room: free slots afterwards. */
static __rte_always_inline void
count_put(struct ring_link *l, bool zero_copy, uint16_t n, unsigned int room)
{
	counter_add(zero_copy ? &l->put.zero_copy : &l->put.copied, 1);
	counter_add(&l->put.packets, n);
	counter_add(&l->put.fill[(rte_ring_get_capacity(l->ring) + 1 - room) >> l->fill_shift], 1);
}

/* Receive through an array. Unless wait, more may be received than fits into the ring. */
static uint16_t
receive_copy(struct ring_link *l, struct stream *s, bool wait, uint16_t *dropped)
{
	unsigned int room = wait ? rte_ring_free_count(l->ring) : s->burst;
	struct rte_mbuf *pkts[BURST_MAX];
	uint16_t n, put;

	if (room < s->burst)
		counter_add(&l->put.short_of, 1);
	if (room == 0)
		return 0;
	n = stream_rx(s, pkts, (uint16_t)RTE_MIN(room, s->burst));
	if (n == 0)
		return 0;
	put = array_put(l, pkts, n, &room);
	if (likely(put > 0))
		count_put(l, false, put, room);
	if (unlikely(put < n)) {
		counter_add(&l->put.short_of, 1);
		stream_free(pkts + put, n - put);
		*dropped = n - put;
	}
	return put;
}

/*
 * Receive past the ring's end with one call, then move the pointers in the guard to the front.
 */
static uint16_t
receive_over(struct stream *s, const struct ring_slots *slots)
{
	uint16_t n = stream_rx(s, slots->at[0], slots->n);

	if (n > slots->n_first)
		memcpy(slots->at[1], slots->at[0] + slots->n_first,
			(n - slots->n_first) * sizeof(*slots->at[0]));
	return n;
}

/*
 * Get up to want free slots, and store the number of free slots in *room. There is no other
 * producer, so they need not be reserved.
 */
static __rte_always_inline struct ring_slots
slots_free(struct rte_ring *r, uint16_t want, unsigned int *room)
{
	uint32_t head = r->prod.head;

	*room = r->capacity + __atomic_load_n(&r->cons.tail, __ATOMIC_ACQUIRE) - head;
	return ring_slots_in(r, head, (uint16_t)RTE_MIN(want, *room));
}

/*
 * Publish the first n of these slots. Head and tail are written together, because the worker polls
 * their cache line.
 */
static __rte_always_inline void
slots_filled(struct rte_ring *r, uint16_t n)
{
	uint32_t head = r->prod.head + n;

	r->prod.head = head;
	__atomic_store_n(&r->prod.tail, head, __ATOMIC_RELEASE);
}

uint16_t
ring_link_receive(struct ring_link *l, struct stream *s, bool wait, uint16_t *dropped)
{
	struct ring_slots slots;
	unsigned int room;
	uint16_t n;

	if (!ring_link_zero_copy(l) || unlikely(l->base != 0))
		return receive_copy(l, s, wait, dropped);
	slots = slots_free(l->ring, s->burst, &room);
	if (unlikely(slots.n < s->burst)) {
		if (!wait)
			return receive_copy(l, s, false, dropped);
		counter_add(&l->put.short_of, 1);
	}
	if (unlikely(slots.n == 0))
		return 0;
	if (likely(slots.n_first == slots.n)) {
		n = stream_rx(s, slots.at[0], slots.n);
	} else {
		n = receive_over(s, &slots);
		counter_add(&l->put.wraps, n > 0);
	}
	if (unlikely(n == 0))
		return 0;
	slots_filled(l->ring, n);
	count_put(l, true, n, room - n);
	return n;
}

struct ring_slots
ring_link_take(struct ring_link *l, struct rte_mbuf **buffer, uint16_t max, bool zero_copy)
{
	struct rte_ring_zc_data z;
	struct ring_slots from;
	uint16_t n;

	if (zero_copy)
		n = (uint16_t)rte_ring_dequeue_zc_burst_start(l->ring, max, &z, NULL);
	else
		n = array_take(l, buffer, max);
	if (n == 0) {
		counter_add(&l->take.short_of, 1);
		return ring_slots_flat(buffer, 0);
	}
	from = zero_copy ? slots_of(&z, n) : ring_slots_flat(buffer, n);
	if (unlikely(from.n_first < n))
		counter_add(&l->take.wraps, 1);
	ring_count_take(l, zero_copy, n);
	return from;
}

static uint16_t
put_copy(struct ring_link *l, const struct ring_slots *from, uint16_t n)
{
	uint16_t first = RTE_MIN(n, from->n_first), put;
	unsigned int room;

	put = array_put(l, from->at[0], first, &room);
	if (put == first && unlikely(first < n))
		put += array_put(l, from->at[1], n - first, &room);
	if (likely(put > 0))
		count_put(l, false, put, room);
	return put;
}

uint16_t
ring_link_put(struct ring_link *l, const struct ring_slots *from, uint16_t n, bool zero_copy)
{
	struct rte_ring_zc_data z;
	struct ring_slots slots;
	unsigned int room;
	uint16_t put;

	if (!zero_copy || l->base != 0) {
		put = put_copy(l, from, n);
	} else {
		put = (uint16_t)rte_ring_enqueue_zc_burst_start(l->ring, n, &z, &room);
		if (likely(put > 0)) {
			slots = slots_of(&z, put);
			slots_copy(&slots, from, put);
			rte_ring_enqueue_zc_finish(l->ring, put);
			counter_add(&l->put.wraps, slots.n_first < put);
			count_put(l, true, put, room);
		}
	}
	if (unlikely(put < n))
		counter_add(&l->put.short_of, 1);
	return put;
}

/* Filter and send pkts[0..n), which are slots or an array. */
static __rte_always_inline void
send_out(struct stream *s, struct rte_mbuf **pkts, uint16_t n, ring_sift *sift)
{
	if (sift != NULL)
		n = sift(s, pkts, n);
	if (likely(n > 0))
		stream_tx(s, pkts, n);
}

static uint16_t
transmit_copy(struct ring_link *l, struct stream *s, ring_sift *sift)
{
	struct rte_mbuf *pkts[BURST_MAX];
	uint16_t n = array_take(l, pkts, s->burst);

	if (n == 0) {
		counter_add(&l->take.short_of, 1);
		return 0;
	}
	ring_count_take(l, false, n);
	send_out(s, pkts, n, sift);
	return n;
}

/* Send a burst that wraps, in one piece: copy its second part into the guard. */
static void
transmit_over(struct stream *s, const struct ring_slots *from, ring_sift *sift)
{
	memcpy(from->at[0] + from->n_first, from->at[1],
		(from->n - from->n_first) * sizeof(*from->at[0]));
	send_out(s, from->at[0], from->n, sift);
}

/*
 * How many packets the ring holds before index end, up to max. A negative difference means that the
 * worker has meanwhile switched the mode and passed end; then 0.
 */
static __rte_always_inline uint16_t
slots_before(const struct rte_ring *r, uint32_t end, uint16_t max)
{
	int32_t there = (int32_t)(end - r->cons.head);

	return there > 0 ? (uint16_t)RTE_MIN(there, (int32_t)max) : 0;
}

/* Release the first n slots after sending; there is no other consumer. */
static __rte_always_inline void
slots_sent(struct rte_ring *r, uint16_t n)
{
	uint32_t head = r->cons.head + n;

	r->cons.head = head;
	__atomic_store_n(&r->cons.tail, head, __ATOMIC_RELEASE);
}

/* Transmit directly from the slots of a ring, up to index end. */
static uint16_t
transmit_slots(struct ring_link *l, struct rte_ring *r, uint32_t end, struct stream *s,
	ring_sift *sift)
{
	uint16_t n = slots_before(r, end, s->burst);
	struct ring_slots from = ring_slots_in(r, r->cons.head, n);

	if (n == 0) {
		counter_add(&l->take.short_of, 1);
		return 0;
	}
	ring_count_take(l, true, n);
	if (likely(from.n_first == n)) {
		send_out(s, from.at[0], n, sift);
	} else {
		counter_add(&l->take.wraps, 1);
		transmit_over(s, &from, sift);
	}
	slots_sent(r, n);
	return n;
}

/* Transmit words that were processed in place in the ring from, up to index end. */
static __rte_noinline uint16_t
transmit_words(struct ring_link *l, const struct ring_link *from, uint32_t end, struct stream *s,
	ring_sift *sift)
{
	struct rte_mbuf *pkts[BURST_MAX];
	uint16_t n = slots_before(from->ring, end, s->burst);

	if (n == 0) {
		counter_add(&l->take.short_of, 1);
		return 0;
	}
	ring_count_take(l, true, n);
	ring_link_words_read(from, from->ring->cons.head, pkts, n);
	send_out(s, pkts, n, sift);
	slots_sent(from->ring, n);
	return n;
}

uint16_t
ring_link_transmit(struct ring_link *l, struct stream *s, ring_sift *sift)
{
	/* Pairs with the release in ring_in_place_pass(). */
	uint64_t passed = atomic_load_explicit(&l->passed, memory_order_acquire);
	uint16_t n = 0;

	if ((passed & RING_IN_PLACE) != 0) {
		n = likely(l->base == 0)
			? transmit_slots(l, l->origin->ring, (uint32_t)passed, s, sift)
			: transmit_words(l, l->origin, (uint32_t)passed, s, sift);
		if (likely(rte_ring_empty(l->ring)))
			return n;
	}
	if (!ring_link_zero_copy(l) || l->base != 0)
		return n + transmit_copy(l, s, sift);
	return n +
		transmit_slots(l, l->ring, __atomic_load_n(&l->ring->prod.tail, __ATOMIC_ACQUIRE),
			s, sift);
}
