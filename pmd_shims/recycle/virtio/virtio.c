/* Recycling for net_virtio: the vector receive functions of split and packed rings; all transmit
 * functions except that of packed rings without in-order. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/virtio/virtio.h"

#include "pmd_shims/recycle/virtio/virtio_queue.h"
#include "pmd_shims/recycle/virtio/virtio_rx.h"
#include "pmd_shims/recycle/virtio/virtio_tx.h"

#include <rte_ethdev.h>
#include <rte_mempool.h>

#include <errno.h>
#include <linux/virtio_config.h>
#include <linux/virtio_net.h>
#include <stdio.h>
#include <string.h>

/* Feature bits that some kernel headers lack. */
enum { FEATURE_PACKED = 34, FEATURE_IN_ORDER = 35 };

/* Slots that the vector function of split rings reads before it knows how many are received. */
enum { LOOKS_AHEAD = 8 };

static const char *const fields[] = { VIRTIO_FIELDS(SHIM_FIELD_NAME) };
static const uint8_t bytes[] = { VIRTIO_FIELDS(SHIM_FIELD_BYTES) };
static const struct shim_table table = { "virtio", virtio_layouts, RTE_DIM(virtio_layouts),
	sizeof(virtio_layouts[0]), fields, bytes, RTE_DIM(fields) };

static uint16_t
room_split(const struct shim_rx *rx, uint16_t shut)
{
	return virtio_room(rx, rx->layout, false, shut);
}

static uint16_t
room_packed(const struct shim_rx *rx, uint16_t shut)
{
	return virtio_room(rx, rx->layout, true, shut);
}

static bool
arm_split(const struct shim_rx *rx, const struct shim_mbufs *mbufs, bool sure)
{
	return virtio_arm_split(rx, rx->layout, mbufs, sure);
}

static bool
arm_packed(const struct shim_rx *rx, const struct shim_mbufs *mbufs, bool sure)
{
	return virtio_arm_packed(rx, rx->layout, mbufs, sure);
}

/* A shim_rx_park_dummy: the receive function writes to mbufs beyond the received ones. */
static void
park_dummy_split(const struct shim_rx *rx)
{
	const struct virtio_layout *l = rx->layout;
	const void *vq = virtio_queue(rx->rxq, l);
	struct rte_mbuf **slots = shim_pointer(vq, l->slots);
	uint16_t start = shim_u16(vq, l->avail_next) & (shim_u16(vq, l->size) - 1u);

	for (unsigned int i = 0; i < LOOKS_AHEAD; i++)
		slots[start + i] = shim_pointer(vq, l->rx_fake);
}

/* A shim_rx_park_dummy: the driver frees all mbufs in the entries when it releases the queue. */
static void
park_dummy_packed(const struct shim_rx *rx)
{
	const struct virtio_layout *l = rx->layout;
	const void *vq = virtio_queue(rx->rxq, l);
	struct virtio_entry *entries = shim_at(vq, l->entries);
	uint16_t size = shim_u16(vq, l->size), open = shim_u16(vq, l->open),
		 at = shim_u16(vq, l->avail_next);

	for (uint16_t i = 0; i < open; i++, at = at + 1 == size ? 0 : at + 1)
		entries[at].mbuf = NULL;
}

/* True if the index in a split ring agrees with the driver's; a packed ring has no index. */
static bool
index_agrees(const void *vq, const struct virtio_layout *l)
{
	const struct vring_avail *avail = shim_pointer(vq, l->avail);

	return *(const volatile uint16_t *)&avail->idx == shim_u16(vq, l->avail_next);
}

/*
 * Checks for split receive rings only: the index, that each slot is either armed or free, and the
 * dummies behind the ring.
 */
static bool
split_agrees(const struct shim_rx *rx, const void *vq, const struct virtio_layout *l,
	uint16_t armed)
{
	const uint16_t size = shim_u16(vq, l->size), open = shim_u16(vq, l->open);
	struct rte_mbuf *const *slots = shim_pointer(vq, l->slots);

	if (!index_agrees(vq, l) || (armed + open) % size != 0 ||
		!shim_owned(slots, (size + LOOKS_AHEAD) * sizeof(slots[0])))
		return false;
	for (unsigned int i = 0; i < LOOKS_AHEAD; i++)
		if (slots[size + i] != shim_pointer(vq, l->rx_fake))
			return false;
	return true;
}

/* Distance between the two indexes: number of armed slots, or 0 if all or none are. */
static uint16_t
indexes_apart(const void *vq, const struct virtio_layout *l)
{
	const uint16_t size = shim_u16(vq, l->size),
		       apart = size + shim_u16(vq, l->avail_next) - shim_u16(vq, l->used_next);

	/* Those of split rings wrap around at 65536, a multiple of the size. */
	return apart % size;
}

/*
 * Number of descriptors in use, free or armed: it may be less than the ring's size if fewer were
 * set up in ethdev.
 */
static unsigned int
used_at_all(const void *vq, const struct virtio_layout *l)
{
	uint16_t size = shim_u16(vq, l->size), open = shim_u16(vq, l->open),
		 away = indexes_apart(vq, l);

	return away == 0 && open == 0 ? size : open + away;
}

/* Bits: rounds of a packed ring, of which each two are different, at both of its indexes. */
enum { AVAIL_TRUE = 1, AVAIL_FALSE = 2, USED_TRUE = 4, USED_FALSE = 8, ALL_ROUNDS = 15 };

/*
 * True if a packed ring's flags and wrap counter are those of the rounds that its indexes are in, as the
 * last descriptor in front of them shows. others: the flags that all descriptors have. Adds these rounds
 * to *seen.
 */
static bool
rounds_agree(const void *vq, const struct virtio_layout *l, uint16_t others, uint8_t *seen)
{
	const volatile struct vring_packed_desc *desc = shim_pointer(vq, l->desc);
	const uint16_t next = shim_u16(vq, l->avail_next), used_next = shim_u16(vq, l->used_next),
		       last = (next == 0 ? shim_u16(vq, l->size) : next) - 1;
	const bool avail = (desc[last].flags >> VRING_PACKED_DESC_F_AVAIL & 1) != (next == 0),
		   apart = next < used_next || (next == used_next && shim_u16(vq, l->open) == 0),
		   used = avail != apart;

	*seen |= (avail ? AVAIL_TRUE : AVAIL_FALSE) | (used ? USED_TRUE : USED_FALSE);
	return shim_u16(vq, l->flags) ==
		(others | 1 << (avail ? VRING_PACKED_DESC_F_AVAIL : VRING_PACKED_DESC_F_USED)) &&
		*(const uint8_t *)shim_at(vq, l->wrap) == used;
}

/*
 * A shim_rx_prove: compares the descriptor of every armed slot with the driver's mbuf of the slot.
 */
static enum shim_proof
prove_received(struct shim_rx *rx, bool packed)
{
	const struct virtio_layout *l = rx->layout;
	const void *vq = virtio_queue(rx->rxq, l);
	const struct vring_desc *desc = shim_pointer(vq, l->desc);
	const struct virtio_entry *entries = shim_at(vq, l->entries);
	struct rte_mbuf *const *slots = packed ? NULL : shim_pointer(vq, l->slots);
	const uint16_t size = shim_u16(vq, l->size), next = shim_u16(vq, l->avail_next),
		       away = indexes_apart(vq, l),
		       armed = away == 0 && shim_u16(vq, l->open) == 0 ? size : away;

	if (next == rx->seen)
		return SHIM_NOTHING_NEW;
	if (armed > size || (!packed && !split_agrees(rx, vq, l, armed)) ||
		(packed && !rounds_agree(vq, l, VRING_DESC_F_WRITE, &rx->rounds)))
		return SHIM_WRONG;
	for (uint16_t i = 1; i <= armed; i++) {
		const uint16_t at = (uint16_t)(next + size - i) % size;
		const struct rte_mbuf *m = packed ? entries[at].mbuf : slots[at];

		if (!shim_owned(m, sizeof(*m)) || m->pool != rx->pool ||
			desc[at].addr !=
				virtio_address(m, shim_u16(vq, l->address),
					shim_u16(shim_pointer(vq, l->hw), l->header)))
			return SHIM_WRONG;
	}
	rx->seen = next;
	return armed > 0 && (!packed || rx->rounds == ALL_ROUNDS) ? SHIM_AGREED : SHIM_NOTHING_NEW;
}

static enum shim_proof
prove_split(struct shim_rx *rx)
{
	return prove_received(rx, false);
}

static enum shim_proof
prove_packed(struct shim_rx *rx)
{
	return prove_received(rx, true);
}

static uint16_t
hide_split(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	return virtio_hide(rx, rx->layout, false, hidden);
}

static uint16_t
hide_packed(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	return virtio_hide(rx, rx->layout, true, hidden);
}

static uint16_t
unhide(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	return virtio_unhide(rx, rx->layout, hidden);
}

/* A shim_rx_filled. */
static bool
filled_split(const struct shim_rx *rx, uint16_t ahead)
{
	const struct virtio_layout *l = rx->layout;
	const void *vq = virtio_queue(rx->rxq, l);
	const volatile struct vring_used *used = shim_pointer(vq, l->used);

	return (uint16_t)(used->idx - shim_u16(vq, l->used_next)) > ahead;
}

/* A shim_rx_filled. */
static bool
filled_packed(const struct shim_rx *rx, uint16_t ahead)
{
	const struct virtio_layout *l = rx->layout;
	const void *vq = virtio_queue(rx->rxq, l);
	const volatile struct vring_packed_desc *desc = shim_pointer(vq, l->desc);
	const uint16_t size = shim_u16(vq, l->size), at = shim_u16(vq, l->used_next) + ahead,
		       flags = desc[at < size ? at : at - size].flags;
	const bool wrap = (*(const uint8_t *)shim_at(vq, l->wrap) != 0) != (at >= size);

	return (flags >> VRING_PACKED_DESC_F_AVAIL & 1) == wrap &&
		(flags >> VRING_PACKED_DESC_F_USED & 1) == wrap;
}

const struct shim_rx_ops virtio_split_rx_ops = { .room = room_split,
	.arm = arm_split,
	.park_dummy = park_dummy_split,
	.prove = prove_split,
	.hide = hide_split,
	.unhide = unhide,
	.filled = filled_split };
const struct shim_rx_ops virtio_packed_rx_ops = { .room = room_packed,
	.arm = arm_packed,
	.park_dummy = park_dummy_packed,
	.prove = prove_packed,
	.hide = hide_packed,
	.unhide = unhide,
	.filled = filled_packed };

static struct shim_mbufs
sent_split(const struct shim_tx *tx)
{
	return virtio_sent_split(tx, tx->layout);
}

static struct shim_mbufs
sent_split_in_order(const struct shim_tx *tx)
{
	return virtio_sent_split_in_order(tx, tx->layout);
}

static struct shim_mbufs
sent_packed(const struct shim_tx *tx)
{
	return virtio_sent_packed(tx, tx->layout);
}

/* A shim_tx_taken: nothing to do, as sent() has already removed the mbufs. */
static void
taken(const struct shim_tx *tx, const struct shim_mbufs *mbufs)
{
}

/* True if n free descriptors of a split ring form a chain from the first to the last. */
static bool
chain_agrees(const void *vq, const struct virtio_layout *l, uint16_t n)
{
	const struct vring_desc *desc = shim_pointer(vq, l->desc);
	const uint16_t size = shim_u16(vq, l->size);
	uint16_t at = shim_u16(vq, l->head), last = VIRTIO_NO_DESC;

	for (uint16_t i = 0; i < n && at < size; i++) {
		last = at;
		at = desc[at].next;
	}
	return at == VIRTIO_NO_DESC && shim_u16(vq, l->tail) == last;
}

/*
 * A shim_tx_prove: checks that the driver's entries are mbufs, for packed rings that indexes, free
 * descriptors and rounds agree, and for split rings that the index agrees. For split rings without in-order it also checks that the number of entries is that of
 * packets which the backend has not returned, and that all other descriptors form the free chain.
 * ethdev's ring size is not used, since the ring may be larger.
 */
static enum shim_proof
prove_sent(struct shim_tx *tx)
{
	const struct virtio_layout *l = tx->layout;
	const void *vq = virtio_queue(tx->txq, l);
	const struct virtio_entry *entries = shim_at(vq, l->entries);
	const uint16_t size = shim_u16(vq, l->size), next = shim_u16(vq, l->avail_next);
	const bool packed = tx->ops == &virtio_packed_tx_ops;
	uint16_t under_way = 0, descs = 0;

	if (next == tx->seen)
		return SHIM_NOTHING_NEW;
	for (uint16_t i = 0; i < size; i++) {
		if (entries[i].mbuf == NULL)
			continue;
		if (!shim_owned(entries[i].mbuf, sizeof(struct rte_mbuf)))
			return SHIM_WRONG;
		under_way++;
		descs += entries[i].n_desc;
	}
	if (!packed && !index_agrees(vq, l))
		return SHIM_WRONG;
	if (packed && (used_at_all(vq, l) != tx->total || !rounds_agree(vq, l, 0, &tx->rounds)))
		return SHIM_WRONG;
	/* With in-order, chains leave stale entries behind, so the numbers do not have to match. */
	if (tx->ops == &virtio_split_tx_ops &&
		(descs + shim_u16(vq, l->open) > size || !chain_agrees(vq, l, size - descs) ||
			under_way != (uint16_t)(next - shim_u16(vq, l->used_next))))
		return SHIM_WRONG;
	tx->seen = next;
	return under_way > 0 && shim_u16(vq, l->open) < size &&
			(!packed || tx->rounds == ALL_ROUNDS)
		? SHIM_AGREED
		: SHIM_NOTHING_NEW;
}

/* A shim_tx_held. */
static uint16_t
held(const struct shim_tx *tx)
{
	const struct virtio_layout *l = tx->layout;
	const void *vq = virtio_queue(tx->txq, l);

	return shim_u16(vq, l->size) - shim_u16(vq, l->open);
}

const struct shim_tx_ops virtio_split_tx_ops = { sent_split, taken, prove_sent, held };
const struct shim_tx_ops virtio_packed_tx_ops = { sent_packed, taken, prove_sent, held };
const struct shim_tx_ops virtio_split_in_order_tx_ops = { sent_split_in_order, taken, prove_sent,
	held };

static void
path_write(char path[SHIM_PATH], uint16_t port, const char *ring, const char *function)
{
	struct rte_eth_dev_info info;

	snprintf(path, SHIM_PATH, "%.20s %s %s",
		rte_eth_dev_info_get(port, &info) == 0 ? info.driver_name : "virtio", ring,
		function);
}

/* True if the parts of a ring follow each other in memory: descriptors, then the driver's, then the device's. */
static bool
in_order_of_memory(const void *vq, const struct virtio_layout *l, uint16_t size)
{
	const struct vring_desc *desc = shim_pointer(vq, l->desc);

	return shim_pointer(vq, l->avail) == desc + size &&
		(uintptr_t)shim_pointer(vq, l->used) > (uintptr_t)(desc + size);
}

/*
 * Find the virtqueue of an ethdev queue and check its layout. index: number of the virtqueue in the
 * device. Returns NULL with e filled if anything disagrees.
 */
static void *
queue_check(const void *queue, const struct virtio_layout *l, const char *as, uint16_t port,
	uint16_t index, struct zcfwd_recycle_error *e)
{
	void *vq, *hw, *const *queues;
	uint16_t size, address;

	if (!shim_owned(queue, sizeof(void *)))
		goto strange;
	vq = virtio_queue(queue, l);
	if (!shim_owned(vq, l->entries))
		goto strange;
	hw = shim_pointer(vq, l->hw);
	size = shim_u16(vq, l->size);
	address = shim_u16(vq, l->address);
	if (shim_u16(vq, l->index) != index || !shim_owned(hw, l->vector_tx + 1u) || size == 0 ||
		*(const uint32_t *)shim_at(vq, l->num) != size ||
		!shim_owned(shim_at(vq, l->entries), size * sizeof(struct virtio_entry)) ||
		shim_u16(vq, l->open) > size ||
		(address != offsetof(struct rte_mbuf, buf_addr) &&
			address != offsetof(struct rte_mbuf, buf_iova)))
		goto strange;
	queues = shim_pointer(hw, l->queues);
	if (!shim_owned(queues, (index + 1u) * sizeof(queues[0])) || queues[index] != vq ||
		!shim_owned(shim_pointer(vq, l->desc), size * sizeof(struct vring_desc)) ||
		!shim_owned(shim_pointer(vq, l->avail), sizeof(struct vring_avail)) ||
		!shim_owned(shim_pointer(vq, l->used), sizeof(struct vring_used)) ||
		!in_order_of_memory(vq, l, size))
		goto strange;
	/* Indexes of split rings run freely and are masked, so the size is a power of 2. */
	if (virtio_feature(vq, l, FEATURE_PACKED)
			? shim_u16(vq, l->avail_next) >= size || shim_u16(vq, l->used_next) >= size
			: !rte_is_power_of_2(size))
		goto strange;
	return vq;
strange:
	shim_refuse(e, ZCFWD_RECYCLE_LAYOUT, "port %u: %s queue %u is not laid out as in %s", port,
		index % 2 == 0 ? "receive" : "transmit", index / 2, as);
	return NULL;
}

/* The pool at a pointer; NULL if it is not a mempool. */
static struct rte_mempool *
pool_check(struct rte_mempool *pool)
{
	return shim_owned(pool, sizeof(*pool)) &&
			memchr(pool->name, 0, sizeof(pool->name)) != NULL &&
			rte_mempool_lookup(pool->name) == pool
		? pool
		: NULL;
}

/* True if the newest armed descriptor points to the buffer of its slot's mbuf. */
static bool
armed_as_believed(const struct shim_rx *rx, const void *vq, const struct virtio_layout *l,
	bool packed)
{
	const struct vring_desc *desc = shim_pointer(vq, l->desc);
	const struct virtio_entry *entries = shim_at(vq, l->entries);
	struct rte_mbuf *const *slots = shim_pointer(vq, l->slots);
	uint16_t size = shim_u16(vq, l->size), next = shim_u16(vq, l->avail_next),
		 newest = (packed ? next + size - 1u : next - 1u) % size;
	const struct rte_mbuf *m;

	if (shim_u16(vq, l->open) == size)
		return true;
	if (!packed && !shim_owned(slots, size * sizeof(slots[0])))
		return false;
	m = packed ? entries[newest].mbuf : slots[newest];
	return shim_owned(m, sizeof(*m)) && m->pool == rx->pool &&
		desc[newest].addr ==
		virtio_address(m, shim_u16(vq, l->address),
			shim_u16(shim_pointer(vq, l->hw), l->header));
}

/* True if a field has this value or this release's queues do not have the field. */
static bool
agrees(const void *vq, uint16_t offset, uint16_t value)
{
	return offset == SHIM_NONE || shim_u16(vq, offset) == value;
}

/* The name of the driver's receive function; only "vectorised" leaves free slots to arm. */
static const char *
rx_function(const void *vq, const struct virtio_layout *l)
{
	if (virtio_hw_u8(vq, l, l->vector_rx) != 0)
		return "vectorised";
	if (!virtio_feature(vq, l, FEATURE_PACKED) && virtio_feature(vq, l, FEATURE_IN_ORDER))
		return "in-order";
	return virtio_feature(vq, l, VIRTIO_NET_F_MRG_RXBUF) ? "mergeable" : "standard";
}

/*
 * True for a card on the PCI bus. Its backends, QEMU and the kernel's vhost-net, begin to poll with the
 * first packet, and need a notification only after they have used all buffers. So a queue that was not
 * used yet says nothing, and the driver refills the ring whenever nothing is armed here.
 */
static bool
on_pci(uint16_t port)
{
	struct rte_eth_dev_info info;

	return rte_eth_dev_info_get(port, &info) == 0 &&
		strcmp(info.driver_name, "net_virtio") == 0;
}

/* Check that the driver leaves free slots and that its backend polls. */
static int
room_check(const struct shim_rx *rx, const void *vq, const struct virtio_layout *l, bool packed,
	struct zcfwd_recycle_error *e)
{
	uint16_t own = packed ? shim_u16(vq, l->thresh) : VIRTIO_BATCH, least = VIRTIO_BATCH + own;

	if (packed && own <= VIRTIO_BATCH)
		return shim_refuse(e, ZCFWD_RECYCLE_SIZES,
			"port %u: %s: refills %u slots while it receives, which leaves too few: use rx_free_thresh %u",
			rx->port, rx->path, own, 2 * VIRTIO_BATCH);
	if (used_at_all(vq, l) < least)
		return shim_refuse(e, ZCFWD_RECYCLE_SIZES,
			"port %u: %u receive descriptors: expected at least %u", rx->port,
			used_at_all(vq, l), least);
	if (!virtio_polled(vq, l, packed) && !on_pci(rx->port))
		return shim_refuse(e, ZCFWD_RECYCLE_FUNCTION,
			"port %u: its backend does not poll but needs notifications about free mbufs, which only the driver can send",
			rx->port);
	return 0;
}

static int
rx_bind(struct shim_rx *rx, struct zcfwd_recycle_error *e)
{
	const struct virtio_layout *l = shim_layout_find(rx->known, &table, &rx->laid, e);
	const char *function;
	bool packed;
	void *vq;

	if (l == NULL)
		return -ENOTSUP;
	vq = queue_check(rx->rxq, l, rx->laid.as, rx->port, rx->queue * 2, e);
	if (vq == NULL)
		return -ENOTSUP;
	packed = virtio_feature(vq, l, FEATURE_PACKED);
	function = rx_function(vq, l);
	path_write(rx->path, rx->port, packed ? "packed" : "split", function);
	if (strcmp(function, "vectorised") != 0)
		return shim_refuse(e, ZCFWD_RECYCLE_FUNCTION,
			"port %u: %s: refills its ring while it receives, so no slot is left to recycle into",
			rx->port, rx->path);
	rx->pool = pool_check(shim_pointer(vq, l->rx_pool));
	if (rx->pool == NULL || !agrees(vq, l->rx_queue, rx->queue) ||
		!agrees(vq, l->rx_port, rx->port) ||
		(!packed &&
			*(const uint64_t *)shim_at(vq, l->rx_rearm) !=
				virtio_rearm_word(rx->port)) ||
		(!packed &&
			(shim_u16(vq, l->avail_next) % VIRTIO_BATCH != 0 ||
				used_at_all(vq, l) != shim_u16(vq, l->size))) ||
		used_at_all(vq, l) > shim_u16(vq, l->size) || !armed_as_believed(rx, vq, l, packed))
		return shim_refuse(e, ZCFWD_RECYCLE_LAYOUT,
			"port %u: receive queue %u is not laid out as in %s", rx->port, rx->queue,
			rx->laid.as);
	rx->layout = l;
	rx->seen = UINT16_MAX;
	rx->rounds = 0;
	rx->ops = packed ? &virtio_packed_rx_ops : &virtio_split_rx_ops;
	rx->size = shim_u16(vq, l->size);
	rx->batch = VIRTIO_BATCH;
	rx->looks_ahead = LOOKS_AHEAD;
	return room_check(rx, vq, l, packed, e);
}

/*
 * The vector function frees sent mbufs as soon as tx_free_thresh are in flight. With a low
 * threshold few can be moved, and the others go through the pool in bulk, which costs more than
 * moving saves. Other functions free only when their ring is full.
 */
static int
thresh_check(const struct shim_tx *tx, const void *vq, const struct virtio_layout *l,
	struct zcfwd_recycle_error *e)
{
	uint16_t least = shim_u16(vq, l->size) / 4u * 3u, own = shim_u16(vq, l->thresh);

	return own >= least
		? 0
		: shim_refuse(e, ZCFWD_RECYCLE_SIZES,
			  "port %u: %s: frees sent mbufs itself once %u are in flight, which leaves too few: use tx_free_thresh %u or more",
			  tx->port, tx->path, own, least);
}

static int
tx_bind(struct shim_tx *tx, struct zcfwd_recycle_error *e)
{
	const struct virtio_layout *l = shim_layout_find(tx->known, &table, &tx->laid, e);
	bool packed, in_order, vector;
	void *vq;

	if (l == NULL)
		return -ENOTSUP;
	vq = queue_check(tx->txq, l, tx->laid.as, tx->port, tx->queue * 2 + 1, e);
	if (vq == NULL)
		return -ENOTSUP;
	packed = virtio_feature(vq, l, FEATURE_PACKED);
	in_order = virtio_feature(vq, l, FEATURE_IN_ORDER);
	vector = packed && virtio_hw_u8(vq, l, l->vector_tx) != 0;
	path_write(tx->path, tx->port, packed ? "packed" : "split",
		vector             ? "vectorised"
			: in_order ? "in-order"
				   : "standard");
	if (!agrees(vq, l->tx_queue, tx->queue) || !agrees(vq, l->tx_port, tx->port) ||
		(vector && !in_order))
		return shim_refuse(e, ZCFWD_RECYCLE_LAYOUT,
			"port %u: transmit queue %u is not laid out as in %s", tx->port, tx->queue,
			tx->laid.as);
	/*
	 * The driver leaves an indirect descriptor with the id of the packet that it held before.
	 */
	if (packed && !in_order)
		return shim_refuse(e, ZCFWD_RECYCLE_FUNCTION,
			"port %u: %s: confuses packets of several segments with others, so it is unknown which were sent",
			tx->port, tx->path);
	if (vector && thresh_check(tx, vq, l, e) != 0)
		return -ENOTSUP;
	tx->layout = l;
	tx->seen = UINT16_MAX;
	tx->rounds = 0;
	tx->total = (uint16_t)used_at_all(vq, l);
	tx->ops = packed   ? &virtio_packed_tx_ops
		: in_order ? &virtio_split_in_order_tx_ops
			   : &virtio_split_tx_ops;
	tx->batch = VIRTIO_BATCH;
	tx->packets = true;
	tx->list_size = RTE_MAX(shim_u16(vq, l->size), VIRTIO_BATCH);
	return 0;
}

const struct shim_driver shim_virtio = { .name = "net_virtio_user",
	.also = "net_virtio",
	.rx_bind = rx_bind,
	.tx_bind = tx_bind,
	.tables = { &table } };
