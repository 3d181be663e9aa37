/* Receive descriptors of all chips whose first quad word is the buffer's address and whose
 * write-back has two quad words: handled in batches after a prefetch. On the path of every
 * frame. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/counts.h"

/* Read the armed buffers of n contiguous descriptors as frames with this room. */
static inline void
rx_peek_run(const uint8_t *desc, size_t step, struct frame *f, uint16_t n, uint32_t room)
{
	for (uint16_t i = 0; i < n; i++) {
		*(quads_anywhere *)&f[i] = (quads){ quad(desc + i * step), room };
		*(quads_anywhere *)&f[i].flags = (quads){ 0, 0 };
	}
}

/* Implements model_family.rx_peek. crc: bytes of the CRC that the driver receives, 0 or 4. */
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

/*
 * Returns a frame's write-back. of: private to the chip; len: with the CRC if the driver receives
 * it.
 */
typedef quads rx_write_back(const void *of, const struct frame *f, uint64_t len);

/* Sums over a run of write-backs. */
struct rx_given {
	uint64_t bytes, lanes;
	uint32_t partial; /* bytes so far of the last packet */
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
		 * Drivers count done bits from the front, so no descriptor may become visible
		 * before an earlier one.
		 */
		atomic_thread_fence(memory_order_release);
		g->partial += f[i].len;
		if (eop != 0) {
			/* Bytes on the wire include a stripped tag. */
			uint32_t bytes = g->partial + (flags & FRAME_VLAN) * (4u / FRAME_VLAN);

			g->packets++;
			g->bytes += bytes;
			g->lanes += UINT64_C(1) << size_lane(lanes, bytes);
			g->errors += (flags & FRAME_ERROR) / FRAME_ERROR;
			g->partial = 0;
		}
	}
}

/* Implements model_family.rx_give. crc, write_back, of: as for rx_peek() and rx_write_back. */
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
