/* The terminal: its size, bars and curves in characters, an alternate screen, single keys. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

struct text;

/*
 * Columns and rows of the terminal behind the file, 80 and 24 when it does not tell; false when it
 * is no terminal.
 */
bool terminal_size(FILE *file, unsigned int *columns, unsigned int *rows);

/* True when the locale has block characters. After setlocale(). */
bool terminal_blocks(void);

/*
 * One cell that is filled from below to a fraction 0..1: a blank for 0, something to see for
 * anything above.
 */
const char *terminal_level(double fraction, bool blocks);

/* A bar of exactly so many cells, filled from the left to a fraction 0..1. */
void terminal_bar(struct text *t, unsigned int cells, double fraction, bool blocks);

/* What terminal_screen_begin() changed. */
struct terminal_screen {
	struct termios before;
};

/*
 * Keys come one by one without echo, ^C among them as a character; the file's screen is put aside
 * and its cursor hidden. Both stdin and the file must be a terminal that knows more than lines:
 * false when they are not, and nothing has changed.
 */
bool terminal_screen_begin(struct terminal_screen *s, FILE *file);

/* What to print before the first picture, and after the last one. */
#define TERMINAL_ENTER "\033[?1049h\033[?25l\033[2J"
#define TERMINAL_LEAVE "\033[?25h\033[?1049l"

/* What to print before a picture that takes the place of the last one, on the usual screen. */
#define TERMINAL_CLEAR "\033[H\033[2J"

/* True when the file is a terminal that knows more than lines. */
bool terminal_clears(FILE *file);

/* Keys as they were. */
void terminal_screen_end(const struct terminal_screen *s);
