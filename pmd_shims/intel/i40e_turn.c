/* Turns of pairs of which both queues are i40e's; compiled once for each width of vectors. */
#include "pmd_shims/intel/i40e_turn.h"

#include "pmd_shims/intel/i40e_layout.h"
#include "pmd_shims/intel/intel_turn.h"

/* 24.11 has the places of 22.11. */
INTEL_TURNS(v22_8, &i40e_rx_layouts[0], &i40e_tx_layouts[0], 8)
INTEL_TURNS(v22_16, &i40e_rx_layouts[0], &i40e_tx_layouts[0], 16)
INTEL_TURNS(v25_8, &i40e_rx_layouts[2], &i40e_tx_layouts[2], 8)

static const struct intel_turn turns[] = {
	{ &i40e_rx_layouts[0], 8, v22_8_ring, v22_8_cache },
	{ &i40e_rx_layouts[0], 16, v22_16_ring, v22_16_cache },
	{ &i40e_rx_layouts[1], 8, v22_8_ring, v22_8_cache },
	{ &i40e_rx_layouts[1], 16, v22_16_ring, v22_16_cache },
	{ &i40e_rx_layouts[2], 8, v25_8_ring, v25_8_cache },
};

pair_turn *
INTEL_TURN_OF(i40e_turn_, SHIM_WIDTH)(const char *version, size_t stride, enum recycle_mode mode)
{
	return intel_turn_find(turns, ARRAY_SIZE(turns), version, stride, mode);
}
