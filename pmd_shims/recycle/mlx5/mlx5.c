/* Recycling for net_mlx5 (NVIDIA ConnectX): the vector receive functions without striding; all
 * transmit functions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/mlx5/mlx5.h"

#include "pmd_shims/recycle/pair.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_pause.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Appended to the receive function's name if compressed completions may come without a hash. */
#define HASHLESS ", without hash"

static uint16_t
rx_room(const struct shim_rx *rx, uint16_t shut)
{
	return mlx5_room(rx, rx->layout, shut);
}

static bool
rx_arm(const struct shim_rx *rx, const struct shim_mbufs *mbufs, bool sure)
{
	return mlx5_arm(rx, rx->layout, mbufs, sure);
}

static void
rx_park_dummy(const struct shim_rx *rx)
{
	mlx5_park_dummy(rx, rx->layout);
}

/* True if an armed element points to the buffer of its slot's mbuf. */
static bool
armed_as_believed(const struct shim_rx *rx, const struct mlx5_rx_layout *l, uint16_t slot)
{
	const struct rte_mbuf *m =
		((struct rte_mbuf *const *)shim_pointer(rx->rxq, l->slots))[slot];
	const char *element =
		(const char *)shim_pointer(rx->rxq, l->elements) + slot * MLX5_SEGMENT;

	return shim_owned(m, sizeof(*m)) && m->pool == rx->pool &&
		rte_be_to_cpu_64(*(const uint64_t *)(const void *)(element + 8)) ==
		(uintptr_t)m->buf_addr + RTE_PKTMBUF_HEADROOM;
}

/*
 * A shim_rx_prove: checks every armed slot without a received packet, the doorbell record, and the
 * dummies behind the ring.
 */
static enum shim_proof
rx_prove(struct shim_rx *rx)
{
	const struct mlx5_rx_layout *l = rx->layout;
	const uint16_t size = mlx5_rx_size(rx->rxq), armed = mlx5_rx_armed(rx->rxq, l);
	const uint32_t at = mlx5_u32(rx->rxq, l->armed), received = mlx5_u32(rx->rxq, l->received);
	struct rte_mbuf *const *slots = shim_pointer(rx->rxq, l->slots);

	if ((uint16_t)received == rx->seen)
		return SHIM_NOTHING_NEW;
	if (armed > size || shim_u16(rx->rxq, l->keys) < 1 || shim_u16(rx->rxq, l->keys) > size ||
		*(const uint32_t *)shim_pointer(rx->rxq, l->doorbell) != rte_cpu_to_be_32(at))
		return SHIM_WRONG;
	for (uint16_t i = 0; i < armed; i++)
		if (!armed_as_believed(rx, l, (at - 1 - i) & (size - 1u)))
			return SHIM_WRONG;
	for (uint16_t i = 0; i < MLX5_LOOKS_AHEAD; i++)
		if (slots[size + i] != shim_at(rx->rxq, l->fake))
			return SHIM_WRONG;
	rx->seen = (uint16_t)received;
	return received != 0 && armed > 0 && armed < size ? SHIM_AGREED : SHIM_NOTHING_NEW;
}

/*
 * A shim_rx_closed: with devarg mr_mempool_reg_en=0 the driver may find more memory regions later.
 */
static const char *
rx_closed(const struct shim_rx *rx)
{
	const struct mlx5_rx_layout *l = rx->layout;

	if (shim_u16(rx->rxq, l->keys) <= MLX5_KEYS)
		return NULL;
	return "the driver found a buffer of the pool in another memory region";
}

static uint16_t
rx_hide(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	return mlx5_hide(rx, rx->layout, hidden);
}

static uint16_t
rx_unhide(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	return mlx5_unhide(rx, rx->layout, hidden);
}

const struct shim_rx_ops mlx5_rx_ops = { .room = rx_room,
	.arm = rx_arm,
	.park_dummy = rx_park_dummy,
	.prove = rx_prove,
	.closed = rx_closed,
	.hide = rx_hide,
	.unhide = rx_unhide };

/* Pools that lie in several memory regions: each element gets the key of its buffer's region. */

/*
 * The queue keeps a sorted table of regions: begin, end and key, packed; layout field keys is their
 * number. The pointer to the table is KEYS_TABLE bytes behind that in all releases. No row has it, so
 * keys_check() compares the table with the keys of the elements that the driver has armed.
 */
enum { KEYS_TABLE = 8, KEYS_ENTRY = 20, KEYS_AT = 16, ELEMENT_KEY = 4, ELEMENT_ADDRESS = 8 };
enum { LOOKS = 100 }; /* at an element, of which each takes some nanoseconds */

#define KEY_NONE UINT32_MAX

/* The regions of a queue, as its driver has them now. */
struct keys {
	const char *table;
	uint16_t n;
	uint16_t last; /* entry that was found last */
};

static struct keys
keys_of(const struct shim_rx *rx, const struct mlx5_rx_layout *l)
{
	struct keys k = { .n = shim_u16(rx->rxq, l->keys) };

	memcpy(&k.table, (const char *)shim_at(rx->rxq, l->keys) + KEYS_TABLE, sizeof(k.table));
	return k;
}

/* True if the address is in a region, or below (-1) or above (1) it otherwise. */
static int
compare(const struct keys *k, uint16_t i, uint64_t address)
{
	uint64_t bounds[2];

	memcpy(bounds, k->table + i * KEYS_ENTRY, sizeof(bounds));
	return address < bounds[0] ? -1 : address >= bounds[1] ? 1 : 0;
}

/* The key of an address, as elements have it. KEY_NONE: no region has it. */
static uint32_t
key_find(struct keys *k, uint64_t address)
{
	uint16_t low = 0, high = k->n;
	uint32_t key;

	while (compare(k, k->last, address) != 0) {
		if (low >= high)
			return KEY_NONE;
		k->last = low + (high - low) / 2;
		if (compare(k, k->last, address) < 0)
			high = k->last;
		else
			low = k->last + 1;
	}
	memcpy(&key, k->table + k->last * KEYS_ENTRY + KEYS_AT, sizeof(key));
	return key;
}

static uint16_t
keyed_room(const struct shim_rx *rx, uint16_t shut)
{
	return mlx5_open_room(rx, rx->layout, shut);
}

/* True if an mbuf may be armed: rearm_check.h, but buffers of pinned pools are external by nature. */
static bool
may_arm(const struct rte_mbuf *m, const struct rte_mempool *pool, bool pinned)
{
	if (m->pool != pool || rte_mbuf_refcnt_read(m) != 1 || m->nb_segs != 1 ||
		(m->ol_flags & RTE_MBUF_F_INDIRECT) != 0)
		return false;
	return pinned ? rte_mbuf_ext_refcnt_read(m->shinfo) == 1
		      : (m->ol_flags & RTE_MBUF_F_EXTERNAL) == 0;
}

/* A shim_rx_arm that fails, even if the caller is sure, where a buffer has no key. */
static bool
keyed_arm(const struct shim_rx *rx, const struct shim_mbufs *mbufs, bool sure)
{
	const struct mlx5_rx_layout *l = rx->layout;
	const uint32_t armed = mlx5_u32(rx->rxq, l->armed);
	const uint16_t at = armed & (mlx5_rx_size(rx->rxq) - 1u);
	struct rte_mbuf **slot = (struct rte_mbuf **)shim_pointer(rx->rxq, l->slots) + at;
	char *element = (char *)shim_pointer(rx->rxq, l->elements) + at * MLX5_SEGMENT;
	struct keys keys = keys_of(rx, l);

	for (uint16_t i = 0; i < mbufs->n; i++, element += MLX5_SEGMENT) {
		struct rte_mbuf *m = shim_mbuf(mbufs, i);
		uint32_t key;

		if (!sure && !may_arm(m, rx->pool, rx->pinned))
			return false;
		key = key_find(&keys, (uintptr_t)m->buf_addr);
		if (key == KEY_NONE)
			return false;
		slot[i] = m;
		*(volatile uint32_t *)(void *)(element + ELEMENT_KEY) = key;
		*(volatile uint64_t *)(void *)(element + ELEMENT_ADDRESS) =
			rte_cpu_to_be_64((uintptr_t)m->buf_addr + RTE_PKTMBUF_HEADROOM);
	}
	mlx5_armed_set(rx, l, armed + mbufs->n);
	return true;
}

/*
 * True if the key of an element is that of its address in the table. The lcore may be writing the element:
 * then another look is needed.
 */
static bool
element_agrees(const char *element, struct keys *keys)
{
	for (unsigned int i = 0; i < LOOKS; i++) {
		const uint64_t address = rte_be_to_cpu_64(
			*(const volatile uint64_t *)(const volatile void *)(element +
				ELEMENT_ADDRESS));

		if (*(const volatile uint32_t *)(const volatile void *)(element + ELEMENT_KEY) ==
			key_find(keys, address - RTE_PKTMBUF_HEADROOM))
			return true;
		rte_pause();
	}
	return false;
}

/* True if the keys of all armed elements are those of the table, and there is any. */
static bool
elements_agree(const struct shim_rx *rx, const struct mlx5_rx_layout *l)
{
	const uint16_t size = mlx5_rx_size(rx->rxq), n = mlx5_rx_armed(rx->rxq, l);
	const uint32_t end = mlx5_u32(rx->rxq, l->armed);
	const char *elements = shim_pointer(rx->rxq, l->elements);
	struct keys keys = keys_of(rx, l);

	for (uint16_t i = 0; i < n; i++)
		if (!element_agrees(elements + ((end - 1 - i) & (size - 1u)) * MLX5_SEGMENT, &keys))
			return false;
	return n > 0;
}

static enum shim_proof
keyed_prove(struct shim_rx *rx)
{
	const uint16_t before = rx->seen;
	const enum shim_proof proof = rx_prove(rx);

	return rx->seen == before || elements_agree(rx, rx->layout) ? proof : SHIM_WRONG;
}

const struct shim_rx_ops mlx5_keyed_rx_ops = { .room = keyed_room,
	.arm = keyed_arm,
	.park_dummy = rx_park_dummy,
	.prove = keyed_prove,
	.hide = rx_hide,
	.unhide = rx_unhide };

/* What is looked for in a pool: the first buffer without a key. */
struct unknown {
	struct keys keys;
	bool pinned;
	const void *buffer; /* NULL: each has one */
};

/* A rte_mempool_obj_cb_t. An mbuf in use may point to another buffer than its own. */
static void
object_check(struct rte_mempool *mp, void *opaque, void *object, unsigned int i)
{
	struct unknown *const u = opaque;
	struct rte_mbuf *m = object;
	const char *buffer = u->pinned ? m->buf_addr : rte_mbuf_buf_addr(m, mp);

	if (u->buffer == NULL && key_find(&u->keys, (uintptr_t)buffer) == KEY_NONE)
		u->buffer = buffer;
}

/*
 * Check that the driver knows the key of each buffer of the queue's pool, and that the keys that it armed
 * are these. Errors: LAYOUT, POOL: names the buffer.
 */
static int
keys_check(const struct shim_rx *rx, const struct mlx5_rx_layout *l, struct zcfwd_recycle_error *e)
{
	struct unknown u = { .keys = keys_of(rx, l), .pinned = rx->pinned };

	if (!shim_owned(u.keys.table, (size_t)u.keys.n * KEYS_ENTRY) || !elements_agree(rx, l))
		return shim_refuse(e, ZCFWD_RECYCLE_LAYOUT,
			"port %u: the buffers of pool %s lie in %u memory regions, and keys of receive queue %u are not those of its table: use a single region, such as --mp-alloc=native",
			rx->port, rx->pool->name, u.keys.n - 1, rx->queue);
	rte_mempool_obj_iter(rx->pool, object_check, &u);
	if (u.buffer != NULL)
		return shim_refuse(e, ZCFWD_RECYCLE_POOL,
			"port %u: the driver has no key for the memory region of buffer %p of pool %s: use a single region, such as --mp-alloc=native",
			rx->port, u.buffer, rx->pool->name);
	return 0;
}

static struct shim_mbufs
tx_sent(const struct shim_tx *tx)
{
	return mlx5_sent(tx, tx->layout);
}

static void
tx_taken(const struct shim_tx *tx, const struct shim_mbufs *mbufs)
{
	mlx5_taken(tx, tx->layout, mbufs);
}

/* Ends of the array of mbufs. */
enum { FIRST_SLOT = 1, LAST_SLOT = 2 };

/*
 * A shim_tx_prove: checks the mbufs that are not freed yet, and that the driver's counters agree
 * with the last completion it has read. Slots of freed mbufs keep their pointers, so that an array one slot
 * further on looks right but for its ends. So states count once both ends had such mbufs.
 */
static enum shim_proof
tx_prove(struct shim_tx *tx)
{
	const struct mlx5_tx_layout *l = tx->layout;
	const uint16_t mask = shim_u16(tx->txq, l->mask), tail = shim_u16(tx->txq, l->tail),
		       head = shim_u16(tx->txq, l->head), done = shim_u16(tx->txq, l->done);
	struct rte_mbuf *const *slots = shim_at(tx->txq, l->slots);
	const volatile uint8_t *cqe = (const volatile uint8_t *)shim_pointer(tx->txq, l->cqes) +
		((done - 1) & shim_u16(tx->txq, l->cqe_mask)) * MLX5_CQE;
	int end;

	if (done == tx->seen || done == 0)
		return SHIM_NOTHING_NEW;
	if ((uint16_t)(head - tail) > mask + 1 || mlx5_end(tx, l, done) != tail ||
		*(const uint32_t *)shim_pointer(tx->txq, l->doorbell) != rte_cpu_to_be_32(done) ||
		shim_u16(tx->txq, l->freed_wqe) !=
			rte_be_to_cpu_16(*(const volatile uint16_t *)(const volatile void *)(cqe +
				MLX5_CQE - 4)))
		return SHIM_WRONG;
	for (uint16_t i = tail; i != head; i++)
		if (!shim_owned(slots[i & mask], sizeof(struct rte_mbuf)))
			return SHIM_WRONG;
	tx->seen = done;
	end = (tail & mask) + (uint16_t)(head - tail);
	tx->ends |= (tail & mask) == 0 || end > mask + 1 ? FIRST_SLOT : 0;
	tx->ends |= end > mask ? LAST_SLOT : 0;
	return head != tail && tail != done && tx->ends == (FIRST_SLOT | LAST_SLOT)
		? SHIM_AGREED
		: SHIM_NOTHING_NEW;
}

/* A shim_tx_held. */
static uint16_t
tx_held(const struct shim_tx *tx)
{
	const struct mlx5_tx_layout *l = tx->layout;

	return shim_u16(tx->txq, l->head) - shim_u16(tx->txq, l->tail);
}

/* A shim_tx_given. */
static void
tx_given(const struct shim_tx *tx, uint64_t *packets, uint16_t *mbufs)
{
	const struct mlx5_tx_layout *l = tx->layout;

	*packets = *(const uint64_t *)shim_at(tx->txq, l->stats);
	*mbufs = shim_u16(tx->txq, l->head);
}

const struct shim_tx_ops mlx5_tx_ops = { tx_sent, tx_taken, tx_prove, tx_held, tx_given };

static const char *const rx_fields[] = { MLX5_RX_FIELDS(SHIM_FIELD_NAME) };
static const char *const tx_fields[] = { MLX5_TX_FIELDS(SHIM_FIELD_NAME) };
static const uint8_t rx_bytes[] = { MLX5_RX_FIELDS(SHIM_FIELD_BYTES) };
static const uint8_t tx_bytes[] = { MLX5_TX_FIELDS(SHIM_FIELD_BYTES) };
static const struct shim_table rx_table = { "mlx5_rx", mlx5_rx_layouts, RTE_DIM(mlx5_rx_layouts),
	sizeof(mlx5_rx_layouts[0]), rx_fields, rx_bytes, RTE_DIM(rx_fields) };
static const struct shim_table tx_table = { "mlx5_tx", mlx5_tx_layouts, RTE_DIM(mlx5_tx_layouts),
	sizeof(mlx5_tx_layouts[0]), tx_fields, tx_bytes, RTE_DIM(tx_fields) };

static bool
laid_out(const struct shim_rx *rx, const struct mlx5_rx_layout *l,
	const struct rte_eth_rxq_info *info)
{
	uint16_t size = mlx5_rx_size(rx->rxq);

	return size == info->nb_desc && shim_pointer(rx->rxq, l->pool) == info->mp &&
		shim_u16(rx->rxq, l->refill) == info->conf.rx_free_thresh &&
		shim_u16(rx->rxq, l->port) == rx->port &&
		shim_u16(rx->rxq, l->queue) == rx->queue && mlx5_rx_armed(rx->rxq, l) <= size &&
		shim_owned(shim_pointer(rx->rxq, l->slots), size * sizeof(void *)) &&
		mlx5_readable(shim_pointer(rx->rxq, l->doorbell), sizeof(uint32_t)) &&
		mlx5_readable(shim_pointer(rx->rxq, l->elements), size * MLX5_SEGMENT) &&
		*(const uint32_t *)shim_pointer(rx->rxq, l->doorbell) ==
		rte_cpu_to_be_32(mlx5_u32(rx->rxq, l->armed));
}

static int
rx_bind(struct shim_rx *rx, struct zcfwd_recycle_error *e)
{
	const struct mlx5_rx_layout *l = shim_layout_find(rx->known, &rx_table, &rx->laid, e);
	struct rte_eth_burst_mode mode = { 0 };
	struct rte_eth_rxq_info info;

	if (l == NULL)
		return -ENOTSUP;
	if (rte_eth_rx_burst_mode_get(rx->port, rx->queue, &mode) != 0)
		snprintf(mode.info, sizeof(mode.info), "unknown");
	snprintf(rx->path, sizeof(rx->path), "mlx5_pci %.32s", mode.info);
	if (strncmp(mode.info, "MPRQ", strlen("MPRQ")) == 0 ||
		strcmp(mode.info, "Multi-Packet RQ") == 0)
		return shim_refuse(e, ZCFWD_RECYCLE_FUNCTION,
			"port %u: %s: it receives into buffers that several packets share, not into mbufs: use the device argument mprq_en=0",
			rx->port, rx->path);
	if (strncmp(mode.info, "Vector", strlen("Vector")) != 0)
		return shim_refuse(e, ZCFWD_RECYCLE_FUNCTION,
			"port %u: %s: refills its ring while it receives, so no slot is left to recycle into",
			rx->port, rx->path);
	if (!shim_owned(rx->rxq, l->fake) || mlx5_rx_hashless(rx->rxq))
		strcat(rx->path, HASHLESS);
	if (!shim_owned(rx->rxq, l->fake) ||
		rte_eth_rx_queue_info_get(rx->port, rx->queue, &info) != 0)
		return shim_refuse(e, ZCFWD_RECYCLE_LAYOUT,
			"port %u: its receive queue cannot be read", rx->port);
	if ((mlx5_u32(rx->rxq, MLX5_SIZES) & MLX5_UNSUPPORTED) != 0)
		return shim_refuse(e, ZCFWD_RECYCLE_FUNCTION,
			"port %u: receive queue %u is split, striding or in error", rx->port,
			rx->queue);
	if (!laid_out(rx, l, &info))
		return shim_refuse(e, ZCFWD_RECYCLE_LAYOUT,
			"port %u: receive queue %u is not laid out as in %s", rx->port, rx->queue,
			rx->laid.as);
	rx->pool = info.mp;
	rx->pinned = (rte_pktmbuf_priv_flags(info.mp) & RTE_PKTMBUF_POOL_F_PINNED_EXT_BUF) != 0;
	/* The first entry is for addresses outside all regions. */
	rx->regions = shim_u16(rx->rxq, l->keys) > MLX5_KEYS ? shim_u16(rx->rxq, l->keys) - 1u : 0;
	if (mlx5_rx_armed(rx->rxq, l) > 0 &&
		!armed_as_believed(rx, l, (mlx5_u32(rx->rxq, l->armed) - 1) & (info.nb_desc - 1u)))
		return shim_refuse(e, ZCFWD_RECYCLE_LAYOUT,
			"port %u: elements of receive queue %u do not point into its mbufs",
			rx->port, rx->queue);
	if (rx->regions > 0 && keys_check(rx, l, e) != 0)
		return -ENOTSUP;
	rx->layout = l;
	rx->seen = UINT16_MAX;
	rx->ops = rx->regions > 0 ? &mlx5_keyed_rx_ops : &mlx5_rx_ops;
	rx->size = info.nb_desc;
	rx->batch = 1;
	rx->looks_ahead = MLX5_LOOKS_AHEAD;
	return 0;
}

static int
tx_bind(struct shim_tx *tx, struct zcfwd_recycle_error *e)
{
	const struct mlx5_tx_layout *l = shim_layout_find(tx->known, &tx_table, &tx->laid, e);
	struct rte_eth_burst_mode mode = { 0 };
	struct rte_eth_txq_info info;
	uint16_t size;

	if (l == NULL)
		return -ENOTSUP;
	if (rte_eth_tx_burst_mode_get(tx->port, tx->queue, &mode) != 0)
		return shim_refuse(e, ZCFWD_RECYCLE_FUNCTION,
			"port %u: cannot read which function its transmit queue uses", tx->port);
	snprintf(tx->path, sizeof(tx->path), "mlx5_pci %.32s", mode.info);
	if (!shim_owned(tx->txq, l->slots) ||
		rte_eth_tx_queue_info_get(tx->port, tx->queue, &info) != 0)
		return shim_refuse(e, ZCFWD_RECYCLE_LAYOUT,
			"port %u: its transmit queue cannot be read", tx->port);
	size = shim_u16(tx->txq, l->size);
	if (size != info.nb_desc || shim_u16(tx->txq, l->mask) != size - 1 ||
		shim_u16(tx->txq, l->port) != tx->port ||
		shim_u16(tx->txq, l->queue) != tx->queue ||
		(uint16_t)(shim_u16(tx->txq, l->head) - shim_u16(tx->txq, l->tail)) > size ||
		shim_u16(tx->txq, l->owner) != shim_u16(tx->txq, l->cqe_mask) + 1 ||
		!shim_owned(shim_pointer(tx->txq, l->heads),
			shim_u16(tx->txq, l->owner) * sizeof(uint16_t)) ||
		!mlx5_readable(shim_pointer(tx->txq, l->cqes),
			shim_u16(tx->txq, l->owner) * MLX5_CQE) ||
		!mlx5_readable(shim_pointer(tx->txq, l->doorbell), sizeof(uint32_t)))
		return shim_refuse(e, ZCFWD_RECYCLE_LAYOUT,
			"port %u: transmit queue %u is not laid out as in %s", tx->port, tx->queue,
			tx->laid.as);
	tx->layout = l;
	tx->seen = UINT16_MAX;
	tx->ops = &mlx5_tx_ops;
	tx->list_size = PAIR_BATCH_MAX;
	tx->batch = 1;
	tx->segments = strstr(tx->path, " + MULTI") != NULL;
	tx->caches = shim_fast_free(tx) && !tx->segments;
	if (shim_u16(tx->txq, l->inline_send) >= MLX5_SHORTEST)
		tx->inlines =
			"short packets are not recycled: the driver copies them into descriptors: use the device argument txq_inline_max=0";
	return 0;
}

const struct shim_driver shim_mlx5 = { .name = "mlx5_pci",
	.rx_bind = rx_bind,
	.tx_bind = tx_bind,
	.tables = { &rx_table, &tx_table } };
