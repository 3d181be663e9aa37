/* What NICs count: packets by classes of length, as they leave, and counts that start again at 0.
 * On the path of every frame. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "model_nic/ring.h"

enum { SIZES = 7 }; /* classes of frame length that are counted */

/*
 * What was taken from a Tx ring and is not reported done yet. Only the thread that moves frames
 * uses it.
 */
struct tx_taken {
	/* packets of one descriptor, without offloads; 0: nothing, or not only such */
	uint16_t plain;
	uint16_t head;    /* where they begin */
	uint64_t reports; /* bit i: descriptor head + i asks to be reported */
	uint64_t bytes;
	uint64_t sizes; /* SIZES lanes of 8 bits */
};

/* For size_lane(): lanes of frames of 64 * i bytes and more, with CRC. */
static inline void
size_lanes_make(uint8_t lanes[256])
{
	for (unsigned i = 0; i < 256; i++)
		lanes[i] = i < 1 ? 0
			: i < 2  ? 8
			: i < 4  ? 16
			: i < 8  ? 24
			: i < 16 ? 32
			: i < 24 ? 40
				 : 48;
}

/*
 * Lane of a length (without CRC) in a sum of 8-bit lanes: 64, 65-127, 128-255, ... 512-1023,
 * 1024-1522, longer; with CRC. All but two borders are multiples of 64: a table of those.
 */
static inline unsigned
size_lane(const uint8_t *lanes, uint32_t len)
{
	uint32_t bytes = len + CRC_BYTES;

	return lanes[bytes / 64 & 255] - (bytes == 64 ? 8u : 0u) + (bytes - 1523 < 13 ? 8u : 0u);
}

static inline void
sizes_add(uint64_t *sizes, uint64_t lanes)
{
	for (unsigned i = 0; i < SIZES; i++)
		sizes[i] += lanes >> 8 * i & 0xff;
}

/* As a packet leaves: TSO makes several of it, each with the headers; a tag is inserted. */
static inline void
packet_count(struct ring *r, const struct frame *f, uint32_t bytes, const uint8_t *lanes,
	uint64_t *sizes)
{
	uint32_t headers = (uint32_t)f->l2_len + f->l3_len + f->l4_len;
	uint32_t tag = (f->flags & FRAME_VLAN) != 0 ? 4 : 0, left, part;

	if (f->mss == 0 || bytes <= headers)
		headers = 0;
	for (left = bytes - headers; left > 0; left -= part) {
		part = headers > 0 && left > f->mss ? f->mss : left;
		r->packets++;
		r->bytes += headers + part + tag;
		sizes[size_lane(lanes, headers + part + tag) / 8]++;
	}
}

/* What a count that may start again at 0 has grown to in all. */
static inline void
counter_grow(uint64_t *total, uint64_t *seen, uint64_t now)
{
	*total += now >= *seen ? now - *seen : now;
	*seen = now;
}
