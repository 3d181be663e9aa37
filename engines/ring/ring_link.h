/* A ring between an I/O lcore and a worker. Bursts are copied through an array, as pointers or
 * 32-bit words, or are received and sent directly in the ring's slots (zero-copy). */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The problem: in a pipeline, one lcore receives and sends (I/O) and another one works. Every packet
 * pointer is then written to a ring and read from it twice, and before that to the arrays of
 * rte_eth_rx_burst() and rte_ring_dequeue_burst(). For small packets these copies are a considerable
 * part of the cost.
 *
 * The idea: a ring's slots are arrays of mbuf pointers, which is all that a driver wants. So the I/O
 * lcore reserves slots (rte_ring_peek_zc.h) and lets the driver receive into them; the worker reads
 * and rewrites packets where they lie in the slots; and with RING_IN_PLACE the I/O lcore sends from
 * the same slots again, so that neither pointers nor the index of a second ring move. A burst that
 * would wrap around the ring's end is received into guard slots beyond it and then moved, because
 * vector drivers want one array.
 *
 * Workers never free a packet. They mark its pointer (ring_mark()) and the I/O lcore drops it, for
 * three reasons: mempool caches stay balanced, each counter has one writer, and a worker that is
 * killed owns no packet.
 *
 * Why not always: zero-copy holds slots while the stage works, so with several consumers each would
 * wait for the others, and 32-bit words (compressed pointers) are not what drivers read. Both are
 * copied. Whether slots pay on a machine is measured by ring_autotune.h, as they do not on each.
 *
 * Limits: a ring has size - 1 usable slots, size a power of two in [64, 65536]; a mark is in
 * [0, 7]; compressed pointers need all pools within 32 GiB; a burst is in [1, BURST_MAX].
 */
#pragma once

#include "stream/stream.h"

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <rte_ring_peek_zc.h>

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct err;

/* Packet pointers in up to two pieces, as in a ring that wraps, and copying them. */

struct ring_slots {
	struct rte_mbuf **at[2];
	uint16_t n;       /* packets in total */
	uint16_t n_first; /* packets in the first piece */
};

/* The n slots of a ring that begin at index at. */
static __rte_always_inline struct ring_slots
ring_slots_in(struct rte_ring *r, uint32_t at, uint16_t n)
{
	struct rte_mbuf **slots = (struct rte_mbuf **)(uintptr_t)&r[1];
	uint32_t i = at & r->mask, room = r->size - i;

	return (struct ring_slots){ { slots + i, slots }, n, n < room ? n : (uint16_t)room };
}

static __rte_always_inline struct ring_slots
ring_slots_flat(struct rte_mbuf **pkts, uint16_t n)
{
	return (struct ring_slots){ { pkts, NULL }, n, n };
}

/* The slot of packet k. */
static __rte_always_inline struct rte_mbuf **
ring_slots_at(const struct ring_slots *s, uint16_t k)
{
	return k < s->n_first ? s->at[0] + k : s->at[1] + (k - s->n_first);
}

/* Marks on packet pointers: a worker marks packets that are to be dropped, and the I/O lcore drops
 * and counts them. */

/* Indexes in stream_count.named; those that are marks say why a packet is dropped. */
enum {
	RING_FULL,
	RING_NO_ROUTE,
	RING_EXPIRED,
	RING_MALFORMED,
	RING_ROUTED_OUT,
	RING_ROUTED_IN,
	RING_LEFT,
	RING_LOST,
};

/*
 * mbufs are aligned to cache lines, so the low bits of a pointer can hold the reason why the packet
 * has to be dropped. Workers only mark and the I/O lcore drops: so no worker's mempool cache fills
 * up, each counter has a single writer, and a worker that dies owns no packets.
 */
#define RING_MARKS ((uintptr_t)RTE_CACHE_LINE_MIN_SIZE - 1)

static inline struct rte_mbuf *
ring_mark(struct rte_mbuf *m, unsigned int why)
{
	return (struct rte_mbuf *)((uintptr_t)m | why);
}

static inline struct rte_mbuf *
ring_unmarked(struct rte_mbuf *m)
{
	return (struct rte_mbuf *)((uintptr_t)m & ~RING_MARKS);
}

/* Compresses packet pointers to 32-bit words: the mbuf's offset from a base, and the mark in its
 * pointer. */

/*
 * mbufs are aligned to cache lines, so the low 6 bits of an offset are zero. A mark uses 3 of them;
 * the other 3 are shifted out, so that 32-bit words cover 32 GiB.
 */
#define RING_COMPRESS_SHIFT 3
#define RING_COMPRESS_MARKS ((UINT32_C(1) << RING_COMPRESS_SHIFT) - 1)
#define RING_COMPRESS_BYTES (UINT64_C(1) << (32 + RING_COMPRESS_SHIFT))

static_assert((int)RING_LOST <= (int)RING_COMPRESS_MARKS, "a word holds every mark");
static_assert((RING_MARKS + 1) >> RING_COMPRESS_SHIFT > RING_COMPRESS_MARKS,
	"a mark has bits of its own in a word");

/*
 * Store in *base the lowest address of all packet pools, aligned to a cache line. Errors: ERANGE if
 * the pools span more than RING_COMPRESS_BYTES. Thread: control.
 */
int ring_compress_base(uintptr_t *base, struct err *e);

/* Convert n packet pointers, marked or not, to words. */
static __rte_always_inline void
ring_compress(uint32_t *restrict to, struct rte_mbuf *const *restrict pkts, uint16_t n,
	uintptr_t base)
{
	for (uint16_t k = 0; k < n; k++) {
		uintptr_t at = (uintptr_t)pkts[k] - base;

		to[k] = (uint32_t)(at >> RING_COMPRESS_SHIFT | (at & RING_COMPRESS_MARKS));
	}
}

/* Convert n words to packet pointers with their marks. */
static __rte_always_inline void
ring_decompress(struct rte_mbuf **restrict pkts, const uint32_t *restrict from, uint16_t n,
	uintptr_t base)
{
	for (uint16_t k = 0; k < n; k++) {
		uint64_t line = from[k] & ~RING_COMPRESS_MARKS,
			 mark = from[k] & RING_COMPRESS_MARKS;

		pkts[k] =
			(struct rte_mbuf *)(uintptr_t)(base + (line << RING_COMPRESS_SHIFT | mark));
	}
}

enum { RING_FILLS = 9 }; /* fill levels in eighths: 0 is less than one eighth, 8 is full */

/* Statistics of one end of a ring; written only by the lcore at that end. */
struct ring_side {
	/*
	 * bursts through an array; bursts that stay in their slots, including words read in place
	 */
	counter copied, zero_copy;
	counter packets;
	counter wraps; /* bursts that wrapped around the ring's end */
	/* producer: calls that found too little room; consumer: calls that found no packets */
	counter short_of;
	counter fill[RING_FILLS]; /* producer only: histogram of fill levels after each burst */
};

/* The properties of a ring. */
struct ring_kind {
	unsigned int size; /* slots, a power of two; size - 1 of them can be used */
	int socket;
	/* several producers, consumers, serialised by head/tail sync */
	bool many_put, many_take;
	uintptr_t base; /* base of compressed pointers, see ring_link.h; 0: plain pointers */
};

struct ring_link {
	struct rte_ring *ring; /* followed by BURST_MAX guard slots */
	uintptr_t base;        /* as in struct ring_kind */
	/* the link that owns the ring: this one, or the first of those that share it. The single
	 * lcore at the other end of a shared ring counts there. */
	struct ring_link *owner;
	/*
	 * for a ring back: the ring in whose slots packets may be processed in place; NULL: never
	 */
	struct ring_link *origin;
	/*
	 * zero-copy or copy; written by the I/O lcore, a hint for the worker. Words are always
	 * copied.
	 */
	atomic_bool zero_copy;
	bool in_slots;      /* packets taken may stay in their slots, see ring_link_takes_slots() */
	uint8_t fill_shift; /* right shift that converts slots to eighths */
	alignas(CACHE_PAIR) struct ring_side put;
	alignas(CACHE_PAIR) struct ring_side take;
	alignas(CACHE_PAIR) _Atomic(uint64_t)
		passed; /* for a ring back, see RING_IN_PLACE; written by the worker */
	/*
	 * for a ring back: the index after the last packet from the origin; used by the worker only
	 */
	uint32_t own_end;
};

/*
 * With this bit, passed is the index in origin's ring up to which the worker has passed packets on
 * in place. Without it, packets go back through the ring itself. In place, the I/O lcore both fills
 * and empties the origin's ring, so that neither the index nor the slots move between the lcores'
 * caches. Packets from the origin are only in one of the two rings at a time, so that their order
 * is kept when the mode changes. Packets that were routed here from other streams always come
 * through the ring back, and leave a mark in the slot where they were.
 */
#define RING_IN_PLACE (UINT64_C(1) << 32)

/*
 * Create a link. beside: a link of the same kind whose ring the new one shares; NULL: create a
 * ring. Returns NULL with e set to ENOMEM. Thread: control.
 */
struct ring_link *ring_link_open(const struct ring_kind *kind, struct ring_link *beside,
	struct err *e);

/* Free the link, but not the packets in its ring. l may be NULL. */
void ring_link_close(struct ring_link *l);

/* Free the packets in the ring. Returns how many. Thread: control, while no lcore uses the ring. */
uint64_t ring_link_clear(struct ring_link *l);

/*
 * Convert n words of the ring, starting at index at, to pointers in pkts; write pointers back as
 * words. Thread: any that ensures that the slots are not reused meanwhile.
 */
void ring_link_words_read(const struct ring_link *l, uint32_t at, struct rte_mbuf **pkts,
	uint16_t n);
void ring_link_words_write(const struct ring_link *l, uint32_t at, struct rte_mbuf *const *pkts,
	uint16_t n);

/*
 * Get n packets of the ring, starting at index at: in their slots, or for words converted into
 * buffer, which has room for BURST_MAX pointers. Thread: as for ring_link_words_read().
 */
static __rte_always_inline struct ring_slots
ring_link_look(const struct ring_link *l, uint32_t at, uint16_t n, struct rte_mbuf **buffer)
{
	if (likely(l->base == 0))
		return ring_slots_in(l->ring, at, n);
	ring_link_words_read(l, at, buffer, n);
	return ring_slots_flat(buffer, n);
}

static __rte_always_inline bool
ring_link_zero_copy(const struct ring_link *l)
{
	return atomic_load_explicit(&l->zero_copy, memory_order_relaxed);
}

/*
 * Whether packets stay in their slots while the worker processes them. Not for words; not for
 * several consumers, because each would wait while another runs its stage.
 */
static __rte_always_inline bool
ring_link_takes_slots(const struct ring_link *l)
{
	return ring_link_zero_copy(l) && l->in_slots;
}

static __rte_always_inline void
ring_count_take(struct ring_link *l, bool zero_copy, uint16_t n)
{
	counter_add(zero_copy ? &l->take.zero_copy : &l->take.copied, 1);
	counter_add(&l->take.packets, n);
}

/*
 * Receive from the stream's queue into the ring. wait: receive no more than fits; otherwise free
 * the packets that do not fit and store their number in *dropped. Returns the packets put in.
 * Thread: the only producer. Counts: as stream_rx(), and put.
 */
uint16_t ring_link_receive(struct ring_link *l, struct stream *s, bool wait, uint16_t *dropped);

/*
 * Take up to max packets, 1..BURST_MAX. zero_copy: they stay in their slots until
 * ring_link_taken(), only if ring_link_takes_slots(); otherwise they are copied into buffer, which
 * has room for BURST_MAX pointers. Returns where they are. Thread: a consumer.
 */
struct ring_slots ring_link_take(struct ring_link *l, struct rte_mbuf **buffer, uint16_t max,
	bool zero_copy);

/*
 * Release the slots of the first n packets of ring_link_take(); the other packets stay in the ring.
 * Does nothing without zero_copy.
 */
static __rte_always_inline void
ring_link_taken(struct ring_link *l, uint16_t n, bool zero_copy)
{
	if (zero_copy)
		rte_ring_dequeue_zc_finish(l->ring, n);
}

/*
 * Put the first n packets of from into the ring. zero_copy: write their pointers directly into
 * reserved slots. Returns how many fitted. Thread: a producer of a ring with one consumer.
 */
uint16_t ring_link_put(struct ring_link *l, const struct ring_slots *from, uint16_t n,
	bool zero_copy);

/*
 * Filters packets before they are sent: returns how many remain, moved to the begin of pkts[0..n).
 */
typedef uint16_t ring_sift(struct stream *s, struct rte_mbuf **pkts, uint16_t n);

/*
 * Transmit up to a burst on the stream's queue: from the ring, or from the slots of its origin if
 * packets are processed in place. sift: filter; NULL: send all. Returns the packets taken out.
 * Thread: the only consumer. Counts: as stream_tx(), and take.
 */
uint16_t ring_link_transmit(struct ring_link *l, struct stream *s, ring_sift *sift);
