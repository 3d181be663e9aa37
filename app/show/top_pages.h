/* What top shows beside streams: ports, lcores, pools, what the engine counts; between the files of
 * top only. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "show/top_stats.h"

#include <stddef.h>

#define TOP_CELLS_MAX 9

/* One row of a page: what it is about, and its numbers, NAN: not known. */
struct top_page_row {
	char name[48];
	double cell[TOP_CELLS_MAX];
};

struct top_page {
	const char *name;
	const char *title; /* of the rows' names */
	unsigned int name_width;
	struct top_page_column {
		const char *title, *key; /* on the screen, in JSON */
		unsigned int width;
		int decimals;
	} column[TOP_CELLS_MAX];
	unsigned int n_columns; /* the history is that of the first one */
	unsigned int (*rows)(const struct top_stats *f);
	void (*row)(const struct top_stats *f, unsigned int i, struct top_page_row *row);
};

/* Streams are page 0, which is not here; these are pages 1..top_pages_n. */
extern const struct top_page top_pages[];
extern const unsigned int top_pages_n;

/* Add the first numbers of all rows to what they were before; after top_stats_next(). */
void top_pages_remember(struct top_stats *f);
