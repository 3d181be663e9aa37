/* Memory regions of the mlx5 family. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/mock/mlx5_region.h"

#include "model_nic/mock/mlx5_nic.h"

enum { REGIONS = 4096, KEY_SHIFT = 8, KEY_LOW = 0x5a };

/*
 * Key i << KEY_SHIFT | KEY_LOW. Changed by the application's threads while its mempools come and
 * go, read by the one that moves frames.
 */
static struct {
	_Atomic uintptr_t start, end;
} regions[REGIONS];

uint32_t
mlx5_region_add(const void *start, size_t bytes)
{
	for (uint32_t i = 1; i < REGIONS; i++) {
		uintptr_t none = 0;

		if (!atomic_compare_exchange_strong(&regions[i].start, &none, (uintptr_t)start))
			continue;
		atomic_store(&regions[i].end, (uintptr_t)start + bytes);
		return i << KEY_SHIFT | KEY_LOW;
	}
	return 0;
}

void
mlx5_region_remove(uint32_t key)
{
	uint32_t i = key >> KEY_SHIFT;

	if (i < REGIONS) {
		atomic_store(&regions[i].end, 0);
		atomic_store(&regions[i].start, 0);
	}
}

bool
mlx5_region_covers(uint32_t key, const uint8_t *p, uint32_t len)
{
	uint32_t i = key >> KEY_SHIFT;
	uintptr_t at = (uintptr_t)p;

	return i < REGIONS && (key & 0xff) == KEY_LOW &&
		at >= atomic_load_explicit(&regions[i].start, memory_order_relaxed) &&
		at + len <= atomic_load_explicit(&regions[i].end, memory_order_relaxed);
}

void
mlx5_region_complain(struct model *m, const struct ring *r, const uint8_t *segment)
{
	enum { LINES = 4 };

	if (atomic_fetch_add(&mlx5_nic(m)->faults.region, 1) < LINES)
		model_log(m, 1, "queue %u: key %#x does not cover %u bytes at %#llx", r->index,
			mlx5_be32(segment + 4), mlx5_be32(segment),
			(unsigned long long)mlx5_be64(segment + 8));
}
