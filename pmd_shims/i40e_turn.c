/* Turns of pairs of which both queues are i40e's; compiled once for each width of vectors. */
#include "i40e.h"
#include "pair.h"

#include <string.h>

#define PASTE(a, b) a##b
#define TURN_OF(width) PASTE(i40e_turn_, width)

/* For one release (its place among the layouts) and one size of the transmit function's entries. */
#define TURNS(name, release, stride) \
	static uint16_t name##_room(const struct shim_rx *rx) \
	{ \
		return intel_room(rx, &i40e_rx_layouts[release]); \
	} \
	static bool name##_arm(const struct shim_rx *rx, const struct shim_mbufs *mbufs, \
		bool sure) \
	{ \
		return intel_arm(rx, &i40e_rx_layouts[release], mbufs, stride, sure); \
	} \
	static bool name##_arm_cached(const struct shim_rx *rx, const struct shim_mbufs *mbufs, \
		bool sure) \
	{ \
		return intel_arm(rx, &i40e_rx_layouts[release], mbufs, sizeof(void *), sure); \
	} \
	static struct shim_mbufs name##_sent(const struct shim_tx *tx) \
	{ \
		return intel_sent(tx, &i40e_tx_layouts[release], stride); \
	} \
	static void name##_taken(const struct shim_tx *tx, const struct shim_mbufs *mbufs) \
	{ \
		intel_taken(tx, &i40e_tx_layouts[release], mbufs); \
	} \
	static uint16_t name##_ring(struct recycle *r) \
	{ \
		return pair_turn_ring(r, name##_room, name##_arm, name##_sent, name##_taken, \
			INTEL_REARM); \
	} \
	static uint16_t name##_cache(struct recycle *r) \
	{ \
		return pair_turn_cache(r, name##_room, name##_arm_cached, name##_sent, \
			name##_taken, INTEL_REARM); \
	}

TURNS(v22_8, 0, 8)
TURNS(v22_16, 0, 16)

static const struct {
	const struct intel_rx_layout *layout;
	size_t stride;
	pair_turn *ring, *cache;
} turns[] = {
	{ &i40e_rx_layouts[0], 8, v22_8_ring, v22_8_cache },
	{ &i40e_rx_layouts[0], 16, v22_16_ring, v22_16_cache },
};

pair_turn *
TURN_OF(SHIM_WIDTH)(const char *version, size_t stride, enum recycle_mode mode)
{
	for (size_t i = 0; i < ARRAY_SIZE(turns); i++)
		if (turns[i].stride == stride && strcmp(turns[i].layout->version, version) == 0)
			return mode == RECYCLE_ZC_CACHE ? turns[i].cache : turns[i].ring;
	return NULL;
}
