/* A guest's virtqueue in memory, split or packed: virtio 1.3, sections 2.7 and 2.8. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/vhost_ring.h"

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include <linux/virtio_ring.h>
#include <stdatomic.h>
#include <string.h>

enum {
	WRAP = 1 << 15, /* of a packed ring's place, as the library has it */
	AVAIL = 1 << VRING_PACKED_DESC_F_AVAIL,
	USED = 1 << VRING_PACKED_DESC_F_USED,
};

/* A descriptor as both rings and their tables have it; link: only of split rings and tables. */
struct descriptor {
	uint64_t addr;
	uint32_t len;
	uint16_t flags, link;
};

/*
 * The guest's bytes from addr on in this process, and how many of *len are contiguous. NULL: none.
 * The library's function of this kind adds before it compares, and its sum may overflow.
 */
static uint8_t *
translate(const struct vhost_ring *r, uint64_t addr, uint32_t *len)
{
	for (uint32_t n = 0; n < r->memory->nregions; n++) {
		const struct rte_vhost_mem_region *region = &r->memory->regions[n];
		const uint64_t at = addr - region->guest_phys_addr;

		if (at < region->size) {
			*len = (uint32_t)RTE_MIN(region->size - at, (uint64_t)*len);
			return (uint8_t *)(uintptr_t)(region->host_user_addr + at);
		}
	}
	return NULL;
}

/* Whether the guest marked it as writable is left to the guest: net_virtio marks some wrongly. */
static inline void
pieces_add(const struct vhost_ring *r, struct vhost_pieces *p, const struct descriptor *d)
{
	uint64_t addr = d->addr;
	uint32_t left = d->len, len;
	uint8_t *at;

	for (; left > 0; left -= len, addr += len) {
		len = left;
		at = translate(r, addr, &len);
		if (unlikely(at == NULL || p->n == VHOST_PIECES)) {
			p->bad = true;
			return;
		}
		p->piece[p->n++] = (struct vhost_piece){ at, len };
		p->bytes += len;
	}
}

/* Read bytes of the guest that may be in several regions. */
static bool
guest_read(const struct vhost_ring *r, uint64_t addr, void *to, uint32_t bytes)
{
	uint8_t *into = to, *at;

	for (uint32_t len; bytes > 0; bytes -= len, addr += len, into += len) {
		len = bytes;
		at = translate(r, addr, &len);
		if (at == NULL)
			return false;
		memcpy(into, at, len);
	}
	return true;
}

static_assert(sizeof(struct vring_desc) == sizeof(struct vring_packed_desc), "of either ring");

/* Append what an indirect table describes. Those of split rings are linked, others are lists. */
static void
table_add(const struct vhost_ring *r, struct vhost_pieces *p, const struct descriptor *table)
{
	const uint32_t entries = table->len / sizeof(struct vring_desc);
	struct vring_desc in;
	struct descriptor d;
	uint32_t at = 0;

	p->bad |= entries == 0 || entries > UINT16_MAX || (table->flags & VRING_DESC_F_NEXT) != 0;
	for (uint32_t n = 0; n < entries && !p->bad; n++) {
		if (at >= entries || !guest_read(r, table->addr + at * sizeof(in), &in, sizeof(in)))
			break;
		d = (struct descriptor){ in.addr, in.len, in.flags, in.next };
		if (r->packed) /* its last two fields are in the other order: id, flags */
			d.flags = in.next;
		if ((d.flags & VRING_DESC_F_INDIRECT) != 0)
			break;
		pieces_add(r, p, &d);
		if (r->packed ? n + 1 == entries : (d.flags & VRING_DESC_F_NEXT) == 0)
			return;
		at = r->packed ? at + 1 : d.link;
	}
	p->bad = true;
}

static bool
is_aligned(const void *part, uintptr_t bytes)
{
	return (uintptr_t)part % bytes == 0;
}

/* Alignments: virtio 1.2, 2.7 and 2.8.10.1. */
bool
vhost_ring_open(struct vhost_ring *r, int vid, uint16_t number, bool packed,
	const struct rte_vhost_memory *memory)
{
	memset(r, 0, sizeof(*r));
	r->packed = packed;
	r->memory = memory;
	if (rte_vhost_get_vhost_vring(vid, number, &r->vring) != 0 || r->vring.size == 0)
		return false;
	if (!packed && !rte_is_power_of_2(r->vring.size))
		return false;
	if (!is_aligned(r->vring.desc, 16) || !is_aligned(r->vring.avail, packed ? 4 : 2) ||
		!is_aligned(r->vring.used, 4))
		r->broken = "a part of it is not aligned";
	return r->vring.desc != NULL && r->vring.avail != NULL && r->vring.used != NULL;
}

void
vhost_ring_from_library(struct vhost_ring *r, int vid, uint16_t number)
{
	uint16_t take = 0, give = 0;

	rte_vhost_get_vring_base(vid, number, &take, &give);
	r->take = (struct vhost_place){ take, false };
	r->give = (struct vhost_place){ give, false };
	if (r->packed) {
		r->take = (struct vhost_place){ take & ~WRAP, (take & WRAP) != 0 };
		r->give = (struct vhost_place){ give & ~WRAP, (give & WRAP) != 0 };
		if (r->take.index >= r->vring.size || r->give.index >= r->vring.size)
			r->broken = "its first descriptor is beyond its end";
	}
	r->out = 0;
}

void
vhost_ring_to_library(const struct vhost_ring *r, int vid, uint16_t number)
{
	const uint16_t take = r->take.index | (r->take.wrap ? WRAP : 0);
	const uint16_t give = r->give.index | (r->give.wrap ? WRAP : 0);

	rte_vhost_set_vring_base(vid, number, take, give);
}

/* Add the chain that begins with a descriptor of the ring, and follow its links. */
static void
chain_add(const struct vhost_ring *r, struct vhost_pieces *p, uint16_t head)
{
	const uint16_t size = (uint16_t)r->vring.size;

	for (uint16_t n = 0, at = head; n < size && at < size && !p->bad; n++) {
		const volatile struct vring_desc *in = &r->vring.desc[at];
		const struct descriptor d = { in->addr, in->len, in->flags, in->next };

		if (unlikely((d.flags & VRING_DESC_F_INDIRECT) != 0)) {
			table_add(r, p, &d);
			return;
		}
		pieces_add(r, p, &d);
		if ((d.flags & VRING_DESC_F_NEXT) == 0)
			return;
		at = d.link;
	}
	p->bad = true;
}

static bool
take_split(struct vhost_ring *r, struct vhost_buffer *b, struct vhost_pieces *p)
{
	const volatile struct vring_avail *avail = r->vring.avail;
	const uint16_t size = (uint16_t)r->vring.size;
	const uint16_t offered = avail->idx - r->take.index;
	uint16_t head;

	if (offered == 0)
		return false;
	atomic_thread_fence(memory_order_acquire); /* pairs with the guest's write of idx */
	head = avail->ring[r->take.index & (size - 1)];
	if (unlikely(offered > size || r->out == size || head >= size)) {
		r->broken = head >= size ? "a buffer begins beyond its end"
					 : "it offers more buffers than it holds";
		return false;
	}
	*b = (struct vhost_buffer){ .id = head, .descriptors = 1 };
	r->take.index++;
	r->out++;
	chain_add(r, p, head);
	return true;
}

static inline void
advance(const struct vhost_ring *r, struct vhost_place *place)
{
	if (++place->index == r->vring.size) {
		place->index = 0;
		place->wrap = !place->wrap;
	}
}

static bool
take_packed(struct vhost_ring *r, struct vhost_buffer *b, struct vhost_pieces *p)
{
	const volatile struct vring_packed_desc *in = &r->vring.desc_packed[r->take.index];
	const struct vhost_taken then = vhost_ring_taken(r);
	struct descriptor d = { .flags = in->flags };

	if (((d.flags & AVAIL) != 0) != r->take.wrap || ((d.flags & USED) != 0) == r->take.wrap)
		return false;
	atomic_thread_fence(memory_order_acquire); /* pairs with the guest's write of flags */
	*b = (struct vhost_buffer){ 0 };
	do {
		if (unlikely(r->out == r->vring.size)) {
			vhost_ring_untake(r, then);
			r->broken = "a buffer has no end, or it offers more than it holds";
			return false;
		}
		in = &r->vring.desc_packed[r->take.index];
		d = (struct descriptor){ in->addr, in->len,
			b->descriptors == 0 ? d.flags : in->flags, 0 };
		b->id = in->id;
		b->descriptors++;
		r->out++;
		advance(r, &r->take);
		if (unlikely((d.flags & VRING_DESC_F_INDIRECT) != 0))
			table_add(r, p, &d);
		else
			pieces_add(r, p, &d);
	} while ((d.flags & VRING_DESC_F_NEXT) != 0);
	return true;
}

bool
vhost_ring_take(struct vhost_ring *r, struct vhost_buffer *b, struct vhost_pieces *p)
{
	if (unlikely(r->broken != NULL))
		return false;
	return r->packed ? take_packed(r, b, p) : take_split(r, b, p);
}

static void
give_packed(struct vhost_ring *r, const struct vhost_buffer *b)
{
	struct vring_packed_desc *out = &r->vring.desc_packed[r->give.index];
	const uint16_t flags = (r->give.wrap ? AVAIL | USED : 0) |
		(b->written > 0 ? VRING_DESC_F_WRITE : 0);

	out->id = b->id;
	out->len = b->written;
	if (r->first == NULL) {
		r->first = out;
		r->first_flags = flags;
	} else {
		atomic_thread_fence(memory_order_release); /* pairs with the guest's read of it */
		((volatile struct vring_packed_desc *)out)->flags = flags;
	}
	for (uint16_t n = 0; n < b->descriptors; n++)
		advance(r, &r->give);
	r->out -= b->descriptors;
}

void
vhost_ring_give(struct vhost_ring *r, const struct vhost_buffer *b)
{
	if (r->packed) {
		give_packed(r, b);
		return;
	}
	r->vring.used->ring[r->give.index & (r->vring.size - 1)] =
		(struct vring_used_elem){ .id = b->id, .len = b->written };
	r->give.index++;
	r->out--;
}

void
vhost_ring_publish(struct vhost_ring *r)
{
	/* Pairs with the guest's read of the index, or of the first descriptor's flags. */
	atomic_thread_fence(memory_order_release);
	if (!r->packed) {
		((volatile struct vring_used *)r->vring.used)->idx = r->give.index;
		return;
	}
	if (r->first != NULL)
		((volatile struct vring_packed_desc *)r->first)->flags = r->first_flags;
	r->first = NULL;
}
