/* Launch the lcores of a run, and wait for them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/engine.h"
#include "run/run.h"

#include <stdatomic.h>
#include <stdint.h>

struct err;
struct plan;
struct run_cpu_thread;
struct stream;

/* The work of one lcore. */
struct run_work {
	engine_loop *loop;
	struct stream *const *streams;
	unsigned int n;
	const atomic_bool *stop;
	struct run_cpu_thread *cpu;   /* to count its CPU time; NULL: not counted */
	struct run_deadline deadline; /* from the begin of the lcore's loop; ms 0: none */
	uint64_t ended_tsc;           /* TSC at the end of the loop; written by the lcore */
	unsigned int lcore;           /* its id */
	struct stream_rest rest;
	const atomic_bool *ending; /* of struct run */
	atomic_uint parked;        /* the last move that the lcore waited for; written by it */
};

/*
 * Launch the lcores of the plan with their streams, and helpers with all streams. work:
 * plan_lcores() elements, which must outlive the workers. EBUSY: an lcore is not idle; errors of
 * rte_eal_remote_launch(). After an error no lcore runs. Thread: control, for all of this file.
 */
int run_launch(struct run *r, const struct plan *plan, struct stream *const *streams,
	struct run_work *work, struct err *e);

/* Stop all lcores and wait until they have left their loops; they stop waiting for full Tx rings. */
void run_launch_end(struct run *r);

/*
 * Send n bursts per stream with the engine that has ENGINE_TX_FIRST, and add its packets to the
 * counters of the given streams. Errors: as run_launch(); EINTR: a signal arrived before the last
 * burst; ENOMEM.
 */
int run_launch_first(struct run *r, struct stream *const *streams, unsigned int n, struct err *e);
