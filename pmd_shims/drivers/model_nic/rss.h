/* A port's hash key, made ready for hashing when the driver has changed it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/model.h"
#include "pmd_shims/drivers/model_nic/wire/packet.h"

#include <string.h>

struct rss_hash {
	uint32_t generation; /* of m->rss_generation that it was made for, plus 1; 0: never */
	struct toeplitz toeplitz;
};

/* The key: so many registers from offset on, step bytes apart; what it lacks is 0. */
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
