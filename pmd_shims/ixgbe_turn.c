/* Turns of pairs of which both queues are ixgbe's; compiled once for each width of vectors. */
#include "intel_turn.h"
#include "ixgbe.h"

INTEL_TURNS(v22_8, &ixgbe_rx_layouts[0], &ixgbe_tx_layouts[0], 8)

static const struct intel_turn turns[] = {
	{ &ixgbe_rx_layouts[0], 8, v22_8_ring, v22_8_cache },
};

pair_turn *
INTEL_TURN_OF(ixgbe_turn_, SHIM_WIDTH)(const char *version, size_t stride, enum recycle_mode mode)
{
	return intel_turn_find(turns, ARRAY_SIZE(turns), version, stride, mode);
}
