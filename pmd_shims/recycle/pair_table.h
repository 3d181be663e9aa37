/* Recycling loops compiled for one kind of Rx queue and one kind of Tx queue, per SIMD width. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"

#include <stddef.h>

/* The queues that a loop is compiled for: their functions, and a layout of so many bytes. */
struct pair_end {
	const void *ops, *layout;
	size_t bytes;
};

/*
 * The loops of a pair. cache does not touch the Rx queue, so pairs of a Tx end share it. zc_cache:
 * NULL if the pair has none.
 */
struct pair_row {
	const struct pair_end *rx, *tx;
	pair_run *ring, *zc_cache, *cache;
};

/* Find the loop for two bound queues; NULL: there is none. */
pair_run *pair_table_128(const struct shim_rx *rx, const struct shim_tx *tx,
	enum recycle_mode mode);
/* Loops of 256 and 512 bits; x86-64 only. */
pair_run *pair_table_256(const struct shim_rx *rx, const struct shim_tx *tx,
	enum recycle_mode mode);
pair_run *pair_table_512(const struct shim_rx *rx, const struct shim_tx *tx,
	enum recycle_mode mode);
