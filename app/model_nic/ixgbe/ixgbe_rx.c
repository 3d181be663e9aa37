/* Receive descriptors of 82599 and X540, in batches: lines are asked for first, then read or
 * written. Source: Intel 82599 datasheet 7.1.6. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/ixgbe/ixgbe_priv.h"

enum { DESC = 16 };

/* Status and errors of a write-back. */
#define RX_DONE UINT32_C(1)
#define RX_EOP (UINT32_C(1) << 1)
#define RX_TAG (UINT32_C(1) << 3)
#define RX_L4_CHECKED (UINT32_C(1) << 5)
#define RX_L3_CHECKED (UINT32_C(1) << 6)
#define RX_ERROR_MAC (UINT32_C(1) << 29)
#define RX_ERROR_L4 (UINT32_C(1) << 30)
#define RX_ERROR_L3 (UINT32_C(1) << 31)
enum { RX_IPV4 = 0x10, RX_IPV6 = 0x40, RX_TCP = 0x100, RX_UDP = 0x200 }; /* type of packet */
enum { RX_LENGTH = 32, RX_VLAN = 48 }; /* in the second quad word */

static void
word_make(struct ixgbe *s, unsigned flags)
{
	const bool l3 = (flags & (FRAME_IPV4 | FRAME_IPV6)) != 0,
		   l4 = l3 && (flags & (FRAME_TCP | FRAME_UDP)) != 0;
	uint32_t status = RX_DONE;
	unsigned type = 0;

	/* What is known of the packet stands in its last descriptor. */
	if ((flags & FRAME_EOP) != 0) {
		status |= RX_EOP | ((flags & FRAME_IPV4) != 0 ? RX_L3_CHECKED : 0);
		status |= l4 ? RX_L4_CHECKED : 0;
		status |= (flags & FRAME_VLAN) != 0 ? RX_TAG : 0;
		status |= (flags & FRAME_BAD_L3) != 0 ? RX_ERROR_L3 : 0;
		status |= (flags & FRAME_BAD_L4) != 0 ? RX_ERROR_L4 : 0;
		status |= (flags & FRAME_ERROR) != 0 ? RX_ERROR_MAC : 0;
		type |= (flags & FRAME_IPV4) != 0   ? RX_IPV4
			: (flags & FRAME_IPV6) != 0 ? RX_IPV6
						    : 0;
		type |= !l4 ? 0 : (flags & FRAME_TCP) != 0 ? RX_TCP : RX_UDP;
	}
	s->rx_status[flags] = status;
	s->rx_type[flags] = (uint16_t)type;
}

void
ixgbe_tables_make(struct ixgbe *s)
{
	for (unsigned i = 0; i < IXGBE_RX_WORDS; i++)
		word_make(s, i);
	size_lanes_make(s->size_lane);
}

void
ixgbe_rx_begin(struct model *m, const struct ring *r)
{
	ixgbe_state(m)->rx_partial[r->index] = 0;
	*ixgbe_queue_reg(r, IXGBE_HEAD) = IXGBE_HEAD_HIDDEN;
}

uint16_t
ixgbe_rx_peek(struct model *m, struct ring *r, struct frame *f, uint16_t max)
{
	const struct ixgbe *s = ixgbe_state(m);
	bool crc = atomic_load_explicit(&s->crc_stays, memory_order_relaxed);
	uint32_t room = r->buf_len - (crc ? CRC_BYTES : 0u);
	uint16_t n = handed(r, max), first = straight(r, n);
	const uint8_t *from = r->desc + (size_t)r->head * DESC;

	if (n == 0 || !atomic_load_explicit(&m->link_up, memory_order_relaxed))
		return 0;
	lines_for_writing(from, (size_t)first * DESC);
	lines_for_writing(r->desc, (size_t)(n - first) * DESC);
	peek_run(from, DESC, f, first, room);
	peek_run(r->desc, DESC, f + first, (uint16_t)(n - first), room);
	return n;
}

/* What a run of write-backs is made with and adds up to. */
struct given {
	uint64_t hash_types, bytes, lanes;
	uint32_t crc, partial; /* bytes of the packet under way */
	uint16_t packets, errors;
};

static inline void
give_run(uint8_t *desc, const struct frame *f, uint16_t n, const struct ixgbe *s, struct given *g)
{
	for (uint16_t i = 0; i < n; i++) {
		const unsigned flags = f[i].flags % IXGBE_RX_WORDS, eop = flags & FRAME_EOP;
		const uint64_t len = f[i].len + (eop != 0 ? g->crc : 0);
		const unsigned hashed = (flags & FRAME_RSS) / FRAME_RSS * 15,
			       hash_type =
				       (unsigned)(g->hash_types >> flags / FRAME_IPV4 % 16 * 4) &
			hashed;

		_mm_store_si128((__m128i *)(void *)(desc + i * DESC),
			_mm_set_epi64x((long long)(s->rx_status[flags] | len << RX_LENGTH |
					       (uint64_t)f[i].vlan << RX_VLAN),
				(long long)((uint64_t)f[i].rss << 32 | s->rx_type[flags] |
					hash_type)));
		/* Drivers count done bits from the ring's front on: no later descriptor may be seen before an earlier one. x86 keeps
		 * stores in order, the compiler has to. */
		atomic_signal_fence(memory_order_release);
		g->partial += f[i].len;
		if (eop != 0) {
			/* The tag that was stripped came over the wire too. */
			uint32_t bytes = g->partial + (flags & FRAME_VLAN) * (4u / FRAME_VLAN);

			g->packets++;
			g->bytes += bytes;
			g->lanes += UINT64_C(1) << size_lane(s->size_lane, bytes);
			g->errors += (flags & FRAME_ERROR) / FRAME_ERROR;
			g->partial = 0;
		}
	}
}

/* At most MODEL_BURST frames: lanes hold 8 bits. */
static void
give(struct model *m, struct ring *r, const struct frame *f, uint16_t n)
{
	struct ixgbe *s = ixgbe_state(m);
	bool crc = atomic_load_explicit(&s->crc_stays, memory_order_relaxed);
	uint16_t first = straight(r, n);
	struct given g = { .partial = s->rx_partial[r->index],
		.crc = crc ? CRC_BYTES : 0,
		.hash_types = atomic_load_explicit(&s->hash_types, memory_order_relaxed) };

	give_run(r->desc + r->head * DESC, f, first, s, &g);
	give_run(r->desc, f + first, (uint16_t)(n - first), s, &g);
	r->head = advanced(r, r->head, n);
	r->packets += g.packets;
	r->bytes += g.bytes;
	sizes_add(s->rx_sizes, g.lanes);
	s->rx_errors += g.errors;
	s->rx_partial[r->index] = g.partial;
}

void
ixgbe_rx_give(struct model *m, struct ring *r, const struct frame *f, uint16_t n)
{
	uint32_t cause =
		atomic_load_explicit(&ixgbe_state(m)->rx_cause[r->index], memory_order_relaxed);

	if (!ixgbe_ring_stands(r))
		return;
	while (n > 0) {
		uint16_t some = n < MODEL_BURST ? n : MODEL_BURST;

		give(m, r, f, some);
		f += some;
		n = (uint16_t)(n - some);
	}
	if (cause != 0)
		ixgbe_cause(m, cause);
}
