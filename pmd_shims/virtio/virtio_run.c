/* Move mbufs between two queues of net_virtio, with field offsets as constants; compiled once per
 * SIMD width. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/virtio/virtio_run.h"

#include "base/base.h"
#include "pmd_shims/pair.h"
#include "pmd_shims/virtio/virtio_rx_packed.h"
#include "pmd_shims/virtio/virtio_rx_split.h"
#include "pmd_shims/virtio/virtio_tx_packed.h"
#include "pmd_shims/virtio/virtio_tx_split.h"

#include <string.h>

#define PASTE(a, b) a##b
#define RUN_OF(width) PASTE(virtio_run_, width)

/* sent() did it. */
static void
taken(const struct shim_tx *tx, const struct shim_mbufs *mbufs)
{
}

/*
 * NAME_ring() and NAME_cache(): functions for one layout, of rings of one kind; sent: what such a
 * receive function has beside it.
 */
#define RUNS(name, layout, packed, arm, sent) \
	static uint16_t name##_room(const struct shim_rx *rx) \
	{ \
		return virtio_room(rx, layout, packed); \
	} \
	static bool name##_arm(const struct shim_rx *rx, const struct shim_mbufs *mbufs, \
		bool sure) \
	{ \
		return arm(rx, layout, mbufs, sure); \
	} \
	static struct shim_mbufs name##_sent(const struct shim_tx *tx) \
	{ \
		return sent(tx, layout); \
	} \
	static uint16_t name##_ring(struct recycle *r) \
	{ \
		return pair_run_ring(r, name##_room, name##_arm, name##_sent, taken, \
			VIRTIO_BATCH); \
	} \
	static uint16_t name##_cache(struct recycle *r) \
	{ \
		return pair_run_cache(r, name##_room, name##_arm, name##_sent, taken, \
			VIRTIO_BATCH); \
	}

RUNS(v22_split, &virtio_layouts[0], false, virtio_arm_split, virtio_sent_split)
RUNS(v22_packed, &virtio_layouts[0], true, virtio_arm_packed, virtio_sent_packed)

static const struct {
	const struct virtio_layout *layout;
	bool packed;
	pair_run *ring, *cache;
} runs[] = {
	{ &virtio_layouts[0], false, v22_split_ring, v22_split_cache },
	{ &virtio_layouts[0], true, v22_packed_ring, v22_packed_cache },
};

pair_run *
RUN_OF(SHIM_WIDTH)(const char *version, bool packed, enum recycle_mode mode)
{
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
		if (runs[i].packed == packed && strcmp(runs[i].layout->version, version) == 0)
			return mode == RECYCLE_ZC_CACHE ? runs[i].cache : runs[i].ring;
	return NULL;
}
