/* Receive and transmit without mbufs on queues of net_virtio, split and packed. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Only the driver can notify its backend. While a backend needs notifications about free buffers, or
 * is disconnected, the driver's own functions forward (direct_ready). A backend may begin to need
 * notifications about packets at any time: it sets its flag, checks for packets once more, then
 * sleeps. So it may miss packets that are published right after that check, and no later packet may
 * come.
 *
 * Therefore the last packet of a burst is held back until the next call. If no packet follows, or the
 * backend's flag is set, the driver's transmit function sends it, and notifies the backend about all
 * packets if that is needed. So a backend such as QEMU, which needs notifications most of the time,
 * gets one per burst. virtio_rx.h describes how free buffers are published.
 */
#include "pmd_shims/direct/direct_virtio.h"

#include "base/base.h"
#include "base/err.h"
#include "pmd_shims/direct/direct_proof.h"
#include "pmd_shims/direct/direct_rearm.h"
#include "pmd_shims/recycle/virtio/virtio.h"
#include "pmd_shims/recycle/virtio/virtio_rx.h"
#include "pmd_shims/recycle/virtio/virtio_tx.h"

#include <rte_common.h>
#include <rte_mempool.h>

#include <errno.h>
#include <linux/virtio_config.h>
#include <string.h>

/* Value of a split ring's entry.next, which the driver does not use: direct sent the packet. */
enum { KNOWN = 1 };

/* Feature of a backend older than VIRTIO_F_VERSION_1: a header may be in one buffer with its packet. */
enum { FEATURE_ANY_LAYOUT = 27 };

static __rte_always_inline uint16_t
header_bytes(const void *vq, const struct virtio_layout *l)
{
	return shim_u16(shim_pointer(vq, l->hw), l->header);
}

/* Address of a byte as descriptors have it, minus its address. */
static __rte_always_inline uint64_t
distance(const struct direct *d, const void *vq, const struct virtio_layout *l)
{
	return shim_u16(vq, l->address) == offsetof(struct rte_mbuf, buf_iova) ? d->iova : 0;
}

/* Length of the longest packet that a buffer can hold. */
static __rte_always_inline uint32_t
longest(const struct direct *d)
{
	return rte_pktmbuf_data_room_size(d->from.pool) - RTE_PKTMBUF_HEADROOM;
}

/* Add to the driver's counts of a queue, which are in software: packets, then bytes. */
static __rte_always_inline void
count_add(void *vq, uint16_t at, uint64_t packets, uint64_t bytes)
{
	uint64_t *counts = shim_at(vq, at);

	counts[0] += packets;
	counts[1] += bytes;
}

/* What holds for a queue's positions between two calls. Those of a split ring wrap freely. */
static bool
queue_valid(const void *vq, const struct virtio_layout *l, bool packed)
{
	const uint16_t size = shim_u16(vq, l->size);

	return shim_u16(vq, l->open) <= size &&
		(!packed || (shim_u16(vq, l->avail_next) < size && virtio_place(vq, l).at < size));
}

/* Mbuf i of d->sent. stride: constant. */
static __rte_always_inline struct rte_mbuf *
sent_mbuf(const struct direct *d, size_t i, size_t stride)
{
	return *(struct rte_mbuf *const *)(const void *)((const char *)d->sent.first + i * stride);
}

/* A direct_arm. stride: constant, of the sent mbufs. */
static __rte_always_inline void
arm_split(struct direct *d, const struct virtio_layout *l, size_t stride)
{
	void *vq = virtio_queue(d->from.rxq, l);
	const uint16_t mask = shim_u16(vq, l->size) - 1, header = header_bytes(vq, l);
	const uint64_t address = d->data_at - header + distance(d, vq, l);
	const uint32_t length = longest(d) + header;

	for (uint16_t at = 0; at < d->sent.n; at += VIRTIO_BATCH) {
		const uint16_t start = shim_u16(vq, l->avail_next) & mask;
		struct rte_mbuf **slot = (struct rte_mbuf **)shim_pointer(vq, l->slots) + start;
		struct vring_desc *desc = (struct vring_desc *)shim_pointer(vq, l->desc) + start;

		for (uint16_t i = 0; i < VIRTIO_BATCH; i++) {
			slot[i] = sent_mbuf(d, at + i, stride);
			desc[i].addr = (uintptr_t)slot[i] + address;
			desc[i].len = length;
		}
		virtio_armed_split(vq, l);
	}
}

/* Arm a batch: d->sent from mbuf first on. wraps: as virtio_armed_packed(). */
static __rte_always_inline void
arm_packed_at(struct direct *d, const struct virtio_layout *l, size_t stride, uint16_t first,
	bool wraps)
{
	void *vq = virtio_queue(d->from.rxq, l);
	const uint16_t size = shim_u16(vq, l->size), header = header_bytes(vq, l);
	const uint64_t address = d->data_at - header + distance(d, vq, l);
	const uint32_t length = longest(d) + header;
	struct virtio_entry *entries = shim_at(vq, l->entries);
	struct vring_packed_desc *desc = shim_pointer(vq, l->desc);
	uint16_t at = shim_u16(vq, l->avail_next);

	for (uint16_t i = 0; i < VIRTIO_BATCH; i++) {
		entries[at].mbuf = sent_mbuf(d, first + i, stride);
		desc[at].addr = (uintptr_t)entries[at].mbuf + address;
		desc[at].len = length;
		at = wraps && at + 1 == size ? 0 : at + 1;
	}
	virtio_armed_packed(vq, l, 0, wraps);
}

/* A direct_arm. */
static __rte_always_inline void
arm_packed(struct direct *d, const struct virtio_layout *l, size_t stride)
{
	const void *vq = virtio_queue(d->from.rxq, l);

	for (uint16_t at = 0; at < d->sent.n; at += VIRTIO_BATCH)
		if (likely(shim_u16(vq, l->avail_next) + VIRTIO_BATCH < shim_u16(vq, l->size)))
			arm_packed_at(d, l, stride, at, false);
		else
			arm_packed_at(d, l, stride, at, true);
}

/* What was received in one call. */
struct received {
	uint64_t bytes;
	uint16_t n;
	bool any_bad;
};

static __rte_always_inline void
received_add(struct received *r, struct direct_pkt *pkts, const struct rte_mbuf *m, uint32_t length,
	uintptr_t data_at, uint32_t most)
{
	pkts[r->n++] = (struct direct_pkt){ (uint8_t *)(uintptr_t)m + data_at, length };
	r->bytes += length;
	/* Of no bytes, or longer than the buffer. */
	r->any_bad |= length - 1 >= most;
}

static __rte_always_inline uint16_t
received_end(struct direct *d, void *vq, const struct virtio_layout *l, const struct received *r)
{
	shim_u16_set(vq, l->open, shim_u16(vq, l->open) + r->n);
	count_add(vq, l->rx_stats, r->n, r->bytes);
	d->any_bad = r->any_bad;
	return r->n;
}

/* Receive what the backend has used, at most max and what can be sent. */
static __rte_always_inline uint16_t
take_split(struct direct *d, struct direct_pkt *pkts, uint16_t max, const struct virtio_layout *l)
{
	void *vq = virtio_queue(d->from.rxq, l);
	const volatile struct vring_used *used = shim_pointer(vq, l->used);
	struct rte_mbuf *const *slots = shim_pointer(vq, l->slots);
	const uint16_t mask = shim_u16(vq, l->size) - 1, first = shim_u16(vq, l->used_next),
		       header = header_bytes(vq, l), done = used->idx - first;
	const uint32_t most = longest(d);
	struct received r = { 0 };

	HOT_ASSERT(queue_valid(vq, l, false) && done <= shim_u16(vq, l->size));
	max = RTE_MIN(max, d->room);
	max = RTE_MIN(max, done);
	if (max == 0 || !virtio_started(vq, l))
		return 0;
	rte_io_rmb();
	while (r.n < max) {
		const uint16_t at = (first + r.n) & mask;

		received_add(&r, pkts, slots[at], used->ring[at].len - header, d->data_at, most);
	}
	shim_u16_set(vq, l->used_next, first + r.n);
	return received_end(d, vq, l, &r);
}

/*
 * As take_split(). Entries of received packets are emptied: the driver frees what is in entries when
 * it sets up the ring again.
 */
static __rte_always_inline uint16_t
take_packed(struct direct *d, struct direct_pkt *pkts, uint16_t max, const struct virtio_layout *l)
{
	void *vq = virtio_queue(d->from.rxq, l);
	const struct vring_packed_desc *desc = shim_pointer(vq, l->desc);
	struct virtio_entry *entries = shim_at(vq, l->entries);
	const uint16_t size = shim_u16(vq, l->size), header = header_bytes(vq, l);
	const uint32_t most = longest(d);
	struct virtio_place place = virtio_place(vq, l);
	struct received r = { 0 };

	HOT_ASSERT(queue_valid(vq, l, true));
	max = RTE_MIN(max, d->room);
	if (!virtio_started(vq, l))
		max = 0;
	while (r.n < max && virtio_used_at(desc, place)) {
		received_add(&r, pkts, entries[place.at].mbuf, desc[place.at].len - header,
			d->data_at, most);
		entries[place.at].mbuf = NULL;
		virtio_place_move(&place, 1, size);
	}
	if (r.n == 0)
		return 0;
	virtio_place_set(vq, l, place);
	return received_end(d, vq, l, &r);
}

/* A direct_sort. */
static uint16_t
drop_bad(struct direct *d, struct direct_pkt *pkts, uint16_t n)
{
	uint16_t kept = 0;

	for (uint16_t i = 0; i < n; i++)
		if ((uint32_t)pkts[i].length - 1 >= longest(d))
			rte_mempool_put(d->from.pool, pkts[i].data - d->data_at);
		else
			pkts[kept++] = pkts[i];
	return kept;
}

/*
 * Clear the header in front of a packet, 8 to 16 bytes, unless it is zero: the backend of the Rx queue
 * may have written there. All packets are sent without offloads.
 */
static __rte_always_inline void
header_clear(uint8_t *data, uint16_t bytes)
{
	uint64_t first, last;

	memcpy(&first, data - bytes, sizeof(first));
	memcpy(&last, data - sizeof(last), sizeof(last));
	if ((first | last) == 0)
		return;
	memset(data - bytes, 0, sizeof(first));
	memset(data - sizeof(last), 0, sizeof(last));
}

/* Packets that can be sent: one descriptor is reserved for the packet that is held back. */
static __rte_always_inline uint16_t
room_of(const void *vq, const struct virtio_layout *l)
{
	const uint16_t open = shim_u16(vq, l->open);

	return open > 0 ? open - 1 : 0;
}

/* A Tx ring while packets are written to it. */
struct writer {
	void *vq;
	void *desc;
	struct virtio_entry *entries;
	struct vring_avail *avail;
	uint64_t distance, bytes;
	uintptr_t data_at;
	uint16_t size, header;
	uint16_t head;  /* split: the next descriptor */
	uint16_t next;  /* position in the available ring; packed: the next descriptor */
	uint16_t flags; /* packed: of the next descriptor */
	uint16_t n;     /* packets written */
};

static __rte_always_inline struct writer
writer_begin(const struct direct *d, const struct virtio_layout *l)
{
	void *vq = virtio_queue(d->to.txq, l);

	return (struct writer){ .vq = vq,
		.desc = shim_pointer(vq, l->desc),
		.entries = shim_at(vq, l->entries),
		.avail = shim_pointer(vq, l->avail),
		.distance = distance(d, vq, l),
		.data_at = d->data_at,
		.size = shim_u16(vq, l->size),
		.header = header_bytes(vq, l),
		.head = shim_u16(vq, l->head),
		.next = shim_u16(vq, l->avail_next),
		.flags = shim_u16(vq, l->flags) };
}

/* Functions of the kinds of Tx rings; constants of the functions below. */
enum kind { SPLIT, SPLIT_IN_ORDER, PACKED };

/*
 * Packets of in-order rings have their entry at the position in the available ring, others at that of
 * their descriptor.
 */
static __rte_always_inline void
write_split(struct writer *w, const struct direct_pkt *p, bool in_order)
{
	const uint16_t mask = w->size - 1, at = w->next & mask,
		       id = in_order ? w->head & mask : w->head;
	struct virtio_entry *entry = &w->entries[in_order ? at : id];
	struct vring_desc *desc = (struct vring_desc *)w->desc + id;

	header_clear(p->data, w->header);
	entry->mbuf = (struct rte_mbuf *)(void *)(p->data - w->data_at);
	entry->n_desc = 1;
	if (!in_order)
		entry->next = KNOWN;
	desc->addr = (uintptr_t)p->data - w->header + w->distance;
	desc->len = p->length + w->header;
	desc->flags = 0;
	/* Usually the element has that number already, and the backend keeps its cache line. */
	if (w->avail->ring[at] != id)
		w->avail->ring[at] = id;
	w->head = in_order ? (id + 1) & mask : desc->next;
	w->next++;
	w->bytes += p->length;
	w->n++;
}

/* The first descriptor's flags are left to written(). */
static __rte_always_inline void
write_packed(struct writer *w, const struct direct_pkt *p)
{
	struct virtio_entry *entry = &w->entries[w->next];
	struct vring_packed_desc *desc = (struct vring_packed_desc *)w->desc + w->next;

	header_clear(p->data, w->header);
	entry->mbuf = (struct rte_mbuf *)(void *)(p->data - w->data_at);
	entry->n_desc = 1;
	desc->addr = (uintptr_t)p->data - w->header + w->distance;
	desc->len = p->length + w->header;
	desc->id = w->next;
	if (w->n > 0)
		((volatile struct vring_packed_desc *)desc)->flags = w->flags;
	if (++w->next == w->size) {
		w->next = 0;
		w->flags ^= 1 << VRING_PACKED_DESC_F_AVAIL | 1 << VRING_PACKED_DESC_F_USED;
	}
	w->bytes += p->length;
	w->n++;
}

/* Publish what was written, at least one packet. */
static __rte_always_inline void
written(struct direct *d, const struct writer *w, const struct virtio_layout *l, enum kind kind)
{
	void *vq = w->vq;

	rte_io_wmb();
	if (kind == PACKED) {
		volatile struct vring_packed_desc *first = w->desc;

		first[shim_u16(vq, l->avail_next)].flags = shim_u16(vq, l->flags);
		shim_u16_set(vq, l->flags, w->flags);
	} else {
		((volatile struct vring_avail *)w->avail)->idx = w->next;
		/* The chain of free descriptors does not end here: one is reserved. */
		shim_u16_set(vq, l->head, w->head);
	}
	shim_u16_set(vq, l->avail_next, w->next);
	shim_u16_set(vq, l->open, shim_u16(vq, l->open) - w->n);
	count_add(vq, l->tx_stats, w->n, w->bytes);
	d->room = room_of(vq, l);
}

/* A direct_tx. */
static __rte_always_inline void
transmit(struct direct *d, const struct direct_pkt *pkts, uint16_t n, const struct virtio_layout *l,
	enum kind kind)
{
	struct writer w;

	if (unlikely(n == 0))
		return;
	w = writer_begin(d, l);
	HOT_ASSERT(queue_valid(w.vq, l, kind == PACKED));
	if (d->held.data != NULL) {
		if (kind == PACKED)
			write_packed(&w, &d->held);
		else
			write_split(&w, &d->held, kind == SPLIT_IN_ORDER);
	}
	for (uint16_t i = 0; i < n - 1; i++)
		if (kind == PACKED)
			write_packed(&w, &pkts[i]);
		else
			write_split(&w, &pkts[i], kind == SPLIT_IN_ORDER);
	d->held = pkts[n - 1];
	if (w.n > 0)
		written(d, &w, l, kind);
}

/* Number of packets in a split ring that direct did not send. */
static uint16_t
split_unknown(const void *vq, const struct virtio_layout *l)
{
	const struct virtio_entry *entries = shim_at(vq, l->entries);
	const uint16_t size = shim_u16(vq, l->size);
	uint16_t n = 0;

	for (uint16_t i = 0; i < size; i++)
		n += entries[i].mbuf != NULL && entries[i].next != KNOWN;
	return n;
}

/* A direct_tx_ops.flush: the driver sends the packet, and notifies the backend if that is needed. */
static __rte_always_inline void
flush(struct direct *d, const struct virtio_layout *l, enum kind kind)
{
	struct rte_mbuf *m = (struct rte_mbuf *)(void *)(d->held.data - d->data_at);
	void *vq = virtio_queue(d->to.txq, l);
	struct virtio_entry *entry;
	uint16_t used_next;

	/* The port is closed. */
	if (!direct_stands(d)) {
		rte_pktmbuf_free(m);
		d->held.data = NULL;
		return;
	}
	/* The driver does not clear all of it. */
	header_clear(d->held.data, header_bytes(vq, l));
	m->data_off = RTE_PKTMBUF_HEADROOM;
	m->ol_flags = 0;
	m->pkt_len = (uint32_t)d->held.length;
	m->data_len = (uint16_t)d->held.length;
	d->held.data = NULL;
	entry = (struct virtio_entry *)shim_at(vq, l->entries) +
		shim_u16(vq, l->head) % shim_u16(vq, l->size);
	used_next = shim_u16(vq, l->used_next);
	/* Not through ethdev: callbacks may make other references to the mbuf. */
	if (d->to.burst(d->to.txq, &m, 1) != 1)
		rte_pktmbuf_free(m);
	else if (kind == SPLIT && entry->mbuf == m)
		entry->next = KNOWN;
	/* The driver has freed sent mbufs. */
	if (kind == SPLIT && unlikely(d->unknown > 0 && used_next != shim_u16(vq, l->used_next)))
		d->unknown = split_unknown(vq, l);
	d->room = room_of(vq, l);
}

/*
 * Number of those packets among the next batch of used ones of a split ring that direct sent. They may
 * be used in any order.
 */
static uint16_t
split_known(const void *vq, const struct virtio_layout *l)
{
	const volatile struct vring_used *used = shim_pointer(vq, l->used);
	const struct virtio_entry *entries = shim_at(vq, l->entries);
	const uint16_t mask = shim_u16(vq, l->size) - 1, first = shim_u16(vq, l->used_next);
	uint16_t n = 0;

	rte_io_rmb();
	for (uint16_t i = 0; i < VIRTIO_BATCH; i++)
		n += entries[used->ring[(first + i) & mask].id & mask].next == KNOWN;
	return n;
}

/* A direct_take. */
static __rte_always_inline uint16_t
take_sent(struct direct *d, const struct virtio_layout *l, enum kind kind)
{
	const void *vq = virtio_queue(d->to.txq, l);
	uint16_t known = 0;

	if (kind == SPLIT) {
		/* direct_free() will lower d->unknown by the whole batch. */
		if (unlikely(d->unknown > 0) && virtio_split_ready(vq, l))
			known = split_known(vq, l);
		d->sent = virtio_sent_split(&d->to, l);
		d->unknown += known;
	} else if (kind == SPLIT_IN_ORDER) {
		d->sent = virtio_sent_split_in_order(&d->to, l);
	} else {
		d->sent = virtio_sent_packed(&d->to, l);
	}
	d->room = room_of(vq, l);
	return d->sent.n;
}

/* A direct_tx_ops.begin. */
static __rte_always_inline void
begin(struct direct *d, const struct virtio_layout *l, enum kind kind)
{
	void *vq = virtio_queue(d->to.txq, l);
	struct virtio_entry *entries = shim_at(vq, l->entries);

	if (kind == SPLIT) {
		for (uint16_t i = 0; i < shim_u16(vq, l->size); i++)
			entries[i].next = 0;
		d->unknown = split_unknown(vq, l);
	} else {
		/* Packets leave these rings in the order of sending, so it may be too large. */
		d->unknown = d->to.ops->held(&d->to);
	}
	d->room = room_of(vq, l);
}

/* A direct_check. */
static int
tx_check(struct direct *d, struct err *e)
{
	const struct virtio_layout *l = d->to.layout;
	const void *vq = virtio_queue(d->to.txq, l);
	const uint16_t size = shim_u16(vq, l->size), open = shim_u16(vq, l->open),
		       under_way = (uint16_t)(size + shim_u16(vq, l->avail_next) -
					   shim_u16(vq, l->used_next)) %
		size,
		       descs = open + under_way > 0 ? open + under_way : size;

	if (!virtio_feature(vq, l, VIRTIO_F_VERSION_1) &&
		!virtio_feature(vq, l, FEATURE_ANY_LAYOUT))
		return err_set(e, ENOTSUP,
			"port %u: its backend expects the virtio header in a buffer of its own",
			d->to.port);
	if (l->tx_stats == SHIM_NONE)
		return err_set(e, ENOTSUP,
			"port %u: %s has no offset of the counts of transmit queues", d->to.port,
			d->to.laid.as);
	if (d->batch > VIRTIO_BATCH)
		return err_set(e, ENOTSUP,
			"port %u sends in batches of %u, and port %u receives in batches of %u: expected one of %u",
			d->to.port, VIRTIO_BATCH, d->from.port, d->batch, VIRTIO_BATCH);
	if (descs < 2 * VIRTIO_BATCH)
		return err_set(e, ENOTSUP, "port %u: %u transmit descriptors: expected at least %u",
			d->to.port, descs, 2 * VIRTIO_BATCH);
	return 0;
}

/* Returns the driver's count of a queue's packets. */
static uint64_t
counted(const void *vq, uint16_t at)
{
	uint64_t packets;

	memcpy(&packets, shim_at(vq, at), sizeof(packets));
	return packets;
}

/* Positions in a ring: those of split ones wrap freely. */
static uint64_t
positions(const void *vq, const struct virtio_layout *l, bool packed)
{
	return packed ? shim_u16(vq, l->size) : UINT64_C(1) << 16;
}

/* A direct_check. */
static int
rx_check(struct direct *d, struct err *e)
{
	const struct virtio_layout *l = d->from.layout;

	if (l->rx_stats != SHIM_NONE)
		return 0;
	return err_set(e, ENOTSUP, "port %u: %s has no offset of the counts of receive queues",
		d->from.port, d->from.laid.as);
}

static enum shim_proof
rx_prove(struct direct *d, bool packed)
{
	const struct virtio_layout *l = d->from.layout;
	const void *vq = virtio_queue(d->from.rxq, l);

	return direct_counted_alike(&d->proof.rx, counted(vq, l->rx_stats),
		       shim_u16(vq, l->used_next), positions(vq, l, packed))
		? SHIM_AGREED
		: SHIM_NOTHING_NEW;
}

static enum shim_proof
tx_prove(struct direct *d, bool packed)
{
	const struct virtio_layout *l = d->to.layout;
	const void *vq = virtio_queue(d->to.txq, l);

	return direct_counted_alike(&d->proof.tx, counted(vq, l->tx_stats),
		       shim_u16(vq, l->avail_next), positions(vq, l, packed))
		? SHIM_AGREED
		: SHIM_NOTHING_NEW;
}

/*
 * The functions of a kind of Rx rings. l: the layout, whose offsets are constants if it is that of the
 * release at compile time, built; NULL: any.
 */
#define RX_OPS(way, kind, is_packed, l, built) \
	static bool rx_ready_##way##kind(const struct direct *d) \
	{ \
		const void *vq = virtio_queue(d->from.rxq, l); \
\
		return virtio_started(vq, l) && virtio_polled(vq, l, is_packed); \
	} \
	static enum shim_proof rx_prove_##way##kind(struct direct *d) \
	{ \
		return rx_prove(d, is_packed); \
	} \
	static uint16_t open_##way##kind(const struct direct *d) \
	{ \
		return virtio_room(&d->from, l, is_packed, 0); \
	} \
	static void rearm_##way##kind(struct direct *d) \
	{ \
		if (d->sent.stride == 8) \
			arm_##kind(d, l, 8); \
		else \
			arm_##kind(d, l, 16); \
	} \
	static uint16_t receive_##way##kind(struct direct *d, struct direct_pkt *pkts, \
		uint16_t max) \
	{ \
		direct_rearm(d, open_##way##kind, rearm_##way##kind); \
		return take_##kind(d, pkts, max, l); \
	} \
	const struct direct_rx_ops direct_rx_##way##virtio_##kind = { .driver = "net_virtio_user", \
		.also = "net_virtio", \
		.shim = &virtio_##kind##_rx_ops, \
		.check = rx_check, \
		.ready = rx_ready_##way##kind, \
		.prove = rx_prove_##way##kind, \
		.receive = receive_##way##kind, \
		.drop_bad = drop_bad, \
		.open = open_##way##kind, \
		.layout = built, \
		.layout_bytes = sizeof(struct virtio_layout) }

/* The functions of a kind of Tx rings. */
#define TX_OPS(way, name, kind, l, built) \
	static bool tx_ready_##way##name(const struct direct *d) \
	{ \
		return virtio_started(virtio_queue(d->to.txq, l), l); \
	} \
	static enum shim_proof tx_prove_##way##name(struct direct *d) \
	{ \
		return tx_prove(d, (kind) == PACKED); \
	} \
	static void send_##way##name(struct direct *d, const struct direct_pkt *pkts, uint16_t n) \
	{ \
		transmit(d, pkts, n, l, kind); \
		if (d->held.data != NULL && \
			unlikely(!virtio_polled(virtio_queue(d->to.txq, l), l, (kind) == PACKED))) \
			d->tx_ops->flush(d); \
	} \
	static uint16_t sent_##way##name(struct direct *d, uint16_t max) \
	{ \
		return take_sent(d, l, kind); \
	} \
	static void begin_##way##name(struct direct *d) \
	{ \
		begin(d, l, kind); \
	} \
	static void flush_##way##name(struct direct *d) \
	{ \
		flush(d, l, kind); \
	} \
	const struct direct_tx_ops direct_tx_##way##virtio_##name = { .driver = "net_virtio_user", \
		.also = "net_virtio", \
		.shim = &virtio_##name##_tx_ops, \
		.check = tx_check, \
		.prove = tx_prove_##way##name, \
		.ready = tx_ready_##way##name, \
		.send = send_##way##name, \
		.take = sent_##way##name, \
		.begin = begin_##way##name, \
		.flush = flush_##way##name, \
		.layout = built, \
		.layout_bytes = sizeof(struct virtio_layout) }

#define RX_BOUND ((const struct virtio_layout *)d->from.layout)
#define TX_BOUND ((const struct virtio_layout *)d->to.layout)

RX_OPS(, split, false, VIRTIO_BUILT, VIRTIO_BUILT);
RX_OPS(, packed, true, VIRTIO_BUILT, VIRTIO_BUILT);
RX_OPS(any_, split, false, RX_BOUND, NULL);
RX_OPS(any_, packed, true, RX_BOUND, NULL);
TX_OPS(, split, SPLIT, VIRTIO_BUILT, VIRTIO_BUILT);
TX_OPS(, split_in_order, SPLIT_IN_ORDER, VIRTIO_BUILT, VIRTIO_BUILT);
TX_OPS(, packed, PACKED, VIRTIO_BUILT, VIRTIO_BUILT);
TX_OPS(any_, split, SPLIT, TX_BOUND, NULL);
TX_OPS(any_, split_in_order, SPLIT_IN_ORDER, TX_BOUND, NULL);
TX_OPS(any_, packed, PACKED, TX_BOUND, NULL);
