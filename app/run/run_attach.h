/* Pipelines across processes: what a primary shares, and how a secondary lends its lcores as
 * workers. */
#pragma once

#include <rte_config.h>

#include <stdatomic.h>
#include <stdbool.h>

struct err;
struct ring_pipeline;
struct ring_shared;
struct run;

/*
 * Primary: offer to share. Secondary: find what the primary shares. Errors, of a secondary alone:
 * ENOENT, ENOEXEC for another version, ENODEV for ports that the primary has not. version: of the
 * program. Thread: control, all of this file.
 */
int run_attach_open(struct run *r, const char *version, struct err *e);

/* No more looking after the primary; without effect in one. */
void run_attach_close(struct run *r);

/*
 * Secondary: let the forwarding lcores in use be workers of the primary's pipeline, of this one and
 * of those that follow. Those that find all places taken wait. EALREADY; EINVAL without lcores;
 * E2BIG for more than that pipeline has places; ESRCH when the primary has ended.
 */
int run_attach_start(struct run *r, struct err *e);

/* Secondary: the lcores have ended; say what they did. */
void run_attach_stopped(struct run *r);

/* The pipeline of this run or the last one, of the primary in a secondary; NULL: there is none. */
const struct ring_pipeline *run_attach_pipeline(const struct run *r);
