/* The configuration of a shell, for the shell and its parts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct app;

struct shell_config {
	const char *prompt;       /* "zcfwd> ", "testpmd> " */
	const char *history_file; /* NULL: none kept */
	bool keep_going;          /* a script goes on after a failing line */
	bool strict;              /* without a terminal, lines of shell_run() are a script's */
	int interrupt_fd;         /* readable when a signal came; the shell does not read it */
	/* True when the program wants to end (quit, a signal). */
	bool (*done)(const struct app *app);
	/* Called before each prompt of shell_run(), to report what happened meanwhile. NULL: not called. */
	void (*before_prompt)(struct app *app);
	/*
	 * True when a key (^C) made interrupt_fd readable; then the signal is consumed. On a terminal
	 * the key clears the line or ends the command, and the shell continues. NULL: no such key.
	 */
	bool (*interrupt_key)(int fd);
	/* True when long answers to typed commands are paged. NULL: never. */
	bool (*pages)(const struct app *app);
};
