/* The terminal: its size, bars and curves in characters, an alternate screen, single keys. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

struct text;

/*
 * Get columns and rows of the file's terminal, 80 and 24 if unknown. Returns false if the file is
 * not a terminal.
 */
bool terminal_size(FILE *file, unsigned int *columns, unsigned int *rows);

/* Return whether the locale has block characters. Call after setlocale(). */
bool terminal_blocks(void);

/*
 * Return one cell filled from below to a fraction 0..1: a blank for 0, a visible character above 0.
 */
const char *terminal_level(double fraction, bool blocks);

/* Append a bar of exactly that many cells, filled from the left to a fraction 0..1. */
void terminal_bar(struct text *t, unsigned int cells, double fraction, bool blocks);

/* The state that terminal_screen_begin() changed. */
struct terminal_screen {
	struct termios before;
	int input; /* -1: nothing was changed */
};

/*
 * Read keys one by one without echo, with ^C as a character. input: a terminal; or what another
 * program sends of one, which needs no change. Returns false if that fails.
 */
bool terminal_screen_begin(struct terminal_screen *s, int input);

/* Print these before the first picture and after the last: alternate screen, hidden cursor. */
#define TERMINAL_ENTER "\033[?1049h\033[?25l\033[2J"
#define TERMINAL_LEAVE "\033[?25h\033[?1049l"

/* Print this before a picture that replaces the last one on the normal screen. */
#define TERMINAL_CLEAR "\033[H\033[2J"

/* Return whether the file is a terminal with cursor control. */
bool terminal_clears(FILE *file);

/* Restore the keyboard mode. */
void terminal_screen_end(const struct terminal_screen *s);
