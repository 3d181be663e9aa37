/* From plan to streams: memory on the right socket, ends filled from the ports, state made by the
 * engine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct engine;
struct err;
struct plan;
struct run;
struct stream;

/*
 * Streams for every route of the plan, in its order, initialised by the engine. Returns an array of
 * plan->n_streams for streams_free(), or NULL with e filled (ENOMEM, what init() said) and nothing
 * left behind. Thread: control.
 */
struct stream **streams_make(const struct run *r, const struct engine *engine,
	const struct plan *plan, struct err *e);

/*
 * Let the engine finish: afterwards no stream holds an mbuf or state; its counters stay. Thread:
 * control, workers gone.
 */
void streams_finish(struct stream **streams, unsigned int n);

/* Finish what is not finished and free all; NULL is fine. */
void streams_free(struct stream **streams, unsigned int n);
