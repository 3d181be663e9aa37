/* What engines do outside of a run: their configuration, their show commands, and lending
 * lcores. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct engine;
struct err;
struct out;
struct run;

/*
 * Allocate and open the configuration of every engine. version: the program's. Errors: those of an
 * engine's open(); ENOMEM; call run_engines_close() also then. Thread: control, for all of this
 * file.
 */
int run_engines_open(struct run *r, const char *version, struct err *e);

/* Close and free the configurations; streams that use them must be freed before. */
void run_engines_close(struct run *r);

/* Return the configuration of an engine; NULL if it has none. */
void *run_engines_config(const struct run *r, const struct engine *engine);

/* Return the engine whose packets begin a run with tx_first. */
const struct engine *run_engines_first(const struct run *r);

/* Print the commands that restore the configurations of all engines. Returns how many. */
uint64_t run_engines_save(const struct run *r, struct out *to);

/*
 * Apply the configuration and settings of the running engine to its streams; no effect if no run is
 * in progress. Errors: those of apply().
 */
int run_engines_apply(struct run *r, struct err *e);

/*
 * Call the engine's show() for its current or last run. JSON without helpers: {"streams":[...]}.
 * ENOENT: no run yet.
 */
int run_engines_show(const struct run *r, const struct engine *engine, struct err *e);

/*
 * In a secondary process, lend the forwarding lcores to the primary's runs. EALREADY; ENOTSUP: no
 * engine can lend lcores; errors of the first lend() that exists.
 */
int run_engines_lend(struct run *r, struct err *e);
