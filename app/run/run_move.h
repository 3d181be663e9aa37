/* Move streams of a run to other lcores while packets flow. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct plan;
struct run;

/* What is done while no lcore polls a queue; it returns 0, or -errno with e filled. */
typedef int run_move_pause(void *context, struct err *e);

/*
 * Let no lcore poll, call meanwhile (NULL: nothing), then let lcore[i] poll stream i of the n
 * streams of the current run; lcore NULL: as before. An lcore has to have streams, or to be one of run_move_spares(). No
 * packet is lost or overtaken, apart from those for which a NIC has no descriptor left during the
 * pause, whose length is *paused_us. Returns 0, or -errno with e filled, and all streams run as before:
 * ENOENT: no run, or it is ending; ENOTSUP: an engine or a run whose streams cannot move; EINVAL: no
 * such lcore in the run, or not n streams; EBUSY: an lcore was in a poll for longer than 100
 * ms, or one whose streams change waits for a full Tx ring; ENOMEM; the error of
 * meanwhile. Thread: any but a worker; meanwhile is called with the run's lock.
 */
int run_move(struct run *r, const unsigned int *lcore, unsigned int n, run_move_pause *meanwhile,
	void *context, double *paused_us, struct err *e);

/*
 * Add the forwarding lcores without streams to a plan, so that streams may move to them: they sleep
 * until then. Nothing happens if the engine's streams cannot move. Thread: control.
 */
void run_move_spares(const struct run *r, struct plan *plan);
