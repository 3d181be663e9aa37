/* A histogram of times: sums and quantiles. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/hdr.h"

#include "base/out.h"
#include "base/stat.h"

#include <math.h>
#include <stdio.h>

uint64_t
hdr_lowest(unsigned int cell)
{
	const unsigned int shift = cell < 2 * HDR_HALF ? 0 : cell / HDR_HALF - 1;

	return (uint64_t)(cell - shift * HDR_HALF) << shift;
}

void
hdr_merge(struct hdr_copy *to, const struct hdr *h)
{
	for (unsigned int i = 0; i < HDR_CELLS; i++) {
		const uint64_t n = counter_read(&h->cell[i]);

		to->cell[i] += n;
		to->total += n;
	}
}

void
hdr_subtract(struct hdr_copy *to, const struct hdr_copy *less)
{
	for (unsigned int i = 0; i < HDR_CELLS; i++)
		to->cell[i] -= less->cell[i];
	to->total -= less->total;
}

uint64_t
hdr_quantile(const struct hdr_copy *h, double share)
{
	const uint64_t wanted = stat_share(h->total, share);
	uint64_t sum = 0;

	for (unsigned int i = 0; i < HDR_CELLS && h->total > 0; i++) {
		sum += h->cell[i];
		if (sum > 0 && sum >= wanted)
			return hdr_lowest(i + 1) - 1;
	}
	return 0;
}

uint64_t
hdr_max(const struct hdr_copy *h)
{
	unsigned int cell = HDR_CELLS;

	while (cell > 0 && h->cell[cell - 1] == 0)
		cell--;
	return cell == 0 ? 0 : hdr_lowest(cell) - 1;
}

uint64_t
hdr_known(const struct hdr_copy *h, double share)
{
	/* The slack absorbs the rounding of a share such as 0.99999. */
	if (h == NULL || (double)h->total * (1 - share) < 100 - 1e-6)
		return STAT_NONE;
	return hdr_quantile(h, share);
}

void
hdr_titles(struct out *o, double upto, const char *unit)
{
	char title[32];

	for (const struct stat_percentile *p = stat_percentiles; p->share <= upto; p++) {
		snprintf(title, sizeof(title), "%s%s", p->title, unit);
		out_text(o, " %10s", title);
	}
}

void
hdr_columns(struct out *o, double upto, const struct hdr_copy *h)
{
	for (const struct stat_percentile *p = stat_percentiles; p->share <= upto; p++) {
		const uint64_t ns = hdr_known(h, p->share);

		out_us(o, p->key_us, ns != STAT_NONE ? (double)ns / 1e3 : NAN);
	}
}
