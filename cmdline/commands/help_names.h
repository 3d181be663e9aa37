/* help NAME: engines, settings, counters and pages, by name or by the words of their help. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct app;
struct args;
struct err;
struct out;

/*
 * Show the engine and the setting of that name; a setting is also found by the name of its command or
 * option. False when there is neither. Thread: control.
 */
bool help_names_show(const struct app *app, const char *name);

/*
 * True when a word of text is, or begins with four letters or more of, the words, in upper or lower
 * case; endings of the plural, and "ing", do not count. Thread: any.
 */
bool help_names_mentions(const char *text, const char *words);

/*
 * Show one line of "see also", below a head if it is the first. kind: "command", "setting", ... *n:
 * lines so far, counted up.
 */
void help_names_also(struct out *o, unsigned int *n, const char *kind, const char *name,
	const char *help);

/*
 * Show settings, engines, counters and pages that mention the words, by help_names_also(). Thread:
 * control.
 */
void help_names_search(const struct app *app, const char *words, unsigned int *n);

/* ENOENT: nothing was found; with the engine, setting or topic that was probably meant. */
int help_names_err(const struct app *app, const struct args *a, const char *name, struct err *e);
