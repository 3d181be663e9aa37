/* The pages of top other than streams: ports, lcores, pools, engine counters; private to top. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "show/top_stats.h"

#define TOP_CELLS_MAX 9

/* One row of a page: its name and its numbers. NAN: unknown. */
struct top_page_row {
	char name[48];
	double cell[TOP_CELLS_MAX];
};

struct top_page {
	const char *name;
	const char *title; /* heading of the column of names */
	unsigned int name_width;
	struct top_page_column {
		const char *title; /* on the screen */
		const char *key;   /* in JSON */
		unsigned int width;
		int decimals;
	} column[TOP_CELLS_MAX];
	unsigned int n_columns; /* the history shows the first one */
	unsigned int (*rows)(const struct top_stats *f);
	void (*row)(const struct top_stats *f, unsigned int i, struct top_page_row *row);
};

/* Pages 1..top_pages_n; page 0, the streams, is not in this array. */
extern const struct top_page top_pages[];
extern const unsigned int top_pages_n;

/* Append the first number of each row to its history. Call after top_stats_next(). */
void top_pages_remember(struct top_stats *f);
