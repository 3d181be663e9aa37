/* Lines from a terminal: editing, history, completion and ? help by libedit. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Log lines that other threads and drivers print while a line is edited on the same terminal are
 * shown above it.
 */
#pragma once

#include "cmdline/grammar/offers.h"

#include <stdbool.h>

struct editor;
struct err;
struct interrupt;
struct out;

struct editor_config {
	const char *prompt;
	const char *history_file; /* NULL: none kept */
	struct interrupt *interrupt;
	/* As of struct shell_config. */
	bool (*interrupt_key)(const struct interrupt *i);
	/*
	 * Fill o with what may follow a line, and return whether the line has a filter. If nothing
	 * may, why says for what reason, unless it is empty.
	 */
	bool (*offer)(void *ctx, const char *line, struct offers *o, struct err *why);
	/* True when long lists are paged for a person. */
	bool (*pages)(void *ctx);
	void *ctx;
};

/*
 * Open an editor on the standard input; config and out stay the caller's. NULL with e filled when
 * that fails.
 */
struct editor *editor_open(const struct editor_config *config, struct out *out, struct err *e);
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
