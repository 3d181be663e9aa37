/* Moves streams between lcores: all lcores wait, get other streams, and go on. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_move.h"

#include "base/err.h"
#include "engines/engine.h"
#include "run/run.h"
#include "run/run_launch.h"
#include "stream/plan.h"

#include <rte_cycles.h>
#include <rte_pause.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

enum {
	/*
	 * An lcore leaves its loop after its present poll, within microseconds. One that is preempted is
	 * late by a few time slices of the kernel (3 ms each by default, more with many threads).
	 */
	PATIENCE_MS = 100,
	/* Streams move after a poll: an lcore may try as long to end it, five retries by default. */
	RETRIES_US = 5000,
	SPIN_US = 200, /* then the mover sleeps: its CPU may be the one that a late lcore needs */
	SLEEP_US = 50
};

/* Whether the streams of the current run can move. The caller holds the run's lock. */
static int
check(const struct run *r, struct err *e)
{
	if (!r->running || atomic_load(&r->ending))
		return err_set(e, ENOENT, "no run");
	if ((r->engine_run->flags & ENGINE_MOVES) == 0)
		return err_set(e, ENOTSUP, "streams of engine %s keep their lcores",
			r->engine_run->name);
	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		if (r->streams[i]->feed != NULL)
			return err_set(e, ENOTSUP, "streams that recycle keep their lcores");
		if (stream_hardware(r->streams[i]))
			return err_set(e, ENOTSUP,
				"streams keep their lcores while record-hw-counters is on");
	}
	return 0;
}

static const struct plan_lcore *
in_plan(const struct plan *plan, unsigned int lcore)
{
	for (unsigned int i = 0; i < plan->n_lcores; i++)
		if (plan->lcores[i].lcore == lcore)
			return &plan->lcores[i];
	return NULL;
}

/* Whether no lcore polls a stream, because its Rx queue was stopped before the run. */
static bool
is_idle(const struct plan *plan, unsigned int stream)
{
	for (unsigned int i = 0; i < plan->n_lcores; i++) {
		const struct plan_lcore *l = &plan->lcores[i];

		if (stream >= l->first + l->n - l->idle && stream < l->first + l->n)
			return true;
	}
	return false;
}

/* Whether an lcore gets or loses a stream. */
static bool
changes(const struct run *r, const unsigned int *lcore, unsigned int which)
{
	for (unsigned int i = 0; lcore != NULL && i < r->plan.n_streams; i++)
		if (lcore[i] != r->plan.streams[i].lcore &&
			(lcore[i] == which || r->plan.streams[i].lcore == which))
			return true;
	return false;
}

/* Wait until no lcore polls: it is not in its loop, or rests in it and keeps its streams. */
static int
park(struct run *r, const unsigned int *lcore, struct err *e)
{
	const unsigned int asked = atomic_fetch_add(&r->moving.asked, 1) + 1;
	const uint64_t begin = rte_rdtsc(), us = (uint64_t)(r->tsc_hz / 1e6);

	atomic_store(&r->moving.now, lcore == NULL);
	atomic_store(&r->stop, true);
	for (unsigned int i = 0; i < r->plan.n_lcores; i++)
		while (atomic_load(&r->work[i].parked) != asked) {
			const uint64_t waited = (rte_rdtsc() - begin) / us;

			if (waited > RETRIES_US)
				atomic_store(&r->moving.now, true);
			if (atomic_load(&r->work[i].rest.at) == asked) {
				if (!changes(r, lcore, r->work[i].lcore))
					break;
				return err_set(e, EBUSY, "lcore %u waits for a full Tx ring",
					r->work[i].lcore);
			}
			if (atomic_load(&r->ending))
				return err_set(e, ENOENT, "the run is ending");
			if (waited > PATIENCE_MS * 1000)
				return err_set(e, EBUSY,
					"lcore %u did not end its poll within %u ms",
					r->work[i].lcore, PATIENCE_MS);
			if (waited < SPIN_US)
				rte_pause();
			else
				rte_delay_us_sleep(SLEEP_US);
		}
	return 0;
}

/* Let lcores go on: those that wait, and those that never did. */
static void
unpark(struct run *r)
{
	atomic_store(&r->stop, false);
	if (atomic_load(&r->ending)) /* it is always set before stop */
		atomic_store(&r->stop, true);
	atomic_store(&r->moving.done, atomic_load(&r->moving.asked));
}

/* Give each lcore its streams, in moved, which has room for all of them. No lcore polls. */
static void
divide(struct run *r, const unsigned int *lcore, struct run_moved *moved)
{
	struct stream **to = moved->streams;
	unsigned int n = 0;

	for (unsigned int i = 0; i < r->plan.n_lcores; i++) {
		struct run_work *w = &r->work[i];

		w->streams = to + n;
		w->n = 0;
		for (unsigned int k = 0; k < r->plan.n_streams; k++) {
			if (lcore[k] != w->lcore)
				continue;
			r->streams[k]->lcore = r->plan.streams[k].lcore = w->lcore;
			r->streams[k]->rest = &w->rest;
			if (!is_idle(&r->plan, k)) {
				to[n++] = r->streams[k];
				w->n++;
			}
		}
	}
	moved->before = r->moving.moved;
	r->moving.moved = moved;
}

int
run_move(struct run *r, const unsigned int *lcore, unsigned int n, run_move_pause *meanwhile,
	void *context, double *paused_us, struct err *e)
{
	struct run_moved *moved = NULL;
	uint64_t begin;
	int ret;

	pthread_mutex_lock(&r->lock);
	ret = check(r, e);
	if (ret == 0 && lcore != NULL && n != r->plan.n_streams)
		ret = err_set(e, EINVAL, "the run has %u streams", r->plan.n_streams);
	for (unsigned int i = 0; ret == 0 && lcore != NULL && i < n; i++)
		if (in_plan(&r->plan, lcore[i]) == NULL)
			ret = err_set(e, EINVAL, "lcore %u is not part of the run", lcore[i]);
	if (ret == 0 && lcore != NULL) {
		moved = calloc(1, sizeof(*moved) + n * sizeof(moved->streams[0]));
		ret = moved != NULL ? 0 : err_set(e, ENOMEM, "no memory to move streams");
	}
	if (ret == 0) {
		begin = rte_rdtsc();
		ret = park(r, lcore, e);
		if (ret == 0 && meanwhile != NULL)
			ret = meanwhile(context, e);
		if (ret == 0 && lcore != NULL) {
			divide(r, lcore, moved);
			moved = NULL;
		}
		unpark(r);
		*paused_us = (double)(rte_rdtsc() - begin) / r->tsc_hz * 1e6;
	}
	pthread_mutex_unlock(&r->lock);
	free(moved);
	return ret;
}

void
run_move_spares(const struct run *r, struct plan *plan)
{
	for (unsigned int i = 0; (r->engine->flags & ENGINE_MOVES) != 0 && i < r->choice.use_lcores;
		i++)
		if (in_plan(plan, r->choice.lcores[i]) == NULL)
			plan->lcores[plan->n_lcores++] =
				(struct plan_lcore){ .lcore = r->choice.lcores[i] };
}
