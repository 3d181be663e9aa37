/* Move mbufs between two queues of net_ixgbe, with field offsets as constants; compiled once per
 * SIMD width. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/intel/ixgbe_run.h"

#include "pmd_shims/intel/intel_run.h"
#include "pmd_shims/intel/ixgbe_layout.h"

/* 24.11 has the places of 22.11. */
INTEL_RUNS(v22_8, &ixgbe_rx_layouts[0], &ixgbe_tx_layouts[0], 8)
INTEL_RUNS(v25_8, &ixgbe_rx_layouts[2], &ixgbe_tx_layouts[2], 8)

static const struct intel_run runs[] = {
	{ &ixgbe_rx_layouts[0], 8, v22_8_ring, v22_8_cache },
	{ &ixgbe_rx_layouts[1], 8, v22_8_ring, v22_8_cache },
	{ &ixgbe_rx_layouts[2], 8, v25_8_ring, v25_8_cache },
};

pair_run *
INTEL_RUN_OF(ixgbe_run_, SHIM_WIDTH)(const char *version, size_t stride, enum recycle_mode mode)
{
	return intel_run_find(runs, ARRAY_SIZE(runs), version, stride, mode);
}
