/* Takes sent mbufs out of the Tx rings and arms mbufs in the Rx rings of Intel's drivers with
 * vector functions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/intel/intel.h"

#include "pmd_shims/recycle/pool_blocks.h"

#include <rte_atomic.h>
#include <rte_ethdev.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *const intel_rx_fields[] = { INTEL_RX_FIELDS(SHIM_FIELD_NAME) };
const char *const intel_tx_fields[] = { INTEL_TX_FIELDS(SHIM_FIELD_NAME) };
const uint8_t intel_rx_bytes[] = { INTEL_RX_FIELDS(SHIM_FIELD_BYTES) };
const uint8_t intel_tx_bytes[] = { INTEL_TX_FIELDS(SHIM_FIELD_BYTES) };

/* Descriptors that the widest function reads before it knows how many are done. */
enum { LOOKS_AHEAD = 8 };

void
intel_path(const char *driver, uint16_t port, uint16_t queue, bool rx, char path[SHIM_PATH])
{
	struct rte_eth_burst_mode mode = { 0 };
	int ret = rx ? rte_eth_rx_burst_mode_get(port, queue, &mode)
		     : rte_eth_tx_burst_mode_get(port, queue, &mode);

	snprintf(path, SHIM_PATH, "%s %.32s", driver, ret == 0 ? mode.info : "unknown");
}

static uint16_t
rx_room(const struct shim_rx *rx, uint16_t shut)
{
	return intel_room(rx, rx->layout, shut);
}

static bool
rx_arm(const struct shim_rx *rx, const struct shim_mbufs *mbufs, bool sure)
{
	return intel_arm(rx, rx->layout, mbufs, mbufs->stride, sure);
}

/*
 * The burst function reads LOOKS_AHEAD slots beyond the armed ones: it must find dummies there, and
 * no descriptor that looks done.
 */
static void
rx_park_dummy(const struct shim_rx *rx)
{
	const struct intel_rx_layout *l = rx->layout;
	uint16_t start = shim_u16(rx->rxq, l->rearm_start);
	struct rte_mbuf **slot = (struct rte_mbuf **)shim_pointer(rx->rxq, l->sw_ring) + start;
	char *desc = (char *)shim_pointer(rx->rxq, l->ring) + start * l->desc_size;

	for (unsigned int i = 0; i < LOOKS_AHEAD; i++) {
		slot[i] = shim_at(rx->rxq, l->fake);
		simd_store(desc + i * l->desc_size, (simd128){ 0, 0 });
	}
}

/* A shim_rx_arm_blocks: a block is contiguous in IOVA too. */
static uint16_t
rx_arm_blocks(const struct shim_rx *rx, struct pool_blocks *blocks, struct rte_mbuf **pkts)
{
	const struct intel_rx_layout *l = rx->layout;
	const uint16_t start = shim_u16(rx->rxq, l->rearm_start);
	struct rte_mbuf **slot = (struct rte_mbuf **)shim_pointer(rx->rxq, l->sw_ring) + start;
	char *desc = (char *)shim_pointer(rx->rxq, l->ring) + start * l->desc_size;
	const simd128 step = { blocks->stride, 0 };

	for (uint16_t done = 0, n; done < l->rearm; done += n) {
		uint8_t *m = pool_blocks_run(blocks, l->rearm - done, &n);
		simd128 address;

		if (unlikely(n == 0)) {
			memcpy(pkts, slot, done * sizeof(pkts[0]));
			return done;
		}
		/* The upper half is 0: no header buffer, and not written back yet. */
		address = (simd128){ rte_mbuf_data_iova_default((struct rte_mbuf *)(void *)m), 0 };
		for (uint16_t i = done; i < done + n; i++, m += blocks->stride) {
			slot[i] = (struct rte_mbuf *)(void *)m;
			simd_store(desc + i * l->desc_size, address);
			address += step;
		}
	}
	intel_armed(rx, l);
	return l->rearm;
}

/*
 * True if an armed descriptor points to the buffer of its slot's mbuf, or if it cannot be checked
 * because the NIC has written it back.
 */
static bool
armed_as_believed(const struct shim_rx *rx, const struct intel_rx_layout *l, uint16_t slot)
{
	const struct rte_mbuf *m =
		((struct rte_mbuf *const *)shim_pointer(rx->rxq, l->sw_ring))[slot];
	const volatile uint64_t *desc =
		(const volatile uint64_t *)(const void *)((const char *)shim_pointer(rx->rxq,
								  l->ring) +
			slot * l->desc_size);
	uint64_t address = rte_le_to_cpu_64(desc[0]);

	/* The NIC may write it back at any moment. */
	rte_io_rmb();
	if ((desc[1] & 1) != 0)
		return true;
	return shim_owned(m, sizeof(*m)) && m->pool == rx->pool &&
		address == rte_mbuf_data_iova_default(m);
}

/*
 * A shim_rx_prove: checks that the counters agree, every armed slot, the dummies behind the ring,
 * and the tail register, which reads as it was last written.
 */
static enum shim_proof
rx_prove(struct shim_rx *rx)
{
	const struct intel_rx_layout *l = rx->layout;
	const uint16_t size = shim_u16(rx->rxq, l->size), start = shim_u16(rx->rxq, l->rearm_start),
		       open = shim_u16(rx->rxq, l->rearm_n), tail = shim_u16(rx->rxq, l->tail);
	struct rte_mbuf *const *slots = shim_pointer(rx->rxq, l->sw_ring);

	if (tail == rx->seen)
		return SHIM_NOTHING_NEW;
	if (tail >= size || start >= size || open > size || (start + open - tail) % size != 0)
		return SHIM_WRONG;
	for (uint16_t i = 0; i < size - open; i++)
		if (!armed_as_believed(rx, l, (start + size - 1 - i) % size))
			return SHIM_WRONG;
	if (rte_le_to_cpu_32(rte_read32(shim_pointer(rx->rxq, l->doorbell))) !=
		(start == 0 ? size : start) - 1u)
		return SHIM_WRONG;
	for (uint16_t i = 0; i < LOOKS_AHEAD; i++)
		if (slots[size + i] != shim_at(rx->rxq, l->fake))
			return SHIM_WRONG;
	rx->seen = tail;
	/* In the middle of the ring, tail and open may change places: both sums are the same. */
	return tail != 0 && start != 0 && open != 0 && tail != start && tail != open &&
			start != open && start * 2u != size
		? SHIM_AGREED
		: SHIM_NOTHING_NEW;
}

static uint16_t
rx_hide(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	return intel_hide(rx, rx->layout, hidden);
}

static uint16_t
rx_unhide(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	return intel_unhide(rx, rx->layout, hidden);
}

/* A shim_rx_filled. */
static bool
rx_filled(const struct shim_rx *rx, uint16_t ahead)
{
	const struct intel_rx_layout *l = rx->layout;
	const uint16_t size = shim_u16(rx->rxq, l->size), at = shim_u16(rx->rxq, l->tail) + ahead;
	const volatile uint64_t *desc =
		(const volatile uint64_t *)(const void *)((const char *)shim_pointer(rx->rxq,
								  l->ring) +
			(at < size ? at : at - size) * l->desc_size);

	return (desc[1] & 1) != 0;
}

const struct shim_rx_ops intel_rx_ops = { .room = rx_room,
	.arm = rx_arm,
	.park_dummy = rx_park_dummy,
	.arm_blocks = rx_arm_blocks,
	.prove = rx_prove,
	.hide = rx_hide,
	.unhide = rx_unhide,
	.filled = rx_filled };

static struct shim_mbufs
tx_sent_8(const struct shim_tx *tx)
{
	return intel_sent(tx, tx->layout, 8);
}

static struct shim_mbufs
tx_sent_16(const struct shim_tx *tx)
{
	return intel_sent(tx, tx->layout, 16);
}

static void
tx_taken(const struct shim_tx *tx, const struct shim_mbufs *mbufs)
{
	intel_taken(tx, tx->layout, mbufs);
}

/* A shim_tx_taken for functions that free the mbufs left in the ring when the queue is released. */
static void
tx_taken_clear(const struct shim_tx *tx, const struct shim_mbufs *mbufs)
{
	for (uint16_t i = 0; i < mbufs->n; i++)
		*(struct rte_mbuf **)(uintptr_t)intel_entry(tx, tx->layout, 16, i) = NULL;
	tx_taken(tx, mbufs);
}

/*
 * A shim_tx_prove: checks that the counters agree, and that the descriptor of each unsent packet
 * points to the data of its mbuf. The NIC may overwrite a descriptor at any moment, so its state is
 * read after its address. Only the next packet to be reported shows which counter is the tail: if
 * tail and free change places, their sums are the same.
 */
static enum shim_proof
prove_sent(struct shim_tx *tx, size_t stride)
{
	const struct intel_tx_layout *l = tx->layout;
	const uint16_t size = shim_u16(tx->txq, l->size), tail = shim_u16(tx->txq, l->tail),
		       rs = shim_u16(tx->txq, l->rs_thresh), free = shim_u16(tx->txq, l->free),
		       done = shim_u16(tx->txq, l->next_done),
		       next_rs = shim_u16(tx->txq, l->next_rs), used = size - 1 - free;
	const char *ring = shim_pointer(tx->txq, l->ring),
		   *slots = shim_pointer(tx->txq, l->sw_ring);
	bool under_way = false;
	uint16_t oldest;

	if (tail == tx->seen)
		return SHIM_NOTHING_NEW;
	if (tail >= size || free >= size || done >= size || rs == 0 || rs > size)
		return SHIM_WRONG;
	oldest = (done + 1 + size - rs) % size;
	if ((oldest + used) % size != tail || next_rs != tail / rs * rs + rs - 1)
		return SHIM_WRONG;
	for (uint16_t i = 0; i < used; i++) {
		const uint16_t slot = (oldest + i) % size;
		const struct rte_mbuf *m =
			*(struct rte_mbuf *const *)(const void *)(slots + slot * stride);
		const char *desc = ring + slot * INTEL_TX_DESC;
		const uint64_t address = *(const volatile uint64_t *)(const volatile void *)desc;
		uint32_t state;

		rte_io_rmb();
		state = *(const volatile uint32_t *)(const volatile void *)(desc + l->done_offset);
		if (!shim_owned(m, sizeof(*m)) || !shim_owned(m->pool, sizeof(*m->pool)))
			return SHIM_WRONG;
		if ((rte_le_to_cpu_32(state) & l->done_mask) == l->done_mask)
			continue;
		if (address != rte_cpu_to_le_64(rte_mbuf_data_iova(m)))
			return SHIM_WRONG;
		under_way = true;
	}
	tx->seen = tail;
	return under_way && tail != 0 && done != tail && free != tail && free != done && used > 1
		? SHIM_AGREED
		: SHIM_NOTHING_NEW;
}

static enum shim_proof
prove_sent_8(struct shim_tx *tx)
{
	return prove_sent(tx, 8);
}

static enum shim_proof
prove_sent_16(struct shim_tx *tx)
{
	return prove_sent(tx, 16);
}

/* A shim_tx_held. */
static uint16_t
held(const struct shim_tx *tx)
{
	const struct intel_tx_layout *l = tx->layout;

	return shim_u16(tx->txq, l->size) - 1 - shim_u16(tx->txq, l->free);
}

const struct shim_tx_ops intel_tx_ops_8 = { tx_sent_8, tx_taken, prove_sent_8, held };
const struct shim_tx_ops intel_tx_ops_16 = { tx_sent_16, tx_taken, prove_sent_16, held };
static const struct shim_tx_ops tx_ops_clear = { tx_sent_16, tx_taken_clear, prove_sent_16, held };

int
intel_rx_bind(struct shim_rx *rx, const struct intel_rx_layout *l, struct zcfwd_recycle_error *e)
{
	uint16_t size, tail, start, open;
	struct rte_eth_rxq_info info;

	if (!shim_owned(rx->rxq, l->doorbell + sizeof(void *)) || l->rearm % 32 != 0 ||
		rte_eth_rx_queue_info_get(rx->port, rx->queue, &info) != 0)
		return shim_refuse(e, ZCFWD_RECYCLE_LAYOUT,
			"port %u: its receive queue cannot be read", rx->port);
	size = shim_u16(rx->rxq, l->size);
	tail = shim_u16(rx->rxq, l->tail);
	start = shim_u16(rx->rxq, l->rearm_start);
	open = shim_u16(rx->rxq, l->rearm_n);
	if (shim_pointer(rx->rxq, l->pool) != info.mp || size != info.nb_desc ||
		shim_u16(rx->rxq, l->port) != rx->port ||
		shim_u16(rx->rxq, l->queue) != rx->queue || tail >= size || start >= size ||
		start % l->rearm != 0 || open > size || (start + open - tail) % size != 0 ||
		!shim_owned(shim_pointer(rx->rxq, l->sw_ring), size * sizeof(void *)) ||
		!shim_owned(shim_pointer(rx->rxq, l->ring), (size_t)size * l->desc_size))
		return shim_refuse(e, ZCFWD_RECYCLE_LAYOUT,
			"port %u: receive queue %u is not laid out as in %s", rx->port, rx->queue,
			rx->laid.as);
	if (size % l->rearm != 0 || size == l->rearm)
		return shim_refuse(e, ZCFWD_RECYCLE_SIZES,
			"port %u: %u receive descriptors: expected a multiple of %u, at least twice that",
			rx->port, size, l->rearm);
	rx->pool = info.mp;
	if (open < size && !armed_as_believed(rx, l, start == 0 ? size - 1 : start - 1))
		return shim_refuse(e, ZCFWD_RECYCLE_LAYOUT,
			"port %u: descriptors of receive queue %u do not point into its mbufs",
			rx->port, rx->queue);
	if (rx->laid.by != SHIM_BY_TABLE &&
		(!shim_register(shim_pointer(rx->rxq, l->doorbell)) ||
			!shim_owned(shim_at(rx->rxq, l->fake), sizeof(struct rte_mbuf)) ||
			!shim_owned(shim_pointer(rx->rxq, l->sw_ring),
				(size + LOOKS_AHEAD) * sizeof(void *))))
		return shim_refuse(e, ZCFWD_RECYCLE_LAYOUT,
			"port %u: receive queue %u is not laid out as in %s", rx->port, rx->queue,
			rx->laid.as);
	if (rx->laid.by != SHIM_BY_TABLE && size == 2 * l->rearm)
		return shim_refuse(e, ZCFWD_RECYCLE_SIZES,
			"port %u: %u receive descriptors: expected at least %u to verify the queue layout",
			rx->port, size, 3 * l->rearm);
	rx->layout = l;
	rx->seen = UINT16_MAX;
	rx->ops = &intel_rx_ops;
	rx->size = size;
	rx->batch = l->rearm;
	rx->looks_ahead = LOOKS_AHEAD;
	return 0;
}

int
intel_tx_bind(struct shim_tx *tx, const struct intel_tx_layout *l, size_t stride, bool clears,
	struct zcfwd_recycle_error *e)
{
	struct rte_eth_txq_info info;
	uint16_t size, rs;

	if (!shim_owned(tx->txq, l->next_done + sizeof(uint16_t)) || l->bare > 1 ||
		l->least % 32 != 0 || l->done_offset >= INTEL_TX_DESC ||
		rte_eth_tx_queue_info_get(tx->port, tx->queue, &info) != 0)
		return shim_refuse(e, ZCFWD_RECYCLE_LAYOUT,
			"port %u: its transmit queue cannot be read", tx->port);
	size = shim_u16(tx->txq, l->size);
	rs = shim_u16(tx->txq, l->rs_thresh);
	if (size != info.nb_desc || rs != info.conf.tx_rs_thresh || rs == 0 || size % rs != 0 ||
		shim_u16(tx->txq, l->port) != tx->port ||
		shim_u16(tx->txq, l->queue) != tx->queue || shim_u16(tx->txq, l->tail) >= size ||
		shim_u16(tx->txq, l->free) >= size || shim_u16(tx->txq, l->next_done) >= size ||
		(shim_u16(tx->txq, l->next_done) + 1) % rs != 0 ||
		!shim_owned(shim_pointer(tx->txq, l->sw_ring), size * stride) ||
		!shim_owned(shim_pointer(tx->txq, l->ring), size * INTEL_TX_DESC))
		return shim_refuse(e, ZCFWD_RECYCLE_LAYOUT,
			"port %u: transmit queue %u is not laid out as in %s", tx->port, tx->queue,
			tx->laid.as);
	if (tx->laid.by != SHIM_BY_TABLE &&
		(l->next_rs == SHIM_NONE || !shim_owned(tx->txq, l->next_rs + sizeof(uint16_t))))
		return shim_refuse(e, ZCFWD_RECYCLE_LAYOUT,
			"port %u: transmit queue %u is not laid out as in %s", tx->port, tx->queue,
			tx->laid.as);
	tx->layout = l;
	tx->seen = UINT16_MAX;
	tx->ops = clears ? &tx_ops_clear : stride == 8 ? &intel_tx_ops_8 : &intel_tx_ops_16;
	tx->batch = rs < l->least && l->least % rs == 0 ? l->least : rs;
	if (size <= tx->batch)
		return shim_refuse(e, ZCFWD_RECYCLE_SIZES,
			"port %u: %u transmit descriptors: expected more than %u", tx->port, size,
			tx->batch);
	tx->list_size = tx->batch > rs ? tx->batch * stride / sizeof(tx->list[0]) : 0;
	return 0;
}
