/* Turns of pairs of which both queues are ixgbe's; compiled once for each width of vectors. */
#include "pmd_shims/intel/ixgbe_turn.h"

#include "pmd_shims/intel/intel_turn.h"
#include "pmd_shims/intel/ixgbe_layout.h"

/* 24.11 has the places of 22.11. */
INTEL_TURNS(v22_8, &ixgbe_rx_layouts[0], &ixgbe_tx_layouts[0], 8)
INTEL_TURNS(v25_8, &ixgbe_rx_layouts[2], &ixgbe_tx_layouts[2], 8)

static const struct intel_turn turns[] = {
	{ &ixgbe_rx_layouts[0], 8, v22_8_ring, v22_8_cache },
	{ &ixgbe_rx_layouts[1], 8, v22_8_ring, v22_8_cache },
	{ &ixgbe_rx_layouts[2], 8, v25_8_ring, v25_8_cache },
};

pair_turn *
INTEL_TURN_OF(ixgbe_turn_, SHIM_WIDTH)(const char *version, size_t stride, enum recycle_mode mode)
{
	return intel_turn_find(turns, ARRAY_SIZE(turns), version, stride, mode);
}
