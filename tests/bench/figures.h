/* What was measured of one variant, batch by batch, and which of it counts: what had the core for
 * itself. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "bench/spread.h"

#include <stdint.h>

struct figures_batch {
	double cycles;   /* TSC cycles per packet */
	double core;     /* yardstick(), the worse of before and after */
	uint32_t sample; /* counted up */
};

/* All zero: empty. */
struct figures {
	struct figures_batch *batch;
	size_t n, room;
};

/* Take one more batch. false: no memory, nothing changed. */
bool figures_add(struct figures *f, struct figures_batch batch);
void figures_free(struct figures *f);

/* Batches of sample number from on whose core is at most limit. */
size_t figures_quiet(const struct figures *f, uint32_t from, double limit);

/*
 * Of the batches whose core is at most limit: all cycles into *all, and each sample's median into
 * middle[0..samples), 0: it has none. mean: of each sample the mean, into both. false: no memory.
 */
bool figures_select(const struct figures *f, double limit, bool mean, struct spread *all,
	double *middle, uint32_t samples);
