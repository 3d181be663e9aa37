/* What tests of ring_pipeline need beside the rig: two streams that share a pipeline on this lcore, as a run makes them. */
#pragma once

#include "ring_routes.h"
#include "ring_state.h"

struct ring_shared;

extern struct ring_routes ring_bed_routes;
extern struct ring_shared *ring_bed_shared; /* NULL: a process that shares no memory */

/* Begin a group of tests, each test. */
int ring_bed_open(void **state);
int ring_bed_defaults(void **state);

/*
 * Streams 0: RIG_IN to RIG_OUT, and 1: back; workers: how many, all on this lcore but only worker 0 runs; 0: other processes. fail: join() is expected to refuse, with
 * these words; NULL: it must not. Returns the pipeline, NULL when it was refused; then nothing is left.
 */
struct ring_pipeline *ring_bed_begin(unsigned int workers, const char *fail);

/* One turn of the lcore, and the law for each stream so far with what rings hold. */
void ring_bed_turn(struct ring_pipeline *p);

/* Stop: everything is through or counted, the law holds, the pool is full. */
void ring_bed_end(struct ring_pipeline *p);
