/* Recycling for net_virtio: the vector receive functions of split and packed rings; all transmit
 * functions but that of packed rings out of order. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "pmd_shims/recycle/virtio/virtio_queue.h"
#include "pmd_shims/recycle/virtio/virtio_rx_packed.h"
#include "pmd_shims/recycle/virtio/virtio_rx_split.h"
#include "pmd_shims/recycle/virtio/virtio_tx_packed.h"
#include "pmd_shims/recycle/virtio/virtio_tx_split.h"

#include <rte_ethdev.h>
#include <rte_mempool.h>

#include <errno.h>
#include <linux/virtio_config.h>
#include <linux/virtio_net.h>
#include <stdio.h>
#include <string.h>

/* Newer than some kernel headers. */
enum { FEATURE_PACKED = 34, FEATURE_IN_ORDER = 35 };

/* What the vector function of split rings looks at before it knows how many are received. */
enum { LOOKS_AHEAD = 8 };

static const char *const fields[] = { VIRTIO_FIELDS(SHIM_FIELD_NAME) };
static const uint8_t bytes[] = { VIRTIO_FIELDS(SHIM_FIELD_BYTES) };
static const struct shim_table table = { "virtio", virtio_layouts, ARRAY_SIZE(virtio_layouts),
	sizeof(virtio_layouts[0]), fields, bytes, ARRAY_SIZE(fields), SHIM_ALL_SAME };

static uint16_t
room_split(const struct shim_rx *rx)
{
	return virtio_room(rx, rx->layout, false);
}

static uint16_t
room_packed(const struct shim_rx *rx)
{
	return virtio_room(rx, rx->layout, true);
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

/* No mbuf of anyone in what the receive function writes to beyond the received ones. */
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

/* No mbuf of anyone in what the driver frees when the queue goes. */
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

/* What the ring says of the next free place: a split one's index; a packed one has none. */
static bool
index_agrees(const void *vq, const struct virtio_layout *l)
{
	const struct vring_avail *avail = shim_pointer(vq, l->avail);

	return *(const volatile uint16_t *)&avail->idx == shim_u16(vq, l->avail_next);
}

/* What only a split receive ring has: its index, no slot that is neither armed nor open, dummies. */
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

/* As shim_rx_prove: every armed slot, by the driver's own notes and by the descriptor. */
static enum shim_proof
prove_received(struct shim_rx *rx, bool packed)
{
	const struct virtio_layout *l = rx->layout;
	const void *vq = virtio_queue(rx->rxq, l);
	const struct vring_desc *desc = shim_pointer(vq, l->desc);
	const struct virtio_entry *entries = shim_at(vq, l->entries);
	struct rte_mbuf *const *slots = packed ? NULL : shim_pointer(vq, l->slots);
	const uint16_t size = shim_u16(vq, l->size), next = shim_u16(vq, l->avail_next),
		       away = (uint16_t)((size + next - shim_u16(vq, l->used_next)) % size),
		       armed = away == 0 && shim_u16(vq, l->open) == 0 ? size : away;

	if (next == rx->seen)
		return SHIM_NOTHING_NEW;
	if (armed > size || (!packed && !split_agrees(rx, vq, l, armed)))
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
	return armed > 0 ? SHIM_AGREED : SHIM_NOTHING_NEW;
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

static const struct shim_rx_ops split_rx_ops = { room_split, arm_split, park_dummy_split, NULL,
	prove_split },
				packed_rx_ops = { room_packed, arm_packed, park_dummy_packed, NULL,
					prove_packed };

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

/* sent() did it. */
static void
taken(const struct shim_tx *tx, const struct shim_mbufs *mbufs)
{
}

static const struct shim_tx_ops packed_tx_ops, split_tx_ops;

/* Whether so many free descriptors of a split ring are a chain from the first to the last. */
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
 * As shim_tx_prove: what is noted as sent are mbufs; a split ring was told of them, and out of order
 * they are as many as it has not given back, and what they leave is the chain of free descriptors.
 * ethdev's may be fewer than the ring has.
 */
static enum shim_proof
prove_sent(struct shim_tx *tx)
{
	const struct virtio_layout *l = tx->layout;
	const void *vq = virtio_queue(tx->txq, l);
	const struct virtio_entry *entries = shim_at(vq, l->entries);
	const uint16_t size = shim_u16(vq, l->size), next = shim_u16(vq, l->avail_next);
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
	if (tx->ops != &packed_tx_ops && !index_agrees(vq, l))
		return SHIM_WRONG;
	/* In order, chains leave entries behind. */
	if (tx->ops == &split_tx_ops &&
		(descs + shim_u16(vq, l->open) > size || !chain_agrees(vq, l, size - descs) ||
			under_way != (uint16_t)(next - shim_u16(vq, l->used_next))))
		return SHIM_WRONG;
	tx->seen = next;
	return under_way > 0 && shim_u16(vq, l->open) < size ? SHIM_AGREED : SHIM_NOTHING_NEW;
}

static const struct shim_tx_ops split_tx_ops = { sent_split, taken, prove_sent },
				split_in_order_tx_ops = { sent_split_in_order, taken, prove_sent },
				packed_tx_ops = { sent_packed, taken, prove_sent };

static bool
feature(const void *vq, const struct virtio_layout *l, unsigned int bit)
{
	const uint64_t *features = shim_at(shim_pointer(vq, l->hw), l->features);

	return (*features >> bit & 1) != 0;
}

static void
path_write(char path[SHIM_PATH], uint16_t port, const char *ring, const char *function)
{
	struct rte_eth_dev_info info;

	snprintf(path, SHIM_PATH, "%.20s %s %s",
		rte_eth_dev_info_get(port, &info) == 0 ? info.driver_name : "virtio", ring,
		function);
}

/*
 * The virtqueue that is ethdev's queue, when all that tells so agrees; NULL with e filled. index:
 * among those of the device.
 */
static void *
queue_check(const void *queue, const struct virtio_layout *l, const char *as, uint16_t port,
	uint16_t index, struct err *e)
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
		!shim_owned(shim_pointer(vq, l->used), sizeof(struct vring_used)))
		goto strange;
	/* Split rings count on and take the lower bits. */
	if (feature(vq, l, FEATURE_PACKED)
			? shim_u16(vq, l->avail_next) >= size || shim_u16(vq, l->used_next) >= size
			: !rte_is_power_of_2(size))
		goto strange;
	return vq;
strange:
	err_set(e, ENOTSUP, "port %u: %s queue %u is not laid out as in %s", port,
		index % 2 == 0 ? "receive" : "transmit", index / 2, as);
	return NULL;
}

/* The pool that a pointer names, when it is one. */
static struct rte_mempool *
pool_check(struct rte_mempool *pool)
{
	return shim_owned(pool, sizeof(*pool)) &&
			memchr(pool->name, 0, sizeof(pool->name)) != NULL &&
			rte_mempool_lookup(pool->name) == pool
		? pool
		: NULL;
}

/* The newest armed descriptor points into the mbuf of its slot. */
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

/* Whether a field has such a value, where queues have it. */
static bool
agrees(const void *vq, uint16_t offset, uint16_t value)
{
	return offset == SHIM_NONE || shim_u16(vq, offset) == value;
}

/* The driver's receive function, "vectorised" when it leaves anything to arm. */
static const char *
rx_function(const void *vq, const struct virtio_layout *l)
{
	if (virtio_hw_u8(vq, l, l->vector_rx) != 0)
		return "vectorised";
	if (!feature(vq, l, FEATURE_PACKED) && feature(vq, l, FEATURE_IN_ORDER))
		return "in-order";
	return feature(vq, l, VIRTIO_NET_F_MRG_RXBUF) ? "mergeable" : "standard";
}

/*
 * How many descriptors the queue uses of those that it has: ethdev's may be fewer. They are open,
 * or on their way.
 */
static unsigned int
used_at_all(const void *vq, const struct virtio_layout *l)
{
	uint16_t size = shim_u16(vq, l->size), open = shim_u16(vq, l->open);
	unsigned int away =
		(size + shim_u16(vq, l->avail_next) - shim_u16(vq, l->used_next)) % size;

	return away == 0 && open == 0 ? size : open + away;
}

/* Whether the queue leaves room, and what that takes. */
static int
room_check(const struct shim_rx *rx, const void *vq, const struct virtio_layout *l, bool packed,
	struct err *e)
{
	uint16_t own = packed ? shim_u16(vq, l->thresh) : VIRTIO_BATCH, least = VIRTIO_BATCH + own;

	if (packed && own <= VIRTIO_BATCH)
		return err_set(e, ENOTSUP,
			"port %u: %s: refills %u while it receives, which leaves too few: want rx_free_thresh (--rxfreet) of %u",
			rx->port, rx->path, own, 2 * VIRTIO_BATCH);
	if (used_at_all(vq, l) < least)
		return err_set(e, ENOTSUP, "port %u: %u receive descriptors: want at least %u",
			rx->port, used_at_all(vq, l), least);
	if (!virtio_polled(vq, l, packed))
		return err_set(e, ENOTSUP,
			"port %u: its backend does not poll but wants to be notified of free mbufs, which only the driver can do",
			rx->port);
	return 0;
}

static int
rx_bind(struct shim_rx *rx, struct err *e)
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
	packed = feature(vq, l, FEATURE_PACKED);
	function = rx_function(vq, l);
	path_write(rx->path, rx->port, packed ? "packed" : "split", function);
	if (strcmp(function, "vectorised") != 0)
		return err_set(e, ENOTSUP,
			"port %u: %s: refills its ring while it receives, so that nothing is left to fill",
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
		return err_set(e, ENOTSUP, "port %u: receive queue %u is not laid out as in %s",
			rx->port, rx->queue, rx->laid.as);
	rx->pool_in = shim_at(vq, l->rx_pool);
	rx->layout = l;
	rx->seen = UINT16_MAX;
	rx->ops = packed ? &packed_rx_ops : &split_rx_ops;
	rx->end = l != VIRTIO_BUILT ? NULL : packed ? "virtio_packed_built" : "virtio_split_built";
	rx->batch = VIRTIO_BATCH;
	return room_check(rx, vq, l, packed, e);
}

/*
 * The vector function frees what was sent as soon as that many are under way, before much can be
 * moved; what is left goes through the pool in spells, which costs more than moving gains. Others
 * free when their ring is full.
 */
static int
thresh_check(const struct shim_tx *tx, const void *vq, const struct virtio_layout *l, struct err *e)
{
	uint16_t least = shim_u16(vq, l->size) / 4u * 3u, own = shim_u16(vq, l->thresh);

	return own >= least
		? 0
		: err_set(e, ENOTSUP,
			  "port %u: %s: frees by itself once %u are under way, which leaves too few: want tx_free_thresh (--txfreet) of at least %u",
			  tx->port, tx->path, own, least);
}

static int
tx_bind(struct shim_tx *tx, struct err *e)
{
	const struct virtio_layout *l = shim_layout_find(tx->known, &table, &tx->laid, e);
	bool packed, in_order, vector;
	void *vq;

	if (l == NULL)
		return -ENOTSUP;
	vq = queue_check(tx->txq, l, tx->laid.as, tx->port, tx->queue * 2 + 1, e);
	if (vq == NULL)
		return -ENOTSUP;
	packed = feature(vq, l, FEATURE_PACKED);
	in_order = feature(vq, l, FEATURE_IN_ORDER);
	vector = packed && virtio_hw_u8(vq, l, l->vector_tx) != 0;
	path_write(tx->path, tx->port, packed ? "packed" : "split",
		vector             ? "vectorised"
			: in_order ? "in-order"
				   : "standard");
	if (!agrees(vq, l->tx_queue, tx->queue) || !agrees(vq, l->tx_port, tx->port) ||
		(vector && !in_order))
		return err_set(e, ENOTSUP, "port %u: transmit queue %u is not laid out as in %s",
			tx->port, tx->queue, tx->laid.as);
	/* It leaves an indirect descriptor with the name of the packet that was there before. */
	if (packed && !in_order)
		return err_set(e, ENOTSUP,
			"port %u: %s: confuses packets of several segments with others, so that nobody can tell which were sent",
			tx->port, tx->path);
	if (vector && thresh_check(tx, vq, l, e) != 0)
		return -ENOTSUP;
	tx->sized_in = shim_at(vq, l->size);
	tx->sized = shim_u16(vq, l->size);
	tx->layout = l;
	tx->seen = UINT16_MAX;
	tx->ops = packed ? &packed_tx_ops : in_order ? &split_in_order_tx_ops : &split_tx_ops;
	tx->end = l != VIRTIO_BUILT || (!packed && in_order) ? NULL
		: packed                                     ? "virtio_packed_built"
							     : "virtio_split_built";
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
