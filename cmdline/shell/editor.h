/* Lines from a terminal: editing, history, completion and ? help by libedit. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct app;
struct editor;
struct err;
struct grammar;
struct out;
struct shell_config;

/* Log lines that other threads and drivers print while a line is edited on the same terminal. */

/*
 * Open an editor on the standard input; all arguments stay the caller's. filters: filter_grammar().
 * NULL with e filled when that fails.
 */
struct editor *editor_open(const struct app *app, const struct grammar *g,
	const struct grammar *filters, struct out *out, const struct shell_config *config,
	struct err *e);
void editor_close(struct editor *ed);

/* Call each for the lines of the history, oldest first. */
void editor_history(struct editor *ed, void (*each)(void *ctx, const char *line), void *ctx);

/* Read the next line into line[LINE_BYTES]. Returns as reader_line(). */
int editor_line(struct editor *ed, char *line);

/*
 * True when the last line, or the key that called for help, was typed by hand: its last key came
 * alone. Programs and pasted text write whole lines at once.
 */
bool editor_typed(const struct editor *ed);
