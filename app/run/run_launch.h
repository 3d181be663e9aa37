/* What lcores are handed, and handing it to them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/engine.h"
#include "run/run_deadline.h"

#include <stdatomic.h>
#include <stdint.h>

struct err;
struct plan;
struct run;
struct stream;

/* What one lcore is handed. */
struct run_work {
	engine_loop *loop;
	struct stream *const *streams;
	unsigned int n;
	const atomic_bool *stop;
	struct run_deadline deadline; /* counted from when the lcore begins; ms 0: none */
	uint64_t ended_tsc;           /* when it left its loop; written by it */
};

/*
 * Hand the lcores of the plan their streams, and helpers all. work: plan_lcores() of them, must
 * outlive the workers. Errors: EBUSY an lcore runs something else; what rte_eal_remote_launch()
 * says: then none runs any more. Thread: control, all of this file.
 */
int run_launch(struct run *r, const struct plan *plan, struct stream *const *streams,
	struct run_work *work, struct err *e);

/* End what runs: lcores leave their loops, and do not wait for full ports any more. */
void run_launch_end(struct run *r);

/*
 * Send n bursts per stream by the engine that has ENGINE_TX_FIRST; what it made and sent counts for
 * the real streams. Errors: as run_launch(); EINTR a signal came before the last; ENOMEM.
 */
int run_launch_first(struct run *r, struct stream *const *streams, unsigned int n, struct err *e);
