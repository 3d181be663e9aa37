/* Recycling loops compiled for one kind of Rx queue and one kind of Tx queue, per SIMD width. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"

/* Find the loop for two bound queues, with a window of armed descriptors; NULL: there is none. */
pair_run *pair_table_128(const struct shim_rx *rx, const struct shim_tx *tx,
	enum zcfwd_recycle_mode mode, bool window);
/* Loops of 256 and 512 bits; x86-64 only. */
pair_run *pair_table_256(const struct shim_rx *rx, const struct shim_tx *tx,
	enum zcfwd_recycle_mode mode, bool window);
pair_run *pair_table_512(const struct shim_rx *rx, const struct shim_tx *tx,
	enum zcfwd_recycle_mode mode, bool window);
