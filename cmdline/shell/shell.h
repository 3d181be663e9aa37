/* The interactive shell, and scripts of commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"

#include <stdbool.h>
#include <stddef.h>

struct app;
struct cmd_row;
struct err;
struct grammar;
struct interrupt;
struct interrupt_task;
struct journal;
struct offers;
struct out;
struct shell;

struct shell_config {
	const char *prompt;          /* "zcfwd> ", "testpmd> " */
	const char *history_file;    /* NULL: none kept */
	bool keep_going;             /* a script goes on after a failing line */
	bool strict;                 /* without a terminal, lines of shell_run() are a script's */
	struct interrupt *interrupt; /* signals; the shell does not take them */
	/* True when the program is to end (quit, a signal). */
	bool (*done)(const struct app *app);
	/* Called before each prompt of shell_run(), to report what happened meanwhile. NULL: not called. */
	void (*before_prompt)(struct app *app);
	/*
	 * True when the pending signal is a key (^C); then the signal is consumed. On a terminal
	 * the key clears the line or ends the command, and the shell continues. NULL: no such key.
	 */
	bool (*interrupt_key)(const struct interrupt *i);
	/* True when long answers to typed commands are paged. NULL: never. */
	bool (*pages)(const struct app *app);
};

/* The shell's settings: pager. */
extern const struct setting_table shell_settings;

/*
 * Open a shell over a grammar and an output layer, both the caller's. NULL with e filled when
 * memory is short.
 */
struct shell *shell_open(struct app *app, struct grammar *g, struct out *out,
	const struct shell_config *config, struct err *e);
void shell_close(struct shell *s);

/*
 * Run one line: parse, call the handler, answer through out_begin()/out_end() and the filters behind
 * the command (filter.h). where: "file:line"
 * or NULL. Returns 0 or the handler's -errno; the failure has been shown already.
 */
int shell_line(struct shell *s, const char *line, const char *where);

/* The line of the command that runs, the outermost; NULL: none does. */
const char *shell_running(const struct shell *s);

/* True if the innermost command that runs was given as a line, not by another one (a script, watch). */
bool shell_direct(const struct shell *s);

/*
 * Names of files in commands are relative to this folder from now on (grammar_folder()). Returns the
 * folder before.
 */
const char *shell_folder(struct shell *s, const char *folder);

/*
 * shell_line() for others than the shell's own input, with output set aside (out_aside_begin()),
 * also while a command waits: then only one that shows something is run, others fail with EBUSY.
 */
int shell_line_aside(struct shell *s, const char *line);

/*
 * Run a script. echo: print prompt and line before each answer, as testpmd's load_echo does.
 * Stops at the first failing line unless keep_going. Returns 0, -errno of the first failing line,
 * or -errno with e filled when the file cannot be read. Scripts nest 8 deep.
 */
int shell_script(struct shell *s, const char *file, bool echo, struct err *e);

/*
 * Fill o with the words that may stand at the end of line, the text left of the cursor; behind a "|",
 * those of a filter: then returns true. If nothing may, why says for what reason. offers_free() o.
 */
bool shell_offer(const struct shell *s, const char *line, struct offers *o, struct err *why);

/*
 * Go on with a task (interrupt_hand_over()) of the shell's own command, which was given as a line on a
 * terminal: shell_run() does, before it reads the next line. False: the command has to wait itself.
 */
bool shell_takes(struct shell *s, const struct interrupt_task *task);

/* The prompt, and whether long answers to typed commands are paged. */
const char *shell_prompt(const struct shell *s);
bool shell_pages(const struct shell *s);

/* The commands that changed the configuration since the shell was opened; owned by the shell. */
const struct journal *shell_journal(const struct shell *s);

/*
 * Call each for the lines of the history, oldest first. Returns 0; ENOTTY where commands do not
 * come from a terminal.
 */
int shell_history(const struct shell *s, void (*each)(void *ctx, const char *line), void *ctx,
	struct err *e);

/*
 * Read commands until end of file, quit or a signal: with line editing, history, completion and ?
 * help on a terminal, where ^C ends a command or clears the line; else plain lines with the prompt and the echoed line printed as testpmd does,
 * going on after a failing line. Where strict is set there, the first failing line ends them unless
 * keep_going. Returns 0, -errno when reading failed, and if strict also that of the first failing
 * line, or -EINTR for a signal.
 */
int shell_run(struct shell *s);
