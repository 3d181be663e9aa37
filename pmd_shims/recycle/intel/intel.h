/* Tx and Rx rings of Intel's drivers with vector functions: i40e, ice, iavf and ixgbe have the same
 * fields at different offsets. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions are inlined once per SIMD width, with the offsets as constants.
 */
#pragma once

#include "pmd_shims/recycle/intel/intel_layout.h"
#include "pmd_shims/recycle/rearm_check.h"
#include "pmd_shims/recycle/shim.h"

#include <rte_byteorder.h>
#include <rte_io.h>

#include <string.h>

enum { INTEL_TX_DESC = 16 };

/*
 * Write the driver's name and its name of the queue's function to path: "net_i40e Vector AVX2", or
 * "net_i40e unknown" if the driver does not report it.
 */
void intel_path(const char *driver, uint16_t port, uint16_t queue, bool rx, char path[SHIM_PATH]);

/*
 * Check a queue whose burst function is known to be a vector function, and fill *rx except path.
 * Errors: -ENOTSUP.
 */
int intel_rx_bind(struct shim_rx *rx, const struct intel_rx_layout *layout,
	struct zcfwd_recycle_error *e);

/*
 * Check a queue whose burst function is known to be a vector or simple function, and fill *tx
 * except path. stride: bytes of an entry of its mbuf ring, 8 or 16. clears: entries of taken mbufs
 * have to be set to NULL. Errors: -ENOTSUP.
 */
int intel_tx_bind(struct shim_tx *tx, const struct intel_tx_layout *layout, size_t stride,
	bool clears, struct zcfwd_recycle_error *e);

/*
 * The functions of a queue; in the ring of mbufs an entry is 8 or 16 bytes. Queues whose entries of
 * taken mbufs have to be set to NULL have others.
 */
extern const struct shim_rx_ops intel_rx_ops;
extern const struct shim_tx_ops intel_tx_ops_8, intel_tx_ops_16;

/* Names and sizes of the fields of both layouts, for struct shim_table. */
extern const char *const intel_rx_fields[], *const intel_tx_fields[];
extern const uint8_t intel_rx_bytes[], intel_tx_bytes[];
enum {
	INTEL_RX_N_FIELDS = INTEL_RX_FIELDS(SHIM_FIELD_COUNT),
	INTEL_TX_N_FIELDS = INTEL_TX_FIELDS(SHIM_FIELD_COUNT),
};

/* A shim_rx_room. */
static __rte_always_inline uint16_t
intel_room(const struct shim_rx *rx, const struct intel_rx_layout *l, uint16_t shut)
{
	uint16_t open = shim_u16(rx->rxq, l->rearm_n);

	/* Keep one slot free, so that the tail never reaches the head. */
	return open > shut + l->rearm ? (uint16_t)((open - shut - 1) / l->rearm * l->rearm) : 0;
}

/* Make one more armed batch available to the NIC. */
static __rte_always_inline void
intel_armed(const struct shim_rx *rx, const struct intel_rx_layout *l)
{
	uint16_t start = shim_u16(rx->rxq, l->rearm_start), size = shim_u16(rx->rxq, l->size),
		 next = start + l->rearm >= size ? 0 : start + l->rearm,
		 tail = next == 0 ? size - 1 : next - 1;

	shim_u16_set(rx->rxq, l->rearm_start, next);
	shim_u16_set(rx->rxq, l->rearm_n, shim_u16(rx->rxq, l->rearm_n) - l->rearm);
	rte_write32(rte_cpu_to_le_32(tail), shim_pointer(rx->rxq, l->doorbell));
}

/* A shim_rx_arm for mbufs of a constant stride. */
static __rte_always_inline bool
intel_arm(const struct shim_rx *rx, const struct intel_rx_layout *l, const struct shim_mbufs *mbufs,
	size_t stride, bool sure)
{
	const simd128 headroom = { RTE_PKTMBUF_HEADROOM, 0 };
	uint16_t start = shim_u16(rx->rxq, l->rearm_start);
	struct rte_mbuf **slot = (struct rte_mbuf **)shim_pointer(rx->rxq, l->sw_ring) + start;
	char *desc = (char *)shim_pointer(rx->rxq, l->ring) + start * l->desc_size;
	const char *from = mbufs->first;
	struct rearm_check check = rearm_check_begin(rx->pool);

	if (stride == sizeof(slot[0]))
		memcpy(slot, from, l->rearm * sizeof(slot[0]));
	/* In groups of four, so that the compiler unrolls the loop. */
	for (unsigned int i = 0; i < l->rearm; i += 4)
		for (unsigned int j = i; j < i + 4; j++) {
			struct rte_mbuf *m =
				*(struct rte_mbuf *const *)(const void *)(from + j * stride);
			simd128 iova = simd_second(rearm_check_mbuf(&check, m));

			if (stride != sizeof(slot[0]))
				slot[j] = m;
			/* The upper half is 0: no header buffer, and not written back yet. */
			simd_store(desc + j * l->desc_size, iova + headroom);
		}
	if (unlikely(!sure && !rearm_check_passed(&check)))
		return false;
	intel_armed(rx, l);
	return true;
}

/* A shim_rx_hide. */
static __rte_always_inline uint16_t
intel_hide(const struct shim_rx *rx, const struct intel_rx_layout *l, struct shim_hidden *hidden)
{
	hidden->n = shim_u16(rx->rxq, l->rearm_n);
	shim_u16_set(rx->rxq, l->rearm_n, 0);
	return hidden->n;
}

/* A shim_rx_unhide. */
static __rte_always_inline uint16_t
intel_unhide(const struct shim_rx *rx, const struct intel_rx_layout *l, struct shim_hidden *hidden)
{
	const uint16_t received = shim_u16(rx->rxq, l->rearm_n);

	shim_u16_set(rx->rxq, l->rearm_n, received + hidden->n);
	hidden->n = 0;
	return received;
}

/* The ring entry of mbuf i of the next sent batch. */
static __rte_always_inline const void *
intel_entry(const struct shim_tx *tx, const struct intel_tx_layout *l, size_t stride, uint16_t i)
{
	uint16_t at = shim_u16(tx->txq, l->next_done) - (shim_u16(tx->txq, l->rs_thresh) - 1) + i,
		 size = shim_u16(tx->txq, l->size);

	return (const char *)shim_pointer(tx->txq, l->sw_ring) +
		(at < size ? at : at - size) * stride;
}

/*
 * A shim_tx_sent. It may return several of the driver's batches at a time; the last descriptor of
 * the last one shows that all were sent.
 */
static __rte_always_inline struct shim_mbufs
intel_sent(const struct shim_tx *tx, const struct intel_tx_layout *l, size_t stride)
{
	uint16_t n = tx->batch, size = shim_u16(tx->txq, l->size),
		 used = size - 1 - shim_u16(tx->txq, l->free),
		 last = shim_u16(tx->txq, l->next_done) + n - shim_u16(tx->txq, l->rs_thresh);
	const char *ring = shim_pointer(tx->txq, l->ring);
	/*
	 * A driver's batch has at least 32 mbufs and does not wrap. So only several batches at a
	 * time, for which least is over 32, can wrap.
	 */
	const bool wraps = l->least > 32 && last >= size;
	const volatile uint32_t *done = (const volatile uint32_t *)(const void *)(ring +
		(wraps ? last - size : last) * INTEL_TX_DESC + l->done_offset);

	/* Check used as well: descriptors that were never used read as done. */
	if (used < n || (rte_le_to_cpu_32(*done) & l->done_mask) != l->done_mask)
		return (struct shim_mbufs){ .n = 0 };
	if (likely(!wraps))
		return (struct shim_mbufs){ .first = intel_entry(tx, l, stride, 0),
			.stride = stride,
			.n = n };
	/* With the ring's stride, since compiled loops have it as a constant. */
	for (uint16_t i = 0; i < n; i++)
		tx->list[i * stride / sizeof(tx->list[0])] =
			*(struct rte_mbuf *const *)intel_entry(tx, l, stride, i);
	return (struct shim_mbufs){ .first = tx->list, .stride = stride, .n = n };
}

/* A shim_tx_taken. */
static __rte_always_inline void
intel_taken(const struct shim_tx *tx, const struct intel_tx_layout *l,
	const struct shim_mbufs *mbufs)
{
	uint16_t size = shim_u16(tx->txq, l->size),
		 next = shim_u16(tx->txq, l->next_done) + mbufs->n;

	shim_u16_set(tx->txq, l->free, shim_u16(tx->txq, l->free) + mbufs->n);
	shim_u16_set(tx->txq, l->next_done, next < size ? next : next - size);
}
