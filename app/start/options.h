/* What stands right of "--": long options, each a row or a setting of the same name. */
#pragma once

#include "base/out.h"
#include "watch/metrics.h"

#include <stdbool.h>

struct app;
struct err;

#define OPTIONS_SCRIPTS_MAX 16

/* What options ask of main, beyond settings and choices. */
struct options {
	const char *prompt;                       /* word before "> " */
	const char *history_file;                 /* NULL: the default place; "": none */
	const char *scripts[OPTIONS_SCRIPTS_MAX]; /* --cmdline-file, in order */
	unsigned int n_scripts;
	const char *record;          /* file to record into; NULL: none */
	unsigned int stats_period_s; /* 0: no periodic statistics */
	struct metrics_config metrics;
	bool interactive, auto_start, tx_first, keep_going, mlockall, help;
};

/*
 * Parse argv[1..argc) into o, the settings and the choices of app. Names may be shortened while
 * unambiguous (getopt_long). All of it is checked before ports are configured. Errors: EINVAL with
 * the bad option or value and what was expected. Thread: main, once.
 */
int options_parse(struct options *o, struct app *app, int argc, char **argv, struct err *e);

/* One line per option: --name=VALUE, what it does, bounds, default. */
void options_usage(const struct app *app, struct out *out);
