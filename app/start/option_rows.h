/* The options that are not settings: one row each. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "show/metrics.h"

#include <stdbool.h>
#include <stddef.h>

struct app;
struct err;

#define OPTIONS_SCRIPTS_MAX 16
#define OPTIONS_MODELS_MAX 32

/* What options ask of main, beyond settings and choices. */
struct options {
	const char *prompt;                       /* word before "> " */
	const char *history_file;                 /* NULL: the default place; "": none */
	const char *scripts[OPTIONS_SCRIPTS_MAX]; /* --cmdline-file, in order */
	unsigned int n_scripts;
	const char *models[OPTIONS_MODELS_MAX]; /* --model, in order */
	unsigned int n_models;
	const char *record;          /* file to record into; NULL: none */
	unsigned int stats_period_s; /* 0: no periodic statistics */
	struct metrics_config metrics;
	bool interactive, auto_start, tx_first, keep_going, strict, mlockall, help;
};

struct option_row {
	const char *name;
	const char *value; /* its name in the usage; NULL: takes none */
	const char *help;
	/*
	 * Take the value, which is NULL where none is taken. 0, or -errno with e filled. Thread:
	 * main.
	 */
	int (*apply)(struct options *o, struct app *app, const char *value, struct err *e);
	bool early; /* before EAL and all others: settles how they answer, what EAL finds */
};

/* In the order of the usage; option_rows_n of them. */
extern const struct option_row option_rows[];
extern const size_t option_rows_n;
