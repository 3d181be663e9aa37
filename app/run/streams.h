/* Make the streams of a plan: memory on the lcore's socket, ends copied from the ports, state
 * initialised by the engine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct engine;
struct err;
struct plan;
struct run;
struct stream;

/*
 * Make the streams of the plan, in its order, and let the engine initialise them. Returns an array
 * of plan->n_streams for streams_free(), or NULL with e filled (ENOMEM, errors of init()). Thread:
 * control.
 */
struct stream **streams_make(const struct run *r, const struct engine *engine,
	const struct plan *plan, struct err *e);

/*
 * Let the engine finish the streams: they hold no mbufs or state afterwards, but keep their
 * counters. Thread: control, after the workers ended.
 */
void streams_finish(struct stream **streams, unsigned int n);

/* Finish unfinished streams and free all; streams may be NULL. */
void streams_free(struct stream **streams, unsigned int n);
