/* Command line options: each is a row or a setting. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/out.h"
#include "show/metrics.h"

#include <stdbool.h>
#include <stddef.h>

struct app;
struct err;
struct option;
struct settings;

#define OPTIONS_SCRIPTS_MAX 16
#define OPTIONS_MODELS_MAX 32

/* Values of options for main; other options change settings or choices. */
struct options {
	const char *prompt;                       /* without "> " */
	const char *history_file;                 /* NULL: the default file; "": none */
	const char *scripts[OPTIONS_SCRIPTS_MAX]; /* --cmdline-file, in order */
	unsigned int n_scripts;
	const char *models[OPTIONS_MODELS_MAX]; /* --model, in order */
	unsigned int n_models;
	const char *record;          /* file to record to; NULL: none */
	unsigned int stats_period_s; /* 0: no periodic statistics */
	struct metrics_config metrics;
	bool interactive, auto_start, tx_first, keep_going, strict, mlockall, help;
};

struct option_row {
	const char *name;
	const char *value; /* name of the value in the usage; NULL: no value */
	const char *help;
	/*
	 * Apply the option; value is NULL for options without one. Returns 0, or -errno with e
	 * filled. Thread: main.
	 */
	int (*apply)(struct options *o, struct app *app, const char *value, struct err *e);
	bool early;          /* applied before EAL starts: affects output format or devices */
	char letter;         /* of the short form: 'i' of -i; '\0': there is none */
	const char *heading; /* of the rows from here on in the usage; NULL: as the row before */
};

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
