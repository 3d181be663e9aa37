/* What stands right of "--": long options, each a row or a setting of the same name. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/out.h"
#include "start/option_rows.h"

struct app;
struct err;
struct option;
struct settings;

/*
 * Look at argv[1..argc) before EAL comes up: that all of them are options, and what the early ones
 * say (struct option_row). Errors: EINVAL with the bad option or value and what was expected.
 * Thread: main, once.
 */
int options_early(struct options *o, struct app *app, int argc, char **argv, struct err *e);

/*
 * Parse the rest of argv[1..argc) into o, the settings and the choices of app. Names may be
 * shortened while unambiguous (getopt_long). All of it is checked before ports are configured.
 * Errors: EINVAL with the bad option or value and what was expected. Thread: main, once.
 */
int options_parse(struct options *o, struct app *app, int argc, char **argv, struct err *e);

/* All long options as getopt_long() takes them, the caller's to free; NULL: no memory. */
struct option *options_table(const struct settings *settings);

/* The name that was probably meant by one that the table lacks, or NULL. */
const char *options_near(const struct option *table, const char *name);

/*
 * All options by what they are for: --name=VALUE, what it does, bounds, default, in lines as wide
 * as the terminal.
 */
void options_usage(const struct app *app, struct out *out);
