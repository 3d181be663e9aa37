/* Receive descriptors of the XL710, in batches: lines are asked for first, then read or written.
 * Source: datasheet 8.3.2. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/xl710/xl710_priv.h"

#include <emmintrin.h>
#include <string.h>

/* Of the second quad word of an Rx write-back. */
#define RX_DONE UINT64_C(1)
#define RX_EOP (UINT64_C(1) << 1)
#define RX_TAG (UINT64_C(1) << 2)
#define RX_CHECKED (UINT64_C(1) << 3)
#define RX_HASH (UINT64_C(3) << 12)
#define RX_ERROR_MAC (UINT64_C(1) << 19)
#define RX_ERROR_L3 (UINT64_C(1) << 22)
#define RX_ERROR_L4 (UINT64_C(1) << 23)
enum { RX_TYPE = 30, RX_LENGTH = 38 };

uint16_t
xl710_rx_peek(struct model *m, struct ring *r, struct frame *f, uint16_t max)
{
	const struct xl710 *s = xl710_state(m);
	bool crc = (atomic_load_explicit(&s->crc_stays, memory_order_relaxed) >> r->index & 1) != 0;
	uint32_t room = r->buf_len - (crc ? CRC_BYTES : 0u);
	uint16_t n = handed(r, max), first = straight(r, n);
	const uint8_t *from = r->desc + (size_t)r->head * r->desc_size;

	if (n == 0 || !atomic_load_explicit(&s->link_up, memory_order_relaxed))
		return 0;
	lines_for_writing(from, (size_t)first * r->desc_size);
	lines_for_writing(r->desc, (size_t)(n - first) * r->desc_size);
	if (r->desc_size == 32) {
		peek_run(from, 32, f, first, room);
		peek_run(r->desc, 32, f + first, (uint16_t)(n - first), room);
	} else {
		peek_run(from, 16, f, first, room);
		peek_run(r->desc, 16, f + first, (uint16_t)(n - first), room);
	}
	return n;
}

static uint64_t
rx_word(unsigned flags)
{
	/* By IPv4, IPv6, TCP, UDP: bits 0..3. */
	static const uint8_t types[16] = { 1, 23, 89, 1, 1, 26, 92, 1, 1, 24, 90, 1, 1, 1, 1, 1 };
	uint64_t word = RX_DONE;

	/* What is known of the packet stands in its last descriptor. */
	if ((flags & FRAME_EOP) == 0)
		return word;
	word |= RX_EOP | (uint64_t)types[flags / FRAME_IPV4 & 15] << RX_TYPE;
	word |= (flags & (FRAME_IPV4 | FRAME_IPV6)) != 0 ? RX_CHECKED : 0;
	word |= (flags & FRAME_VLAN) != 0 ? RX_TAG : 0;
	word |= (flags & FRAME_RSS) != 0 ? RX_HASH : 0;
	word |= (flags & FRAME_BAD_L3) != 0 ? RX_ERROR_L3 : 0;
	word |= (flags & FRAME_BAD_L4) != 0 ? RX_ERROR_L4 : 0;
	word |= (flags & FRAME_ERROR) != 0 ? RX_ERROR_MAC : 0;
	return word;
}

void
xl710_tables_make(struct xl710 *s)
{
	for (unsigned i = 0; i < XL710_RX_WORDS; i++)
		s->rx_word[i] = rx_word(i);
	size_lanes_make(s->size_lane);
}

/* What a run of write-backs adds up to. */
struct given {
	uint64_t bytes, lanes;
	uint32_t partial; /* bytes of the packet under way */
	uint16_t packets, errors;
};

static inline void
give_run(uint8_t *desc, size_t step, const struct frame *f, uint16_t n, const struct xl710 *s,
	uint32_t crc, struct given *g)
{
	for (uint16_t i = 0; i < n; i++) {
		const unsigned flags = f[i].flags, eop = flags & FRAME_EOP;
		const uint64_t len = f[i].len + (eop != 0 ? crc : 0);

		_mm_store_si128((__m128i *)(void *)(desc + i * step),
			_mm_set_epi64x((long long)(s->rx_word[flags % XL710_RX_WORDS] |
					       len << RX_LENGTH),
				(long long)((uint64_t)f[i].rss << 32 | (uint32_t)f[i].vlan << 16)));
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

static inline void
give(struct model *m, struct ring *r, const struct frame *f, uint16_t n, size_t step)
{
	struct xl710 *s = xl710_state(m);
	uint64_t bit = UINT64_C(1) << r->index;
	uint32_t crc = (atomic_load_explicit(&s->crc_stays, memory_order_relaxed) & bit) != 0
		? CRC_BYTES
		: 0;
	uint16_t first = straight(r, n);
	struct given g = { .partial = s->rx_partial[r->index] };

	give_run(r->desc + r->head * step, step, f, first, s, crc, &g);
	give_run(r->desc, step, f + first, (uint16_t)(n - first), s, crc, &g);
	r->head = advanced(r, r->head, n);
	r->packets += g.packets;
	r->bytes += g.bytes;
	sizes_add(s->rx_sizes, g.lanes);
	s->rx_errors += g.errors;
	s->rx_partial[r->index] = g.partial;
	if ((atomic_load_explicit(&s->rx_interrupts, memory_order_relaxed) & bit) != 0)
		xl710_rx_interrupt(m);
}

void
xl710_rx_give(struct model *m, struct ring *r, const struct frame *f, uint16_t n)
{
	while (n > 0) {
		/* Lanes hold 8 bits. */
		uint16_t some = n < MODEL_BURST ? n : MODEL_BURST;

		if (r->desc_size == 32)
			give(m, r, f, some, 32);
		else
			give(m, r, f, some, 16);
		f += some;
		n = (uint16_t)(n - some);
	}
}
