/* What the receive and the transmit side of any family's ring share: positions, cache lines, classes of length. On the path of every frame. */
#pragma once

#include "model.h"

#include <assert.h>
#include <emmintrin.h>
#include <string.h>

enum {
	LINE = 64,
	CRC_BYTES = 4,
	SIZES = 7, /* classes of frame length that are counted */
};

/* A frame as two halves of 16 bytes: data, len and rss; flags and the rest. */
static_assert(sizeof(struct frame) == 32 && offsetof(struct frame, len) == 8 &&
		offsetof(struct frame, flags) == 16,
	"frames are written as two vectors");

/* Ask for a line that is going to be written. The builtin asks for reading, unless the whole program is compiled for a newer processor. */
static inline void
line_for_writing(const void *p)
{
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)p));
}

static inline void
lines_for_writing(const uint8_t *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += LINE)
		line_for_writing(from + i);
}

static inline void
lines_for_reading(const uint8_t *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += LINE)
		__builtin_prefetch(from + i);
}

static inline uint64_t
quad(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Descriptors from head on that the driver handed over, max at most. A tail beyond the ring: none. */
static inline uint16_t
handed(const struct ring *r, uint16_t max)
{
	uint32_t tail = *r->tail, n;

	/* Pairs with the driver's barrier before its doorbell: descriptors are read after the tail. */
	atomic_thread_fence(memory_order_acquire);
	if (tail >= r->size)
		return 0;
	n = tail >= r->head ? tail - r->head : tail + r->size - r->head;
	return (uint16_t)(n < max ? n : max);
}

/* How many of n descriptors from head on lie before the ring's end. */
static inline uint16_t
straight(const struct ring *r, uint16_t n)
{
	uint16_t to_end = (uint16_t)(r->size - r->head);

	return n < to_end ? n : to_end;
}

static inline uint16_t
advanced(const struct ring *r, uint16_t at, uint16_t n)
{
	uint32_t next = (uint32_t)at + n;

	return (uint16_t)(next >= r->size ? next - r->size : next);
}

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
 * Lane of a length (without CRC) in a sum of 8-bit lanes: 64, 65-127, 128-255, ... 512-1023, 1024-1522, longer; with CRC. All but two borders
 * are multiples of 64: a table of those.
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

/* Armed buffers of n descriptors in a row, whose first 8 bytes are the address, as frames with that much room. */
static inline void
peek_run(const uint8_t *desc, size_t step, struct frame *f, uint16_t n, uint32_t room)
{
	const __m128i rest = _mm_setzero_si128();

	for (uint16_t i = 0; i < n; i++) {
		_mm_storeu_si128((__m128i *)(void *)&f[i],
			_mm_set_epi64x((long long)room, (long long)quad(desc + i * step)));
		_mm_storeu_si128((__m128i *)(void *)&f[i].flags, rest);
	}
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
