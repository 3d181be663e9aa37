/* What a shell is told by who opens it; its parts read it too. */
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
	/* Before each prompt of shell_run(): what happened meanwhile is told. NULL: nothing. */
	void (*before_prompt)(struct app *app);
	/*
	 * True when what made interrupt_fd readable is a key, which then is taken: on a terminal it
	 * clears the line or has ended the command, and the shell goes on. NULL: there is no such key.
	 */
	bool (*interrupt_key)(int fd);
};
