/* Move mbufs between two queues of net_i40e, with field offsets as constants; compiled once per
 * SIMD width. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/intel/i40e_run.h"

#include "pmd_shims/intel/i40e_layout.h"
#include "pmd_shims/intel/intel_run.h"

/* 24.11 has the places of 22.11. */
INTEL_RUNS(v22_8, &i40e_rx_layouts[0], &i40e_tx_layouts[0], 8)
INTEL_RUNS(v22_16, &i40e_rx_layouts[0], &i40e_tx_layouts[0], 16)
INTEL_RUNS(v25_8, &i40e_rx_layouts[2], &i40e_tx_layouts[2], 8)

static const struct intel_run runs[] = {
	{ &i40e_rx_layouts[0], 8, v22_8_ring, v22_8_cache },
	{ &i40e_rx_layouts[0], 16, v22_16_ring, v22_16_cache },
	{ &i40e_rx_layouts[1], 8, v22_8_ring, v22_8_cache },
	{ &i40e_rx_layouts[1], 16, v22_16_ring, v22_16_cache },
	{ &i40e_rx_layouts[2], 8, v25_8_ring, v25_8_cache },
};

pair_run *
INTEL_RUN_OF(i40e_run_, SHIM_WIDTH)(const char *version, size_t stride, enum recycle_mode mode)
{
	return intel_run_find(runs, ARRAY_SIZE(runs), version, stride, mode);
}
