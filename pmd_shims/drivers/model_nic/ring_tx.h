/* Descriptors of two quad words, transmit and receive, for all chips: plain packets are handled in batches, others are read one by one. On the path of every frame. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/counts.h"

enum { TX_DESC_BYTES = 16 };

/*
 * A chip's descriptor format. Masks and bits apply to the second quad word; the first one of a data
 * descriptor is the address. A chip has one constant of this type in the file that calls tx_take()
 * and tx_done(), so that the compiler specialises these functions.
 */
struct tx_format {
	uint64_t kind, data, context; /* mask of the kind; its values for data and context */
	uint64_t eop, report;
	uint64_t silent;   /* set in a data descriptor that is not for the wire */
	uint64_t offloads; /* a packet of one descriptor with none of these bits is plain */
	unsigned length_at;
	uint64_t length_mask;
	bool contexts_stay; /* a context applies until it is replaced; false: to one packet */
	void (*context_read)(struct tx_context *contexts, uint64_t first, uint64_t second);
	/* Set the offloads of *f from a data descriptor and the contexts. */
	void (*offloads_read)(struct frame *f, uint64_t second, const struct tx_context *contexts);
	/* Mark a descriptor as done. */
	void (*done)(uint8_t *desc);
};

/* A packet of any form. */
struct tx_packet {
	uint16_t frames, descs;
	uint32_t bytes;
	bool silent; /* uses descriptors but is not for the wire */
};

static inline uint64_t
tx_length(const struct tx_format *x, uint64_t second)
{
	return second >> x->length_at & x->length_mask;
}

/*
 * Read n contiguous descriptors as one frame each. at: number of the first one in *t. Returns the
 * bits in which any of them is not plain.
 */
static inline uint64_t
tx_take_run(const struct tx_format *x, const uint8_t *desc, struct frame *f, uint16_t n,
	unsigned at, const uint8_t *lanes, struct tx_taken *t)
{
	const uint64_t plain = x->data | x->eop, mask = x->kind | x->eop | x->offloads;
	const quads rest = { FRAME_EOP, 0 };
	uint64_t odd = 0;

	for (uint16_t i = 0; i < n; i++) {
		uint64_t second = quad(desc + i * TX_DESC_BYTES + 8), len = tx_length(x, second);

		odd |= (second & mask) ^ plain;
		*(quads_anywhere *)&f[i] = (quads){ quad(desc + i * TX_DESC_BYTES), len };
		*(quads_anywhere *)&f[i].flags = rest;
		t->bytes += len;
		t->sizes += UINT64_C(1) << size_lane(lanes, (uint32_t)len);
		t->reports |= (second / x->report & 1) << (at + i);
	}
	return odd;
}

/*
 * Read the packet that starts at descriptor at, of n available descriptors. contexts: those in
 * force, updated by context descriptors. The first max frames are stored in f. Returns false if the
 * packet's end is missing.
 */
static inline bool
tx_packet_read(const struct tx_format *x, const struct ring *r, uint16_t at, uint16_t n,
	struct tx_context *contexts, struct frame *f, uint16_t max, struct tx_packet *p)
{
	memset(p, 0, sizeof(*p));
	if (!x->contexts_stay)
		memset(contexts, 0, MODEL_TX_CONTEXTS * sizeof(*contexts));
	while (p->descs < n) {
		const uint8_t *desc = r->desc + (size_t)advanced(r, at, p->descs++) * TX_DESC_BYTES;
		uint64_t first = quad(desc), second = quad(desc + 8);
		struct frame one = { .data = (uint8_t *)(uintptr_t)first };

		if ((second & x->kind) == x->context) {
			x->context_read(contexts, first, second);
			continue;
		}
		if ((second & x->kind) != x->data || (second & x->silent) != 0) {
			p->silent = true;
			return true;
		}
		one.len = (uint32_t)tx_length(x, second);
		one.flags = (second & x->eop) != 0 ? FRAME_EOP : 0;
		x->offloads_read(&one, second, contexts);
		if (p->frames < max)
			f[p->frames] = one;
		p->frames++;
		p->bytes += one.len;
		if ((second & x->eop) != 0)
			return true;
	}
	return false;
}

/* Read whole packets from head on, at most max frames, as model_family.tx_take does. */
static inline uint16_t
tx_take_mixed(const struct tx_format *x, struct model *m, struct ring *r, struct frame *f,
	uint16_t max, uint16_t *descs)
{
	uint16_t there = handed(r, r->size), frames = 0;
	struct tx_context contexts[MODEL_TX_CONTEXTS];
	struct tx_packet p;

	memcpy(contexts, r->context, sizeof(contexts));
	while (frames < max &&
		tx_packet_read(x, r, advanced(r, r->head, *descs), (uint16_t)(there - *descs),
			contexts, f + frames, (uint16_t)(max - frames), &p)) {
		if (!p.silent && p.frames > max - frames) {
			if (frames > 0 || p.frames <= MODEL_BURST)
				break;
			model_log(m, 1,
				"Tx queue %u: a packet of %u descriptors dropped: at most %u",
				r->index, p.frames, MODEL_BURST);
			p.silent = true;
		}
		*descs = (uint16_t)(*descs + p.descs);
		frames = (uint16_t)(frames + (p.silent ? 0 : p.frames));
	}
	return frames;
}

/* Implements model_family.tx_take. */
static inline uint16_t
tx_take(const struct tx_format *x, struct model *m, struct ring *r, const struct counts *c,
	struct frame *f, uint16_t max, uint16_t *descs)
{
	uint16_t n = handed(r, max < MODEL_BURST ? max : MODEL_BURST), first = straight(r, n);
	const uint8_t *from = r->desc + (size_t)r->head * TX_DESC_BYTES;
	struct tx_taken t = { .head = r->head };
	uint64_t odd;

	*descs = 0;
	if (n == 0)
		return 0;
	lines_for_reading(from, (size_t)first * TX_DESC_BYTES);
	lines_for_reading(r->desc, (size_t)(n - first) * TX_DESC_BYTES);
	odd = tx_take_run(x, from, f, first, 0, c->size_lane, &t) |
		tx_take_run(x, r->desc, f + first, (uint16_t)(n - first), first, c->size_lane, &t);
	if (odd != 0) {
		r->taken.plain = 0;
		return tx_take_mixed(x, m, r, f, max, descs);
	}
	t.plain = n;
	r->taken = t;
	*descs = n;
	return n;
}

/* Read the descriptors again, since they were not plain or are completed in different portions. */
static inline void
tx_done_mixed(const struct tx_format *x, struct ring *r, struct counts *c, uint16_t descs)
{
	struct frame f = { 0 };
	struct tx_packet p;

	while (descs > 0) {
		bool whole = tx_packet_read(x, r, r->head, descs, r->context, &f, 1, &p);

		if (whole && !p.silent && p.frames <= MODEL_BURST)
			packet_count(r, &f, p.bytes, c);
		for (uint16_t i = 0; i < p.descs; i++) {
			uint8_t *desc = r->desc + (size_t)r->head * TX_DESC_BYTES;
			uint64_t second = quad(desc + 8);

			if ((second & x->kind) != x->context && (second & x->report) != 0)
				x->done(desc);
			r->head = advanced(r, r->head, 1);
		}
		descs = (uint16_t)(descs - p.descs);
	}
}

/* Implements model_family.tx_done. */
static inline void
tx_done(const struct tx_format *x, struct ring *r, struct counts *c, uint16_t descs)
{
	const struct tx_taken *t = &r->taken;

	if (descs == 0)
		return;
	if (t->plain != descs || t->head != r->head) {
		tx_done_mixed(x, r, c, descs);
	} else {
		for (uint64_t reports = t->reports; reports != 0; reports &= reports - 1) {
			uint16_t i = (uint16_t)__builtin_ctzll(reports);

			x->done(r->desc + (size_t)advanced(r, r->head, i) * TX_DESC_BYTES);
		}
		r->head = advanced(r, r->head, descs);
		r->packets += descs;
		r->bytes += t->bytes;
		sizes_add(c->tx_sizes, t->sizes);
	}
	r->taken.plain = 0;
}

/* Implements model_family.buffer. */
static inline uint8_t *
tx_buffer(const struct tx_format *x, const struct ring *r, uint16_t i, bool rx)
{
	const uint8_t *desc = r->desc + (size_t)i * r->desc_size;

	if (!rx && (quad(desc + 8) & x->kind) != x->data)
		return NULL;
	return (uint8_t *)(uintptr_t)quad(desc);
}

/* Receive descriptors of all chips whose first quad word is the buffer's address and whose
 * write-back has two quad words: handled in batches after a prefetch. On the path of every
 * frame. */

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
			/* Bytes on the wire include stripped tags. */
			uint32_t bytes = g->partial + (flags & FRAME_VLAN) * (4u / FRAME_VLAN) +
				(flags & FRAME_VLAN_INNER) / (FRAME_VLAN_INNER / 4u);

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
