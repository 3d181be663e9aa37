/* The history file: one command per line, kept between sessions, readable only by its owner. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

#define HISTFILE_LINES 1000 /* read from it */

struct err;
struct histfile;

/*
 * Default path of the history file: under $XDG_STATE_HOME or $HOME/.local/state; empty if neither is
 * set.
 */
void histfile_default(char *path, size_t bytes);

/*
 * Open or create the file (mode 0600) and the directories that it is in, and call each for its last
 * HISTFILE_LINES lines, oldest first. Returns NULL with e filled when that fails.
 */
struct histfile *histfile_open(const char *path, void (*each)(void *ctx, const char *line),
	void *ctx, struct err *e);
void histfile_close(struct histfile *h);

/* Append a line at once, unless it equals the last one. A line that cannot be written is lost. */
void histfile_add(struct histfile *h, const char *line);
