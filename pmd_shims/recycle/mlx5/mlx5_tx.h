/* Tx queue of net_mlx5: field offsets by DPDK release, and how sent mbufs are taken out of its
 * ring. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"

#include <rte_atomic.h>
#include <rte_byteorder.h>

enum {
	MLX5_CQES_MAX = 16, /* completions read in one call */
	MLX5_CQE = 64,      /* bytes of a completion */
};

/* Byte offsets in the driver's Tx queue. */
#define MLX5_TX_FIELDS(F) \
	F(head, 2, "number of mbufs given to the NIC so far") \
	F(tail, 2, "number of mbufs freed so far") \
	F(size, 2, "slots of the ring of mbufs") \
	F(mask, 2, "size - 1") \
	F(freed_wqe, 2, "number of work queue elements freed so far") \
	F(done, 2, "number of completions read so far") \
	F(owner, 2, "size of the completion ring") \
	F(cqe_mask, 2, "owner - 1") \
	F(heads, 8, "pointer to the head at each completion") \
	F(cqes, 8, "pointer to the completions") \
	F(doorbell, 8, "pointer to the doorbell record, which the NIC reads") \
	F(port, 2, "ethdev's port number") \
	F(queue, 2, "ethdev's queue number") \
	F(slots, 8, "the ring of mbufs itself") \
	F(wqe_size, 2, "number of work queue elements; check only, as in intel_layout.h") \
	F(wqe_mask, 2, "wqe_size - 1; check only")

struct mlx5_tx_layout {
	struct shim_releases releases;
	MLX5_TX_FIELDS(SHIM_FIELD)
};

enum { MLX5_TX_ROWS(SHIM_ROW_ID) };
enum { MLX5_TX_ROW_BUILT = MLX5_TX_ROWS(SHIM_ROW_BUILT) };

static const struct mlx5_tx_layout mlx5_tx_layouts[] = { MLX5_TX_ROWS(SHIM_ROW) };

/* The layout of the DPDK release at compile time. */
#define MLX5_TX_BUILT (&mlx5_tx_layouts[MLX5_TX_ROW_BUILT])

/* The number of mbufs sent according to the first done completions. */
static __rte_always_inline uint16_t
mlx5_end(const struct shim_tx *tx, const struct mlx5_tx_layout *l, uint16_t done)
{
	return ((const uint16_t *)shim_pointer(tx->txq,
		l->heads))[(uint16_t)(done - 1) & shim_u16(tx->txq, l->cqe_mask)];
}

/*
 * Read completions in place of the driver, which would free all sent mbufs whenever it finds one;
 * so sent mbufs without a free Rx slot can wait in the Tx ring. If half of the ring waits, further
 * completions are left to the driver, as are errors. Returns the number of mbufs sent so far.
 */
static __rte_always_inline uint16_t
mlx5_sent_end(const struct shim_tx *tx, const struct mlx5_tx_layout *l)
{
	const uint16_t owner = shim_u16(tx->txq, l->owner), mask = shim_u16(tx->txq, l->cqe_mask),
		       tail = shim_u16(tx->txq, l->tail), most = shim_u16(tx->txq, l->size) / 2;
	uint16_t done = shim_u16(tx->txq, l->done), before = done;
	const volatile uint8_t *cqe = NULL;

	while ((uint16_t)(done - before) < MLX5_CQES_MAX &&
		(uint16_t)(mlx5_end(tx, l, done) - tail) < most) {
		const volatile uint8_t *next =
			(const volatile uint8_t *)shim_pointer(tx->txq, l->cqes) +
			(done & mask) * MLX5_CQE;
		uint8_t state = next[MLX5_CQE - 1], opcode = state >> 4;

		/* Opcode 0xf: never written; 0xd and 0xe: errors. */
		if ((state & 1) != ((done & owner) != 0) || opcode >= 0xd)
			break;
		cqe = next;
		done++;
	}
	if (cqe != NULL) {
		rte_io_rmb();
		shim_u16_set(tx->txq, l->done, done);
		rte_compiler_barrier();
		*(volatile uint32_t *)shim_pointer(tx->txq, l->doorbell) = rte_cpu_to_be_32(done);
		shim_u16_set(tx->txq, l->freed_wqe,
			rte_be_to_cpu_16(*(const volatile uint16_t *)(const volatile void *)(cqe +
				MLX5_CQE - 4)));
	}
	return mlx5_end(tx, l, done);
}

/* A shim_tx_sent. Up to tx->wanted mbufs that wrap around the ring's end are copied to tx->list. */
static __rte_always_inline struct shim_mbufs
mlx5_sent(const struct shim_tx *tx, const struct mlx5_tx_layout *l)
{
	uint16_t tail = shim_u16(tx->txq, l->tail), mask = shim_u16(tx->txq, l->mask),
		 at = tail & mask, to_end = shim_u16(tx->txq, l->size) - at,
		 n = mlx5_sent_end(tx, l) - tail;
	struct rte_mbuf *const *slots = shim_at(tx->txq, l->slots);

	if (likely(n <= to_end || to_end >= tx->wanted))
		return (struct shim_mbufs){ .first = slots + at,
			.stride = sizeof(void *),
			.n = RTE_MIN(n, to_end) };
	n = RTE_MIN(n, tx->wanted);
	for (uint16_t i = 0; i < n; i++)
		tx->list[i] = slots[(at + i) & mask];
	return (struct shim_mbufs){ .first = tx->list, .stride = sizeof(void *), .n = n };
}

/* A shim_tx_taken. */
static __rte_always_inline void
mlx5_taken(const struct shim_tx *tx, const struct mlx5_tx_layout *l, const struct shim_mbufs *mbufs)
{
	shim_u16_set(tx->txq, l->tail, shim_u16(tx->txq, l->tail) + mbufs->n);
}
