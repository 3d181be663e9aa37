/* Descriptors of virtio's rings as the driver wrote them. Source: Virtual I/O Device (VIRTIO) 1.1,
 * 2.6 to 2.8. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/vhost/vring_read.h"

static inline uint8_t *
pointer(uint64_t address)
{
	return (uint8_t *)(uintptr_t)address;
}

static bool
packed_available(const struct vring_side *s, uint32_t position)
{
	const volatile struct vring_packed_desc *d =
		(struct vring_packed_desc *)s->place.desc + entry(s, position);
	uint16_t flags = d->flags;

	return ((flags & PACKED_AVAIL) != 0) == wrap(s, position) &&
		((flags & PACKED_USED) != 0) != wrap(s, position);
}

void
tail_look(struct vring_side *s, uint32_t head)
{
	if (s->packed) {
		while (distance(s, head, s->tail) < s->place.size && packed_available(s, s->tail))
			s->tail = next(s, s->tail, 1);
	} else {
		const volatile struct vring_avail *avail = s->place.driver;

		s->tail = avail->idx % (2u * s->place.size);
	}
	/* Pairs with the driver's barrier before it published. */
	atomic_thread_fence(memory_order_acquire);
}

uint16_t
split_first(const struct vring_side *s, uint32_t position)
{
	const struct vring_avail *avail = s->place.driver;

	return avail->ring[entry(s, position)] % s->place.size;
}

/* Pieces of a table that one descriptor points to. Returns how many. */
static unsigned
indirect_pieces(const struct vring_side *s, uint64_t address, uint32_t bytes, struct piece *p)
{
	unsigned n = 0;

	/*
	 * Both kinds of descriptors begin with address and length, and DPDK's drivers chain them as
	 * they lie.
	 */
	for (uint32_t at = 0; at < bytes && n < SEGMENTS_MAX; at += sizeof(struct vring_desc)) {
		const struct vring_desc *d =
			(const struct vring_desc *)(const void *)(pointer(address) + at);

		p[n++] = (struct piece){ pointer(d->addr), d->len };
	}
	return n;
}

static unsigned
split_pieces(const struct vring_side *s, uint32_t position, struct piece *p)
{
	const struct vring_desc *table = s->place.desc, *d = &table[split_first(s, position)];
	unsigned n = 0;

	if ((d->flags & VRING_DESC_F_INDIRECT) != 0)
		return indirect_pieces(s, d->addr, d->len, p);
	for (;; d = &table[d->next % s->place.size]) {
		p[n++] = (struct piece){ pointer(d->addr), d->len };
		if ((d->flags & VRING_DESC_F_NEXT) == 0 || n == SEGMENTS_MAX)
			return n;
	}
}

/* *descs: positions that the packet takes; 0: its end is not there. */
static unsigned
packed_pieces(const struct vring_side *s, uint32_t position, struct piece *p, uint16_t *descs)
{
	const struct vring_packed_desc *table = s->place.desc, *d = &table[entry(s, position)];
	unsigned n = 0;

	*descs = 1;
	if ((d->flags & VRING_DESC_F_INDIRECT) != 0)
		return indirect_pieces(s, d->addr, d->len, p);
	while (position != s->tail && n < SEGMENTS_MAX) {
		d = &table[entry(s, position)];
		p[n++] = (struct piece){ pointer(d->addr), d->len };
		*descs = (uint16_t)n;
		if ((d->flags & VRING_DESC_F_NEXT) == 0)
			return n;
		position = next(s, position, 1);
	}
	*descs = 0;
	return 0;
}

unsigned
pieces(const struct vring_side *s, uint32_t position, struct piece *p, uint16_t *descs)
{
	*descs = 1;
	return s->packed ? packed_pieces(s, position, p, descs) : split_pieces(s, position, p);
}

void
header_skip(struct piece *p, unsigned n)
{
	uint32_t left = HEADER;

	for (unsigned i = 0; i < n && left > 0; i++) {
		uint32_t part = p[i].len < left ? p[i].len : left;

		p[i].data += part;
		p[i].len -= part;
		left -= part;
	}
}
