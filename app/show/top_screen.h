/* The output of top: a full screen that fits the terminal, plain lines, JSON; private to top. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "show/top_stats.h"

#include <stdbool.h>
#include <stddef.h>

struct out;
struct text;

struct top_view {
	enum top_order order;
	bool reverse;
	bool blocks; /* the terminal has block characters */
	bool paused;
	bool help;                  /* show help instead of the page */
	unsigned int page;          /* 0: streams; else top_pages[page - 1] */
	unsigned int columns, rows; /* size of the terminal */
	/* first visible row, number of columns hidden at the left; top_screen_draw() limits both */
	unsigned int first, left;
	double period; /* seconds */
};

/*
 * Append the whole screen to t, starting at the upper left corner: exactly as many lines as the
 * terminal has.
 */
void top_screen_draw(struct text *t, const struct top_stats *f, struct top_view *v);

/* Append the titles of the plain lines; a line per stream, with at_s seconds since top began. */
void top_screen_titles(struct text *t);
void top_screen_lines(struct text *t, const struct top_stats *f, double at_s);

/* Print one sample as an element of a JSON array. */
void top_screen_json(struct out *o, const struct top_stats *f, double at_s);
