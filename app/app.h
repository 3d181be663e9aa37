/* All state of the program; lives in main and is passed down. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/interrupt.h"
#include "memory/extmem.h"
#include "memory/pool.h"
#include "port/port.h"
#include "route/routes.h"
#include "run/run.h"

#include <stdbool.h>

struct engine;
struct grammar;
struct metrics;
struct out;
struct pool_history;
struct record;
struct settings;
struct shell;

struct app {
	struct out *out;
	struct settings *settings;
	struct grammar *grammar;
	struct shell *shell;
	struct ports ports;
	struct pools pools;
	struct extmems extmems;
	struct routes routes;
	struct run run;                    /* engine, plan, streams, workers, statistics */
	struct pool_history *pool_history; /* NULL in a secondary process and before EAL is up */
	struct metrics *metrics;           /* --latencystats, --bitrate-stats; NULL: neither */
	struct record *record;             /* recordings of runs */
	const char *version;               /* program version */
	/* options_at() of start/option.h: help lists options */
	bool (*option_at)(size_t i, const char **name, const char **value, const char **help);
	struct {
		const struct engine *engine;
		bool retry;
	} begun;                    /* chosen by options; for settings see settings_begin() */
	struct interrupt interrupt; /* signals, and requests of others */
	bool quit;                  /* the shell shall end */
};
