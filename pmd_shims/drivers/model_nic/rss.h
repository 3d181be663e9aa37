/* A port's hash key, prepared again for hashing when the driver has changed it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/model.h"
#include "pmd_shims/drivers/model_nic/wire/packet.h"

#include <string.h>

struct rss_hash {
	/* value of m->rss_generation when it was made, plus 1; 0: never made */
	uint32_t generation;
	struct toeplitz toeplitz;
};

/*
 * Prepare the key for hashing: words registers from offset on, step bytes apart. If these are too
 * few the key is filled with 0.
 */
static inline const struct toeplitz *
rss_toeplitz(const struct model *m, struct rss_hash *h, uint32_t offset, unsigned words,
	uint32_t step)
{
	uint32_t generation = atomic_load(&m->rss_generation) + 1;
	uint8_t key[TOEPLITZ_KEY] = { 0 };

	if (h->generation == generation)
		return &h->toeplitz;
	for (unsigned i = 0; i < words && i < TOEPLITZ_KEY / 4; i++) {
		uint32_t v = model_reg(m, offset + i * step);

		memcpy(key + 4 * (size_t)i, &v, 4);
	}
	toeplitz_make(&h->toeplitz, key);
	h->generation = generation;
	return &h->toeplitz;
}
