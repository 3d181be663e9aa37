/* Read the command line: each option is a row or a setting. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "start/option_rows.h"

#include <stdbool.h>
#include <stddef.h>

struct app;
struct err;
struct option;
struct out;
struct settings;

/*
 * Before EAL starts: check that argv[1..argc) are known options, and apply the early ones (struct
 * option_row). Errors: EINVAL. Thread: main, once.
 */
int options_early(struct options *o, struct app *app, int argc, char **argv, struct err *e);

/*
 * Apply the other options of argv[1..argc) to o and to the settings and choices of app. Names may
 * be abbreviated if unambiguous (getopt_long). Errors: EINVAL. Thread: main, once, before ports are
 * configured.
 */
int options_parse(struct options *o, struct app *app, int argc, char **argv, struct err *e);

/*
 * Get the i-th option that is no setting: *value is the name of its value, NULL: it has none. Returns
 * false after the last one. Thread: any.
 */
bool options_at(size_t i, const char **name, const char **value, const char **help);

/* Return all long options for getopt_long(), to be freed by the caller; NULL without memory. */
struct option *options_table(const struct settings *settings);

/* Return the option most similar to an unknown name, or NULL. */
const char *options_near(const struct option *table, const char *name);

/*
 * Print the usage: all options in groups, with value, help, bounds and default, wrapped to the
 * terminal's width.
 */
void options_usage(const struct app *app, struct out *out);
