/* What the engine ring_pipeline is told beyond plain settings, and what came of a run of it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ring_route;
struct run;

/*
 * Which lcores do I/O and which work from the next start on, as lists ("1,3-4"); "" and "": chosen
 * by the program. EINVAL, E2BIG.
 */
int run_pipeline_lcores(struct run *r, const char *io, const char *workers, struct err *e);

/*
 * Routes of the stage l3fwd, taken at the next start. Errors: as ring_routes.h says. Thread:
 * control, all of this file.
 */
int run_pipeline_route(struct run *r, const struct ring_route *route, struct err *e);
int run_pipeline_load(struct run *r, const char *path, struct err *e);

/* Show the routes. */
void run_pipeline_routes(const struct run *r);

/*
 * Lcores, modes, cycles and rings of this run or the last one; ENOENT when it was none of
 * ring_pipeline.
 */
int run_pipeline_show(const struct run *r, struct err *e);
