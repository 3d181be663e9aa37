/* The times of a run's lcores: each reads its own at both ends of its loop, others read between. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_cpu.h"

#include "base/base.h"
#include "base/cpu_time.h"
#include "base/out.h"
#include "base/stat.h"
#include "engines/engine.h"
#include "run/run.h"
#include "stream/plan.h"
#include "stream/stream.h"

#include <rte_config.h>

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Times at one moment. */
struct moment {
	struct cpu_time cpu;
	uint64_t mono_ns; /* CLOCK_MONOTONIC */
};

enum stage { STAGE_IDLE, STAGE_LOOP, STAGE_ENDED };

/*
 * An lcore reads the kernel's files itself at the begin and at the end of its loop. So the control
 * thread, which may be delayed for long, changes neither baseline nor result.
 */
struct run_cpu_thread {
	pthread_mutex_t reading; /* held over each read, so that none is later than the end's */
	enum stage stage;        /* written by the lcore under reading, as the next two lines */
	pid_t tid;
	struct moment begin, end;
	struct run_cpu_count base; /* at the last clear; written by control under the run's lock */
};

struct run_cpus {
	unsigned int n;
	unsigned int lcore[RTE_MAX_LCORE];           /* ids, in the order of run_cpu_read() */
	struct run_cpu_thread thread[RTE_MAX_LCORE]; /* by lcore id */
};

#define ROW(member) .name = #member, .at = offsetof(struct run_cpu_count, member)

static const struct stat_row rows[] = {
	{ ROW(run_ns), .unit = "ns", .help = "time in which the lcore had its CPU" },
	{ ROW(wait_ns), .unit = "ns", .optional = true,
		.help = "time in which the lcore waited for its CPU; a wait counts when it ends" },
	{ ROW(preempted), .unit = "times", .optional = true,
		.help = "how often the lcore was preempted" },
	{ ROW(loop_ns), .unit = "ns", .help = "time in which the lcore was in its loop" },
};

const struct stat_table run_cpu_stats = { "cpu", rows, ARRAY_SIZE(rows), false };

static uint64_t
mono_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The clock is read last here and first at the begin, so that no lcore runs longer than it loops. */
static void
moment_read(struct moment *m, pid_t tid)
{
	cpu_time_read(CPU_TIME_TASKS, tid, &m->cpu);
	m->mono_ns = mono_ns();
}

/* Return the times since the begin of the loop; all zero before it. */
static struct run_cpu_count
count_read(struct run_cpu_thread *t)
{
	struct moment now;

	pthread_mutex_lock(&t->reading);
	const enum stage stage = t->stage;

	if (stage == STAGE_LOOP)
		moment_read(&now, t->tid);
	else
		now = t->end;
	pthread_mutex_unlock(&t->reading);
	if (stage == STAGE_IDLE)
		return (struct run_cpu_count){ 0 };
	cpu_time_subtract(&now.cpu, &t->begin.cpu);
	if (!now.cpu.known)
		return (struct run_cpu_count){ .wait_ns = STAT_NONE, .preempted = STAT_NONE };
	return (struct run_cpu_count){ now.cpu.run_ns, now.cpu.wait_ns, now.cpu.preempted,
		now.mono_ns - t->begin.mono_ns };
}

double
run_cpu_share(const struct run_cpu_count *c)
{
	const double run = (double)c->run_ns;
	double asked = c->wait_ns != STAT_NONE ? run + (double)c->wait_ns : (double)c->loop_ns;

	if (asked <= 0)
		asked = (double)c->loop_ns;
	return asked > 0 ? fmin(run / asked, 1) : NAN;
}

static unsigned int
members(const struct stream *s)
{
	return s->cpus != NULL ? s->cpus->n : 0;
}

static bool
member_read(const struct stream *s, unsigned int i, bool running, void *to)
{
	if (i >= members(s))
		return false;
	*(struct run_cpu_count *)to = count_read(&s->cpus->thread[s->cpus->lcore[i]]);
	return true;
}

unsigned int
run_cpu_member(const struct stream *s, unsigned int i)
{
	return s->cpus->lcore[i];
}

static void
member_words(const struct stream *s, unsigned int i, const struct stat_sink *sink)
{
	sink->number(sink->to, "lcore", run_cpu_member(s, i));
}

const struct engine_group run_cpu_group = { .stats = &run_cpu_stats,
	.size = sizeof(struct run_cpu_count),
	.per_run = true,
	.members = members,
	.read = member_read,
	.words = member_words };

void
run_cpu_begin(struct run *r)
{
	struct run_cpus *cpus = r->cpus != NULL ? r->cpus : calloc(1, sizeof(*cpus));

	pthread_mutex_lock(&r->lock);
	r->cpus = cpus;
	r->streams[0]->cpus = cpus;
	if (cpus != NULL) {
		*cpus = (struct run_cpus){ 0 };
		for (unsigned int i = 0; i < RTE_MAX_LCORE; i++)
			pthread_mutex_init(&cpus->thread[i].reading, NULL);
		for (unsigned int i = 0; i < r->plan.n_lcores; i++)
			cpus->lcore[cpus->n++] = r->plan.lcores[i].lcore;
		for (unsigned int i = 0; i < r->plan.n_helpers; i++)
			if (!plan_deals(&r->plan, r->plan.helpers[i]))
				cpus->lcore[cpus->n++] = r->plan.helpers[i];
	}
	pthread_mutex_unlock(&r->lock);
}

struct run_cpu_thread *
run_cpu_thread(const struct run *r, unsigned int lcore)
{
	return r->cpus != NULL ? &r->cpus->thread[lcore] : NULL;
}

void
run_cpu_enter(struct run_cpu_thread *t)
{
	if (t == NULL)
		return;
	pthread_mutex_lock(&t->reading);
	t->tid = gettid();
	t->begin.mono_ns = mono_ns();
	cpu_time_read(CPU_TIME_TASKS, t->tid, &t->begin.cpu);
	t->stage = STAGE_LOOP;
	pthread_mutex_unlock(&t->reading);
}

void
run_cpu_leave(struct run_cpu_thread *t)
{
	if (t == NULL)
		return;
	pthread_mutex_lock(&t->reading);
	moment_read(&t->end, t->tid);
	t->stage = STAGE_ENDED;
	pthread_mutex_unlock(&t->reading);
}

void
run_cpu_clear(struct run *r)
{
	for (unsigned int i = 0; r->cpus != NULL && i < r->cpus->n; i++) {
		struct run_cpu_thread *t = &r->cpus->thread[r->cpus->lcore[i]];

		t->base = count_read(t);
	}
}

void
run_cpu_free(struct run *r)
{
	free(r->cpus);
	r->cpus = NULL;
}

bool
run_cpu_read(const struct run *r, unsigned int i, struct run_cpu *c)
{
	struct run_cpu_thread *t;

	if (r->cpus == NULL || i >= r->cpus->n)
		return false;
	t = &r->cpus->thread[r->cpus->lcore[i]];
	c->lcore = r->cpus->lcore[i];
	c->count = count_read(t);
	stat_subtract(&run_cpu_stats, &c->count, &t->base);
	c->share = run_cpu_share(&c->count);
	return true;
}

bool
run_cpu_least(const struct run *r, struct run_cpu *c)
{
	struct run_cpu one;
	bool any = false;

	for (unsigned int i = 0; run_cpu_read(r, i, &one); i++) {
		if (isnan(one.share) || (any && one.share >= c->share))
			continue;
		*c = one;
		any = true;
	}
	return any;
}

const char *
run_cpu_say(const struct run_cpu *c, const char *of, char text[RUN_CPU_TEXT])
{
	char times[48] = "";

	if (c->count.preempted != STAT_NONE)
		snprintf(times, sizeof(times), " (%" PRIu64 " preemption%s)", c->count.preempted,
			c->count.preempted == 1 ? "" : "s");
	snprintf(text, RUN_CPU_TEXT, "lcore %u had its CPU for %.0f %% of %.32s%s", c->lcore,
		c->share * 100, of, times);
	return text;
}

void
run_cpu_put(const struct run *r, struct out *o)
{
	const struct stat_sink sink = stat_sink_out(o);
	struct run_cpu c;

	out_nest(o, "cpu", OUT_ARRAY);
	for (unsigned int i = 0; run_cpu_read(r, i, &c); i++) {
		out_nest(o, NULL, OUT_OBJECT);
		out_u64(o, "lcore", NULL, c.lcore);
		stat_put(&sink, &run_cpu_stats, &c.count);
		out_f64(o, "share", NULL, c.share);
		out_unnest(o);
	}
	out_unnest(o);
}
