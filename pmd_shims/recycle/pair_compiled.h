/* Which loop moves mbufs between two queues, of those in pair_table.c. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"

/*
 * A function compiled for just the two ends of such a pair, as wide as the machine and
 * --force-max-simd-bitwidth allow; NULL: there is none, and the generic one calls the queues'
 * functions by pointers.
 */
pair_run *pair_compiled(const struct shim_rx *rx, const struct shim_tx *tx, enum recycle_mode mode);
