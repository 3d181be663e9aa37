/* Selects the loop of pair_table.c that moves mbufs between two queues. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"

/*
 * Find the function compiled for exactly these two ends and the widest vectors that the CPU and
 * --force-max-simd-bitwidth allow. NULL: none; use the generic loop, which calls the queues'
 * functions through pointers. window: the Rx queue has a window of armed descriptors.
 */
pair_run *pair_compiled(const struct shim_rx *rx, const struct shim_tx *tx,
	enum zcfwd_recycle_mode mode, bool window);
