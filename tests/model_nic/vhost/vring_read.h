/* How the device reads its rings: how far the driver has come, and where the pieces of a packet or
 * buffer lie. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "model_nic/vhost/vring.h"

/* Before each packet. */
enum { HEADER = 12 };

/* Pieces of a packet: its header, and 16 segments or somewhat more. */
enum { SEGMENTS_MAX = 20 };

#define PACKED_AVAIL (1u << VRING_PACKED_DESC_F_AVAIL)
#define PACKED_USED (1u << VRING_PACKED_DESC_F_USED)

/* A piece of a packet. */
struct piece {
	uint8_t *data;
	uint32_t len;
};

static inline struct vring_side *
side_of(const struct ring *r)
{
	/* The tail is the side's. */
	return (struct vring_side *)(void *)((char *)(uintptr_t)r->tail -
		offsetof(struct vring_side, tail));
}

static inline uint32_t
next(const struct vring_side *s, uint32_t position, uint32_t n)
{
	position += n;
	return position >= 2u * s->place.size ? position - 2u * s->place.size : position;
}

static inline uint32_t
distance(const struct vring_side *s, uint32_t from, uint32_t to)
{
	return to >= from ? to - from : to + 2u * s->place.size - from;
}

/* In a split or packed ring's table of descriptors. */
static inline uint32_t
entry(const struct vring_side *s, uint32_t position)
{
	return position >= s->place.size ? position - s->place.size : position;
}

/*
 * What both bits of a packed descriptor are compared with: set the first time round, clear the
 * second.
 */
static inline bool
wrap(const struct vring_side *s, uint32_t position)
{
	return position < s->place.size;
}

/*
 * Look how far the driver has come, into s->tail; head: the first position that is not used yet.
 * Thread: the one that moves frames.
 */
void tail_look(struct vring_side *s, uint32_t head);

/* The first descriptor of an entry of a split ring. */
uint16_t split_first(const struct vring_side *s, uint32_t position);

/*
 * Pieces of what begins at a position, header included, into p[0..SEGMENTS_MAX). Returns how many;
 * *descs: positions that it takes. 0: its end is not there.
 */
unsigned pieces(const struct vring_side *s, uint32_t position, struct piece *p, uint16_t *descs);

/* Cut the header off n pieces; those that it fills become empty. */
void header_skip(struct piece *p, unsigned n);
