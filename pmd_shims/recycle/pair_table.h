/* Loops of recycling that are compiled for one kind of Rx queue and one of Tx queue, per SIMD
 * width. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"

/* The function for two ends, by their names in struct shim_rx and shim_tx; NULL: there is none. */
pair_run *pair_table_128(const char *rx, const char *tx, enum recycle_mode mode);
/* On x86-64. */
pair_run *pair_table_256(const char *rx, const char *tx, enum recycle_mode mode);
pair_run *pair_table_512(const char *rx, const char *tx, enum recycle_mode mode);
