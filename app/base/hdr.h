/* A histogram of times with three significant digits and a high dynamic range, with the cells of
 * HdrHistogram. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A value below 2048 has a cell of its own. Above, each power of two has 1024 cells, so that a cell
 * is at most 0.1 % wide. HdrHistogram (lowest value 1, three significant digits) numbers them in
 * the same way, so its tools read the log.
 */
#pragma once

#include "base/base.h"

#include <stdint.h>

struct out;

#define HDR_HALF 1024 /* cells per power of two */
#define HDR_HIGHEST \
	((UINT64_C(1) << 34) - 1) /* larger values are counted as this one: 17 s in ns */
#define HDR_CELLS (25 * HDR_HALF)

/* A histogram while it is written. */
struct hdr {
	counter cell[HDR_CELLS]; /* written by one thread */
};

/* A copy or a sum of histograms. */
struct hdr_copy {
	uint64_t cell[HDR_CELLS];
	uint64_t total;
};

/* Return the cell of a value. */
static inline unsigned int
hdr_index(uint64_t value)
{
	unsigned int shift;

	if (value > HDR_HIGHEST)
		value = HDR_HIGHEST;
	shift = 53 - (unsigned int)__builtin_clzll(value | (2 * HDR_HALF - 1));
	return (unsigned int)(value >> shift) + shift * HDR_HALF;
}

/* Count a value n times. Thread: the writer. */
static inline void
hdr_add_n(struct hdr *h, uint64_t value, uint64_t n)
{
	counter_add(&h->cell[hdr_index(value)], n);
}

static inline void
hdr_add(struct hdr *h, uint64_t value)
{
	hdr_add_n(h, value, 1);
}

/* Return the lowest value of a cell; that of the next one minus 1 is the highest. */
uint64_t hdr_lowest(unsigned int cell);

/* to += h, which may be written meanwhile. Thread: any. */
void hdr_merge(struct hdr_copy *to, const struct hdr *h);

/* to -= less, an earlier copy of the same histogram. */
void hdr_subtract(struct hdr_copy *to, const struct hdr_copy *less);

/*
 * Return the lowest value that at least a share of the values, 0..1, does not exceed, rounded up to
 * the end of its cell; 0 if there are none.
 */
uint64_t hdr_quantile(const struct hdr_copy *h, double share);

/* Return the highest value of the last cell that is not empty; 0 if there are no values. */
uint64_t hdr_max(const struct hdr_copy *h);

/*
 * As hdr_quantile(), but STAT_NONE without enough values: at least 100 of them have to be above it,
 * so 10^7 for 99.999 %. h: may be NULL, has no values then.
 */
uint64_t hdr_known(const struct hdr_copy *h, double share);

/*
 * Print the titles of the percentiles up to a share, in columns of 10 characters. unit: after each.
 * In JSON: nothing. hdr_columns() prints them, from ns to us: a dash, null in JSON if unknown.
 */
void hdr_titles(struct out *o, double upto, const char *unit);
void hdr_columns(struct out *o, double upto, const struct hdr_copy *h);
