/* What engines have beyond a run: their configuration, what they show, lcores that they lend. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct engine;
struct err;
struct run;

/*
 * Make the configuration of every engine and open it. version: of the program. Errors: what open()
 * of an engine says, ENOMEM; run_engines_close() is due all the same. Thread: control, all of this
 * file.
 */
int run_engines_open(struct run *r, const char *version, struct err *e);

/* Close and free them; streams that have them are gone. */
void run_engines_close(struct run *r);

/* The configuration of an engine; NULL: it has none. */
void *run_engines_config(const struct run *r, const struct engine *engine);

/*
 * Let the streams of this run go by the engine's configuration and by its settings. Nothing when
 * they are another engine's. Errors: what apply() says.
 */
int run_engines_apply(struct run *r, const struct engine *engine, struct err *e);

/*
 * Let an engine that has show() show what became of its run or its last one. JSON of one without a
 * helpers: {"streams":[...]}. ENOENT: there was none.
 */
int run_engines_show(const struct run *r, const struct engine *engine, struct err *e);

/*
 * Secondary: let the forwarding lcores in use help the runs of the primary. EALREADY; ENOTSUP: no
 * engine lends lcores; what lend() of the first that does says.
 */
int run_engines_lend(struct run *r, struct err *e);
