/* Read a burst-size histogram; compute differences, quantiles and the most frequent sizes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/hist.h"

#include "base/stat.h"

#include <string.h>

void
hist_read(struct hist_copy *to, const struct hist *now)
{
	stat_read(to, now, sizeof(*to));
}

void
hist_subtract(struct hist_copy *to, const struct hist_copy *base)
{
	unsigned int n;

	for (n = 0; n < HIST_CELLS; n++)
		to->cell[n] -= base->cell[n];
}

struct hist_top
hist_top(const struct hist_copy *h)
{
	struct hist_top top;
	unsigned int n;

	memset(&top, 0, sizeof(top));
	top.bursts = h->cell[0];
	for (n = 1; n < HIST_CELLS; n++) {
		uint64_t count = h->cell[n];

		top.bursts += count;
		top.packets += count * n;
		if (count > top.count[0]) {
			top.count[1] = top.count[0];
			top.size[1] = top.size[0];
			top.count[0] = count;
			top.size[0] = n;
		} else if (count > top.count[1]) {
			top.count[1] = count;
			top.size[1] = n;
		}
	}
	return top;
}

unsigned int
hist_quantile(const struct hist_copy *h, double share)
{
	return stat_quantile(h->cell, HIST_CELLS, share);
}
