/* Turns of pairs of which both queues are i40e's; compiled once for each width of vectors. */
#include "i40e.h"
#include "intel_turn.h"

INTEL_TURNS(v22_8, &i40e_rx_layouts[0], &i40e_tx_layouts[0], 8)
INTEL_TURNS(v22_16, &i40e_rx_layouts[0], &i40e_tx_layouts[0], 16)

static const struct intel_turn turns[] = {
	{ &i40e_rx_layouts[0], 8, v22_8_ring, v22_8_cache },
	{ &i40e_rx_layouts[0], 16, v22_16_ring, v22_16_cache },
};

pair_turn *
INTEL_TURN_OF(i40e_turn_, SHIM_WIDTH)(const char *version, size_t stride, enum recycle_mode mode)
{
	return intel_turn_find(turns, ARRAY_SIZE(turns), version, stride, mode);
}
