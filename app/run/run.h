/* A run: engine and plan made real as streams on lcores, from start to stop, and the statistics that
 * stay after it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"
#include "pmd_shims/recycle/shim_layout.h"
#include "run/recycle_named.h"
#include "run/run_deadline.h"
#include "stream/plan.h"
#include "stream/stream.h"

#include <rte_ethdev.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct captures;
struct engine;
struct err;
struct extmems;
struct out;
struct plan;
struct pool_need;
struct pools;
struct ports;
struct rte_mempool;
struct routes;
struct run_count;
struct run_mirror_queue;
struct run_work;
struct settings;

/* All zero at the beginning. */
struct run_mirror {
	struct {
		bool on;
		uint16_t to;             /* port */
	} target[RTE_MAX_ETHPORTS];      /* by the mirrored port */
	struct run_mirror_queue *queues; /* of this run, or of the last one */
	unsigned int n_queues;
	struct run_mirror_queue *next; /* of the start under way */
	unsigned int n_next;
	struct rte_mempool *pool; /* of clones and copies; made once */
};

/* Who is told of runs and asked which streams are recorded. Thread of all: control. */
struct run_observer {
	void (*begin)(void *context); /* streams are there, workers not yet */
	void (*end)(void *context);   /* workers are gone, streams are still there */
	bool (*wants)(void *context, unsigned int stream); /* its polls, for its log */
	void (*set)(void *context, const char *setting);   /* got a value, in a run or outside */
	void *context;
};

/* Which run of a comparison a run is, for those who record it. */
struct run_trial {
	unsigned int comparison;  /* of this process, from 1 */
	unsigned int round;       /* from 1: every combination has a run in each */
	unsigned int combination; /* from 0 */
	const char *const *names; /* what is compared: settings, "engine" */
	unsigned int n_names;
	bool cut; /* ended before its time; true before its end is told of */
};

struct run {
	/*
	 * What other threads look at: the control thread holds it while it changes engine, running,
	 * engine_run, plan, streams, base and what feeds streams, they hold it while they read
	 * them. Workers never do.
	 */
	pthread_mutex_t lock;
	const struct engine *const *engines; /* NULL-terminated */
	void **configs;                      /* of the engines, in their order; run_engines.h */
	const struct engine *engine;         /* of the next start; run_engine_choose() */
	bool retry;                          /* set fwd X retry */
	struct settings *settings;
	struct ports *ports;
	struct pools *pools;
	struct extmems *extmems;
	const struct routes *routes;   /* what engines of layer 3 go by */
	struct captures *captures;     /* NULL: nothing can be captured */
	struct run_observer observer;  /* all NULL: nobody */
	const struct run_trial *trial; /* NULL: the run is of no comparison */
	unsigned int n_comparisons;    /* so far */
	struct out *out;
	int interrupt_fd;             /* readable: what takes long shall end; -1: nobody says so */
	bool odd_warned;              /* run_odd_warn() has spoken */
	bool known[RTE_MAX_ETHPORTS]; /* ports that were there when choice was last adapted */
	struct run_mirror mirror;     /* ports whose packets another port sends too */
	struct recycle_named recycle; /* who feeds whom in runs that recycle */
	struct shim_layouts layouts;  /* what recycling knows of drivers beside its tables */
	struct plan_choice choice; /* which ports and lcores, in which order, over which topology */

	bool check;          /* the law, at each stop */
	unsigned int broken; /* streams so far that it did not hold for */
	bool secondary;      /* process: its lcores help the primary's runs, it has none itself */
	atomic_bool lending; /* and do so now; written by the control thread */

	/* The current run, or the last one when not running. A secondary never runs: run_busy(). */
	bool running;
	uint64_t n_runs;             /* starts so far: counters begin at zero with each */
	uint64_t flushed;            /* packets that its start discarded: flush_rx */
	uint64_t begin_tsc, end_tsc; /* of the run; end_tsc while not running */
	const struct engine *engine_run;
	struct plan plan;
	struct stream **streams;         /* plan.n_streams of them, NULL before the first start */
	struct run_count *base;          /* one per stream: what start or clear remembered, */
	uint64_t base_tsc;               /* and when */
	struct stream_count *timed_base; /* one per stream: when counting of cycles began, */
	uint64_t timed_tsc;              /* and then */
	struct run_work *work;           /* what each lcore was handed */
	uint64_t
		limit; /* packets that the next run stops after; 0: none; whoever sets it clears it */
	atomic_llong limit_left;      /* workers take from it */
	struct run_deadline deadline; /* of the next run; the caller that sets its ms clears it */
	atomic_bool stop;             /* written by the control thread, read by every worker */
	/*
	 * The same, and set no later than the run is to end: stop may be set before it begins, for
	 * one poll each.
	 */
	atomic_bool ending;
};

/*
 * Begin: io over every port there is, paired, with one forwarding lcore of all that EAL has but the
 * main one. engines, settings, ports, pools, out stay the caller's. Thread: control, all of this
 * file.
 */
void run_init(struct run *r);

/* Every lcore but the main one may forward, one of them does. */
void run_lcores_default(struct run *r);

/*
 * Take in ports that came and let go of those that went. The operator's list keeps its order, and
 * does not get back what he left out.
 */
void run_ports_changed(struct run *r);

/* Say, once, that the last of an odd number of paired ports forwards to itself. */
void run_odd_warn(struct run *r);

/* The engine of that name, or NULL when there is none. */
const struct engine *run_engine(const struct run *r, const char *name);

/*
 * Use that engine from the next start on, with or without further transmit calls after a short one.
 */
void run_engine_choose(struct run *r, const struct engine *engine, bool retry);

/* What the ports and lcores that were chosen want of the pools. */
struct pool_need run_pool_need(const struct run *r);
