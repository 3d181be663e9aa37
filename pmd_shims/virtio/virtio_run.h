/* Functions that move mbufs between two queues of net_virtio, one per SIMD width. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/shim.h"

/*
 * The function for a release (rte_version()); packed: both rings are, else both are split; NULL:
 * there is none.
 */
pair_run *virtio_run_128(const char *version, bool packed, enum recycle_mode mode);
pair_run *virtio_run_256(const char *version, bool packed, enum recycle_mode mode);
pair_run *virtio_run_512(const char *version, bool packed, enum recycle_mode mode);
