/* Launches each lcore's loop over its streams, and waits for the loops to end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_launch.h"

#include "base/base.h"
#include "base/err.h"
#include "base/hist.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "base/stat.h"
#include "engines/engine.h"
#include "run/run.h"
#include "run/run_cpu.h"
#include "run/run_engines.h"
#include "run/streams.h"
#include "stream/plan.h"

#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_pause.h>

#include <errno.h>

/* How long an lcore without streams sleeps: it joins a move as late as this. */
enum { SPARE_US = 100 };

/*
 * Wait while streams are moved to other lcores. Returns whether the lcore goes on; false: the run is
 * over.
 */
static bool
goes_on(struct run_work *w)
{
	const unsigned int asked = atomic_load(w->rest.asked);

	if (atomic_load(w->ending) || asked == atomic_load(&w->parked))
		return false;
	atomic_store(&w->parked, asked);
	/* Pairs with the end of run_move(): the streams and their counters are the lcore's now. */
	while (atomic_load(w->rest.done) != asked)
		rte_pause();
	return !atomic_load(w->ending);
}

/* The loop of an lcore to which streams may move. */
static void
without_streams(const atomic_bool *stop)
{
	while (!atomic_load(stop))
		rte_delay_us_sleep(SPARE_US);
}

static int
worker(void *arg)
{
	struct run_work *w = arg;
	struct run_deadline_timer timer;

	run_cpu_enter(w->cpu);
	run_deadline_arm(&w->deadline, &timer);
	do {
		if (w->n > 0)
			w->loop(w->streams, w->n, w->stop);
		else
			without_streams(w->stop);
	} while (goes_on(w));
	w->ended_tsc = rte_rdtsc();
	run_cpu_leave(w->cpu);
	/* At once, because packets that wait have a latency. */
	if (w->n > 0 && w->streams[0]->engine->drain != NULL)
		w->streams[0]->engine->drain(w->streams, w->n, w->ended_tsc);
	run_deadline_disarm(&timer);
	return 0;
}

/* Return the first running worker lcore; RTE_MAX_LCORE if there is none. */
static unsigned int
first_running(void)
{
	unsigned int lcore;

	RTE_LCORE_FOREACH_WORKER(lcore)
		if (rte_eal_get_lcore_state(lcore) != WAIT)
			return lcore;
	return RTE_MAX_LCORE;
}

/* Wait for lcores to end. If one does not within a second of a signal, print a warning. */
static void
wait_for_ends(const struct run *r)
{
	const uint64_t spin = rte_rdtsc() + (uint64_t)(r->tsc_hz / 1000);
	uint64_t patience = rte_rdtsc() + (uint64_t)r->tsc_hz;
	unsigned int lcore;
	bool said = false;

	while ((lcore = first_running()) != RTE_MAX_LCORE) {
		if (rte_rdtsc() < spin) {
			rte_pause();
			continue;
		}
		rte_delay_us_sleep(1000);
		if (r->interrupt != NULL && !interrupt_pending(r->interrupt))
			patience = rte_rdtsc() + (uint64_t)r->tsc_hz;
		if (said || rte_rdtsc() < patience)
			continue;
		out_warn(r->out,
			"zcfwd: waiting for lcore %u; the next SIGINT or SIGTERM ends the program at once\n",
			lcore);
		said = true;
	}
	rte_eal_mp_wait_lcore();
}

void
run_launch_end(struct run *r)
{
	atomic_store(&r->ending, true);
	atomic_store(&r->stop, true);
	wait_for_ends(r);
}

/* Launch one idle lcore; r->stop ends it. */
static int
launch_one(struct run *r, struct run_work *work, unsigned int lcore, struct err *e)
{
	int ret = rte_eal_remote_launch(worker, work, lcore);

	if (ret == 0)
		return 0;
	run_launch_end(r);
	return err_set(e, -ret, "launch lcore %u failed - diag=%d", lcore, ret);
}

/* The streams that only send first are not part of the run. */
static struct run_cpu_thread *
work_cpu(const struct run *r, struct stream *const *streams, unsigned int lcore)
{
	return streams == r->streams ? run_cpu_thread(r, lcore) : NULL;
}

int
run_launch(struct run *r, const struct plan *plan, struct stream *const *streams,
	struct run_work *work, struct err *e)
{
	const struct engine *engine = streams[0]->engine;
	unsigned int i, lcore;
	int ret = 0;

	/*
	 * Lcores may wait for each other, so they could not stop if some of them were never
	 * launched: check all of them first.
	 */
	RTE_LCORE_FOREACH_WORKER(lcore)
		if (rte_eal_get_lcore_state(lcore) != WAIT)
			return err_set(e, EBUSY, "lcore %u is still busy", lcore);

	for (i = 0; i < plan->n_lcores && ret == 0; i++) {
		const struct plan_lcore *l = &plan->lcores[i];

		*work = (struct run_work){ .loop = engine_loop_of(streams[l->first]),
			.streams = streams + l->first,
			.n = l->n - l->idle,
			.stop = &r->stop,
			.cpu = work_cpu(r, streams, l->lcore),
			.deadline = r->deadline,
			.lcore = l->lcore,
			.rest = { &r->moving.asked, &r->moving.done, &r->moving.now, 0 },
			.ending = &r->ending,
			.parked = atomic_load(&r->moving.asked) };
		for (unsigned int k = l->first; k < l->first + l->n; k++)
			streams[k]->rest = &work->rest;
		ret = launch_one(r, work++, l->lcore, e);
	}
	for (i = 0; i < plan->n_helpers && engine->helpers != NULL && ret == 0; i++) {
		if (plan_deals(plan, plan->helpers[i]))
			continue;
		*work = (struct run_work){ .loop = engine->helpers->help,
			.streams = streams,
			.n = plan->n_streams,
			.stop = &r->stop,
			.cpu = work_cpu(r, streams, plan->helpers[i]),
			.deadline = r->deadline,
			.lcore = plan->helpers[i],
			.rest = { &r->moving.asked, &r->moving.done, &r->moving.now, 0 },
			.ending = &r->ending,
			.parked = atomic_load(&r->moving.asked) };
		ret = launch_one(r, work++, plan->helpers[i], e);
	}
	return ret;
}

/*
 * Wait for lcores that end without being stopped. Full Tx rings may delay them; a signal ends the
 * wait.
 */
static void
wait_for_polls(struct run *r)
{
	const uint64_t spin = rte_rdtsc() + (uint64_t)(r->tsc_hz / 1000);

	while (first_running() != RTE_MAX_LCORE) {
		if (rte_rdtsc() < spin)
			rte_pause();
		else if (interrupt_wait(r->interrupt, -1, 1))
			atomic_store(&r->ending, true);
	}
	rte_eal_mp_wait_lcore();
}

/* Add everything that the streams of tx_first counted to the streams of the run. */
static void
first_add(struct stream *s, const struct stream *first)
{
	const struct stat_table own = engine_counters(first->engine);
	struct stream_count count;

	stat_read(&count, &first->count, sizeof(count));
	stat_add(&stream_stats, &s->count, &count);
	/* Each engine has its own named counters. */
	if (s->engine == first->engine)
		stat_add(&own, s->count.named, count.named);
	for (unsigned int i = 0; i < HIST_CELLS; i++)
		counter_add(&s->tx_bursts.cell[i], counter_read(&first->tx_bursts.cell[i]));
}

int
run_launch_first(struct run *r, struct stream *const *streams, unsigned int n, struct err *e)
{
	const struct engine *engine = run_engines_first(r);
	struct run_work work[RTE_MAX_LCORE];
	struct stream **first;
	unsigned int i;
	int ret = 0;

	first = streams_make(r, engine, &r->plan, e);
	if (first == NULL)
		return -e->code;
	for (i = 0; i < r->plan.n_streams; i++)
		atomic_store(&first[i]->record, atomic_load(&streams[i]->record));
	atomic_store(&r->stop, true); /* one poll each */
	for (i = 0; i < n && ret == 0; i++) {
		if (i > 0 && interrupt_wait(r->interrupt, -1, 0)) {
			ret = err_set(e, EINTR, "stopped by a signal after %u of %u bursts", i, n);
			break;
		}
		ret = run_launch(r, &r->plan, first, work, e);
		wait_for_polls(r);
	}
	streams_finish(first, r->plan.n_streams);
	for (i = 0; i < r->plan.n_streams; i++)
		first_add(streams[i], first[i]);
	streams_free(first, r->plan.n_streams);
	return ret;
}
