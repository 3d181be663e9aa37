/* A guest's virtqueue in memory, split or packed: buffers are taken from it and given back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_vhost.h>

#include <stdbool.h>
#include <stdint.h>

/*
 * All of this memory is the guest's, which may change it at any time and write anything into it.
 * So each field is read once, and each address is translated before it is used. A buffer whose
 * descriptors make no sense is bad. A ring that makes no sense is broken, and stays so.
 */

/* Pieces of the buffers of a packet: many more than a packet of 64 KB needs. */
enum { VHOST_PIECES = 256 };

/* Bytes of a buffer that are contiguous in this process. */
struct vhost_piece {
	uint8_t *at;
	uint32_t len;
};

/* One or more buffers, in their order. */
struct vhost_pieces {
	uint64_t bytes;
	unsigned int n;
	bool bad; /* a piece is missing: it is outside the guest's memory, or there are too many */
	struct vhost_piece piece[VHOST_PIECES];
};

/* A buffer: a chain of descriptors. */
struct vhost_buffer {
	uint16_t id;
	uint16_t descriptors; /* in the ring itself */
	uint32_t written;     /* bytes, reported to the guest */
};

/* A place in the ring. In a split ring index counts on beyond the ring's end. */
struct vhost_place {
	uint16_t index;
	bool wrap; /* of a packed ring */
};

struct vhost_ring {
	const struct rte_vhost_memory *memory;
	struct rte_vhost_vring vring;
	bool packed;
	const char *broken; /* why nothing more is taken from it; NULL: it is in order */
	/* the next buffer to take, and where the next one is given back */
	struct vhost_place take, give;
	uint16_t out; /* buffers taken and not given back; of a packed ring: their descriptors */
	/* of a packed ring: the first descriptor of a batch, which the guest looks at first */
	struct vring_packed_desc *first;
	uint16_t first_flags;
};

/* What vhost_ring_untake() goes back to. */
struct vhost_taken {
	struct vhost_place take;
	uint16_t out;
};

/*
 * Begin with a ring of the library's device vid. memory: the guest's, kept as long as the ring.
 * Returns false if the device has no such ring yet.
 */
bool vhost_ring_open(struct vhost_ring *r, int vid, uint16_t number, bool packed,
	const struct rte_vhost_memory *memory);

/* Read from the library where it is in the ring, or write that. */
void vhost_ring_from_library(struct vhost_ring *r, int vid, uint16_t number);
void vhost_ring_to_library(const struct vhost_ring *r, int vid, uint16_t number);

/*
 * Take the next buffer and append its pieces to p. Returns false if there is none, or if the ring is
 * broken.
 */
bool vhost_ring_take(struct vhost_ring *r, struct vhost_buffer *b, struct vhost_pieces *p);

static inline struct vhost_taken
vhost_ring_taken(const struct vhost_ring *r)
{
	return (struct vhost_taken){ r->take, r->out };
}

/* Leave the buffers that were taken since then in the ring. */
static inline void
vhost_ring_untake(struct vhost_ring *r, struct vhost_taken then)
{
	r->take = then.take;
	r->out = then.out;
}

/* Give a buffer back; the guest sees it after vhost_ring_publish(). In the order of taking. */
void vhost_ring_give(struct vhost_ring *r, const struct vhost_buffer *b);
void vhost_ring_publish(struct vhost_ring *r);
