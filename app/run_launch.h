/* Handing lcores their streams. */
#pragma once

#include "engine.h"

#include <stdatomic.h>

struct err;
struct plan;
struct run;

/* What one lcore is handed. */
struct run_work {
	engine_loop *loop;
	struct stream *const *streams;
	unsigned int n;
	const atomic_bool *stop;
};

/*
 * Hand the lcores of the plan their streams, and helpers all of them, until r->stop. work: one for each of plan_lcores(), must outlive them. Errors:
 * EBUSY when an lcore still runs something else; then none runs. Thread: control.
 */
int run_launch(struct run *r, const struct plan *plan, struct stream *const *streams,
	struct run_work *work, struct err *e);
