/* How top looks: a full screen that fits the terminal, plain lines, JSON; between the files of top
 * only. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "show/top_stats.h"

#include <stdbool.h>

struct out;
struct text;

struct top_view {
	enum top_order order;
	bool reverse;
	bool blocks; /* the terminal has block characters */
	bool paused;
	bool help;                  /* in place of the page */
	unsigned int page;          /* 0: streams; else top_pages[page - 1] */
	unsigned int columns, rows; /* of the terminal */
	/* row at the top of the list, columns hidden at the left; top_screen_draw() keeps both in range */
	unsigned int first, left;
	double period; /* seconds */
};

/*
 * Write the whole picture, from the upper left corner on, exactly as many lines as the terminal
 * has.
 */
void top_screen_draw(struct text *t, const struct top_stats *f, struct top_view *v);

/* The titles of the plain lines, and a line for every stream; at_s: seconds since top began. */
void top_screen_titles(struct text *t);
void top_screen_lines(struct text *t, const struct top_stats *f, double at_s);

/* One element of an array of samples. */
void top_screen_json(struct out *o, const struct top_stats *f, double at_s);
