/* Virtio's rings as the device reads and writes them. Source: Virtual I/O Device (VIRTIO) 1.1, 2.6
 * to 2.8, 5.1.6. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/vhost/vring_read.h"
#include "pmd_shims/drivers/model_nic/model_life.h"

#include <linux/virtio_config.h>
#include <linux/virtio_net.h>
#include <string.h>
#include <unistd.h>

/* Newer than some kernel headers. */
enum { FEATURE_PACKED = 34, FEATURE_IN_ORDER = 35 };

enum { HEADER_BUFFERS = 10, FRAME_LONGEST = 1518 };

/*
 * Without indirect descriptors: packets of several pieces take several places in the ring. DPDK's
 * vhost has the others.
 */
const uint64_t vring_features = UINT64_C(1) << VIRTIO_F_VERSION_1 | UINT64_C(1) << FEATURE_PACKED |
	UINT64_C(1) << FEATURE_IN_ORDER | UINT64_C(1) << VIRTIO_NET_F_MRG_RXBUF;

/* Whether the driver has told that the ring is ready. */
static bool
kicked(struct vring_side *s)
{
	uint64_t times;

	if (s->kick >= 0 && read(s->kick, &times, sizeof(times)) == sizeof(times)) {
		close(s->kick);
		s->kick = -1;
	}
	return s->kick < 0;
}

static uint16_t
rx_peek(struct model *m, struct ring *r, struct frame *f, uint16_t max)
{
	struct vring_side *s = side_of(r);
	uint32_t there;
	uint16_t descs;

	if (!kicked(s))
		return 0;
	tail_look(s, r->head);
	there = distance(s, r->head, s->tail);
	if (there > max)
		there = max;
	for (uint32_t i = 0; i < there; i++) {
		struct piece p[SEGMENTS_MAX];

		pieces(s, next(s, r->head, i), p, &descs);
		header_skip(p, 1);
		f[i] = (struct frame){ .data = p[0].data, .len = p[0].len };
	}
	return (uint16_t)there;
}

/* Of one buffer or packet, or of all up to the one with that name. */
static void
packed_use(const struct vring_side *s, uint32_t position, uint16_t name, uint32_t len)
{
	struct vring_packed_desc *d =
		(struct vring_packed_desc *)s->place.desc + entry(s, position);

	d->id = name;
	d->len = len;
	atomic_thread_fence(memory_order_release);
	((volatile struct vring_packed_desc *)d)->flags =
		(uint16_t)((s->rx ? VRING_DESC_F_WRITE : 0) |
			(wrap(s, position) ? PACKED_AVAIL | PACKED_USED : 0));
}

static void
split_use(const struct vring_side *s, uint32_t position, uint32_t len)
{
	volatile struct vring_used *used = s->place.device;

	used->ring[entry(s, position)].id = split_first(s, position);
	used->ring[entry(s, position)].len = len;
}

/* All before position are used. */
static void
split_publish(const struct vring_side *s, uint32_t n)
{
	volatile struct vring_used *used = s->place.device;

	atomic_thread_fence(memory_order_release);
	used->idx = (uint16_t)(used->idx + n);
}

static void
rx_give(struct model *m, struct ring *r, const struct frame *f, uint16_t n)
{
	struct vring_side *s = side_of(r);
	const struct vring_packed_desc *table = s->place.desc;

	for (uint16_t i = 0; i < n; i++) {
		uint32_t position = next(s, r->head, i);

		memset(f[i].data - HEADER, 0, HEADER);
		f[i].data[HEADER_BUFFERS - HEADER] = 1;
		if (s->packed)
			packed_use(s, position, table[entry(s, position)].id, f[i].len + HEADER);
		else
			split_use(s, position, f[i].len + HEADER);
		r->packets += f[i].flags & FRAME_EOP;
		r->bytes += f[i].len;
	}
	if (!s->packed)
		split_publish(s, n);
	r->head = (uint16_t)next(s, r->head, n);
}

static uint16_t
tx_take(struct model *m, struct ring *r, struct frame *f, uint16_t max, uint16_t *descs)
{
	struct vring_side *s = side_of(r);
	uint32_t position = r->head;
	uint16_t frames = 0;

	*descs = 0;
	if (!kicked(s))
		return 0;
	tail_look(s, r->head);
	while (position != s->tail && frames + SEGMENTS_MAX <= max) {
		struct piece p[SEGMENTS_MAX];
		uint16_t took;
		unsigned n = pieces(s, position, p, &took);

		if (n == 0)
			break;
		header_skip(p, n);
		for (unsigned i = 0; i < n; i++)
			if (p[i].len > 0)
				f[frames++] = (struct frame){ .data = p[i].data, .len = p[i].len };
		if (frames > 0)
			f[frames - 1].flags = FRAME_EOP;
		*descs = (uint16_t)(*descs + took);
		position = next(s, position, took);
	}
	return frames;
}

/* The name of the packet that begins there: its last descriptor has it. */
static uint16_t
packed_name(const struct vring_side *s, uint32_t position, uint16_t descs)
{
	const struct vring_packed_desc *table = s->place.desc;

	return table[entry(s, next(s, position, descs - 1u))].id;
}

static void
tx_done(struct model *m, struct ring *r, uint16_t descs)
{
	struct vring_side *s = side_of(r);
	uint32_t position = r->head, end = next(s, position, descs);
	uint16_t name = 0, took;
	struct piece p[SEGMENTS_MAX];

	for (; position != end; position = next(s, position, took)) {
		unsigned n = pieces(s, position, p, &took);

		for (unsigned i = 0; i < n; i++)
			r->bytes += p[i].len;
		r->bytes -= HEADER;
		r->packets++;
		if (!s->packed) {
			split_use(s, position, 0);
			continue;
		}
		name = packed_name(s, position, took);
		if (!s->in_order)
			packed_use(s, position, name, 0);
	}
	/* In order, one mark stands for all: DPDK's vhost does it so. */
	if (s->packed && s->in_order && descs > 0)
		packed_use(s, r->head, name, 0);
	if (!s->packed)
		split_publish(s, descs);
	r->head = (uint16_t)end;
}

static uint8_t *
buffer(const struct ring *r, uint16_t i, bool rx)
{
	const struct vring_side *s = side_of(r);
	const struct vring_packed_desc *table = s->place.desc;
	struct piece p[SEGMENTS_MAX];
	uint16_t descs;
	unsigned n;

	/* The rest of a packet: its first descriptor told. */
	if (s->packed && !rx &&
		(table[entry(s, next(s, i, 2u * s->place.size - 1))].flags & VRING_DESC_F_NEXT) !=
			0)
		return NULL;
	n = pieces(s, i, p, &descs);
	header_skip(p, n);
	for (unsigned k = 0; k < n; k++)
		if (p[k].len > 0)
			return p[k].data;
	return NULL;
}

bool
vring_enable(struct model *m, unsigned index, const struct vring_place *place, int kick)
{
	struct vnic *v = m->state;
	struct vring_side *s = &v->side[index];
	struct ring *r = index == VRING_RX ? &m->rx[0] : &m->tx[0];

	vring_disable(m, index);
	*s = (struct vring_side){ .place = *place,
		.packed = (v->features >> FEATURE_PACKED & 1) != 0,
		.in_order = (v->features >> FEATURE_IN_ORDER & 1) != 0,
		.rx = index == VRING_RX,
		.kick = kick };
	if (place->size == 0 || place->size > INT16_MAX || place->desc == NULL ||
		place->driver == NULL || place->device == NULL ||
		(!s->packed && (place->size & (place->size - 1)) != 0))
		return false;
	/* We look by ourselves, all the time. */
	if (s->packed)
		((struct vring_packed_desc_event *)place->device)->flags =
			VRING_PACKED_EVENT_FLAG_DISABLE;
	else
		((struct vring_used *)place->device)->flags = VRING_USED_F_NO_NOTIFY;
	*r = (struct ring){ .size = (uint16_t)(2 * place->size),
		.desc_size = sizeof(struct vring_desc),
		.desc = place->desc,
		.tail = &s->tail,
		.buf_len = FRAME_LONGEST };
	model_ring_enable(m, r);
	return true;
}

void
vring_disable(struct model *m, unsigned index)
{
	struct vring_side *s = &((struct vnic *)m->state)->side[index];

	model_ring_disable(m, index == VRING_RX ? &m->rx[0] : &m->tx[0]);
	if (s->place.size != 0 && s->kick >= 0)
		close(s->kick);
	s->kick = -1;
}

static void
reset(struct model *m)
{
	atomic_store(&m->frame_max, FRAME_LONGEST);
}

static uint16_t
rss(struct model *m, const uint8_t *pkt, uint32_t len, uint32_t *hash)
{
	*hash = 0;
	return 0;
}

const struct model_family model_virtio = { .name = "virtio",
	.text = "virtio network device (vhost-user)",
	.bar_len = 4096,
	.state_size = sizeof(struct vnic),
	.queues_max = 1,
	.reset = reset,
	.rss = rss,
	.wait_told = vhost_wait_told,
	.rx_peek = rx_peek,
	.rx_give = rx_give,
	.tx_take = tx_take,
	.tx_done = tx_done,
	.buffer = buffer };

const struct model_family *const model_families[] = { &model_virtio, NULL };
