/* Functions that move mbufs between two queues of net_i40e, one per SIMD width. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/shim.h"

/*
 * The function for a release (rte_version()) and a size of Tx entries in bytes, 8 or 16; NULL:
 * there is none.
 */
pair_run *i40e_run_128(const char *version, size_t stride, enum recycle_mode mode);
pair_run *i40e_run_256(const char *version, size_t stride, enum recycle_mode mode);
pair_run *i40e_run_512(const char *version, size_t stride, enum recycle_mode mode);
