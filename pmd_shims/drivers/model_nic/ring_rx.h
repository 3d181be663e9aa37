/* Receive descriptors whose first quad word is the buffer's address and whose write-back is two,
 * whatever the chip: in batches, lines are asked for first. On the path of every frame. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/counts.h"

/* Armed buffers of n descriptors in a row as frames with that much room. */
static inline void
rx_peek_run(const uint8_t *desc, size_t step, struct frame *f, uint16_t n, uint32_t room)
{
	for (uint16_t i = 0; i < n; i++) {
		*(quads_anywhere *)&f[i] = (quads){ quad(desc + i * step), room };
		*(quads_anywhere *)&f[i].flags = (quads){ 0, 0 };
	}
}

/* model_family.rx_peek. crc: bytes of it that the driver wants to see. */
static inline uint16_t
rx_peek(const struct ring *r, uint32_t crc, struct frame *f, uint16_t max)
{
	const size_t step = r->desc_size;
	uint16_t n = handed(r, max), first = straight(r, n);
	const uint8_t *from = r->desc + r->head * step;

	lines_for_writing(from, first * step);
	lines_for_writing(r->desc, (size_t)(n - first) * step);
	rx_peek_run(from, step, f, first, r->buf_len - crc);
	rx_peek_run(r->desc, step, f + first, (uint16_t)(n - first), r->buf_len - crc);
	return n;
}

/* A frame's write-back. of: the chip's; len: with the CRC that the driver wants to see. */
typedef quads rx_write_back(const void *of, const struct frame *f, uint64_t len);

/* What a run of write-backs adds up to. */
struct rx_given {
	uint64_t bytes, lanes;
	uint32_t partial; /* bytes of the packet under way */
	uint16_t packets, errors;
};

static inline void
rx_give_run(uint8_t *desc, size_t step, uint32_t crc, rx_write_back *write_back, const void *of,
	const struct frame *f, uint16_t n, const uint8_t *lanes, struct rx_given *g)
{
	for (uint16_t i = 0; i < n; i++) {
		const unsigned flags = f[i].flags, eop = flags & FRAME_EOP;

		*(quads *)(void *)(desc + i * step) =
			write_back(of, &f[i], f[i].len + (eop != 0 ? crc : 0));
		/*
		 * Drivers count done bits from the ring's front on: no later descriptor may be seen
		 * before an earlier one.
		 */
		atomic_thread_fence(memory_order_release);
		g->partial += f[i].len;
		if (eop != 0) {
			/* The tag that was stripped came over the wire too. */
			uint32_t bytes = g->partial + (flags & FRAME_VLAN) * (4u / FRAME_VLAN);

			g->packets++;
			g->bytes += bytes;
			g->lanes += UINT64_C(1) << size_lane(lanes, bytes);
			g->errors += (flags & FRAME_ERROR) / FRAME_ERROR;
			g->partial = 0;
		}
	}
}

/* model_family.rx_give. crc: as of rx_peek(). */
static inline void
rx_give(struct ring *r, struct counts *c, uint32_t crc, rx_write_back *write_back, const void *of,
	const struct frame *f, uint16_t n)
{
	const size_t step = r->desc_size;
	uint16_t first = straight(r, n);
	struct rx_given g = { .partial = r->partial };

	rx_give_run(r->desc + r->head * step, step, crc, write_back, of, f, first, c->size_lane,
		&g);
	rx_give_run(r->desc, step, crc, write_back, of, f + first, (uint16_t)(n - first),
		c->size_lane, &g);
	r->head = advanced(r, r->head, n);
	r->packets += g.packets;
	r->bytes += g.bytes;
	r->partial = g.partial;
	sizes_add(c->rx_sizes, g.lanes);
	c->rx_errors += g.errors;
}
