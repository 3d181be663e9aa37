/* Batches in the order they were measured, and choosing among them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/figures.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 1024 };

bool
figures_add(struct figures *f, struct figures_batch batch)
{
	if (f->n == f->room) {
		size_t room = f->room > 0 ? 2 * f->room : ROOM;
		struct figures_batch *more = realloc(f->batch, room * sizeof(*more));

		if (more == NULL)
			return false;
		f->batch = more;
		f->room = room;
	}
	f->batch[f->n++] = batch;
	return true;
}

void
figures_free(struct figures *f)
{
	free(f->batch);
	memset(f, 0, sizeof(*f));
}

size_t
figures_quiet(const struct figures *f, uint32_t from, double limit)
{
	size_t quiet = 0;

	for (size_t i = f->n; i > 0 && f->batch[i - 1].sample >= from; i--)
		quiet += f->batch[i - 1].core <= limit;
	return quiet;
}

bool
figures_select(const struct figures *f, double limit, bool mean, struct spread *all, double *middle,
	uint32_t samples)
{
	struct spread one = { 0 };
	bool kept = true;
	size_t i = 0;

	for (uint32_t sample = 0; sample < samples; sample++) {
		spread_clear(&one);
		for (; i < f->n && f->batch[i].sample == sample; i++)
			if (f->batch[i].core <= limit)
				kept = kept && spread_add(&one, f->batch[i].cycles) &&
					(mean || spread_add(all, f->batch[i].cycles));
		middle[sample] = mean ? spread_mean(&one) : spread_quantile(&one, 0.5);
		if (mean && one.n > 0)
			kept = kept && spread_add(all, middle[sample]);
	}
	spread_free(&one);
	return kept;
}
