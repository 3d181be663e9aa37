/* The options that are not settings. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "show/metrics.h"

#include <stdbool.h>
#include <stddef.h>

struct app;
struct err;

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
	const char *control;         /* address of the control socket; NULL: none */
	unsigned int stats_period_s; /* 0: no periodic statistics */
	struct metrics_config metrics;
	bool interactive, daemon, auto_start, tx_first, keep_going, strict, mlockall, help;
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

/* All rows, in the order of the usage. */
extern const struct option_row option_rows[];

/* Number of rows. */
extern const size_t option_rows_n;

/* A value of a setting's option that stands for another one, which the function finds. */
struct option_special {
	const char *setting, *value;
	int (*apply)(struct app *app, struct err *e);
};

/* Ended by a NULL setting. */
extern const struct option_special option_rows_specials[];
