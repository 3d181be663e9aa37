/* A run: an engine's streams on lcores, from start to stop, and the statistics that are kept after
 * it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"
#include "run/recycle_named.h"
#include "stream/plan.h"
#include "stream/stream.h"

#include <rte_ethdev.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct engine;
struct err;
struct extmems;
struct interrupt;
struct out;
struct pool_need;
struct pools;
struct ports;
struct routes;
struct rte_mempool;
struct run_count;
struct run_cpus;
struct run_mirror_queue;
struct run_split_queue;
struct run_work;
struct run_writable_queue;
struct settings;
struct tx_frame_queue;

#define RUN_EAL_CHOSEN 96

/* End a run of a given duration on time: its lcores end it, even if the control thread is
 * delayed. */

/*
 * Polls do not read the clock for it: a kernel timer interrupts the lcore's thread at the deadline.
 * Each lcore arms its own timer, because the control thread may be preempted for seconds. The
 * signal handler only sets stop and ending, as the control thread does to end a run.
 */
struct run_deadline {
	uint64_t ms;         /* 0: none */
	double tsc_hz;       /* of struct run */
	int signal;          /* an otherwise unused signal; 0: not chosen yet */
	atomic_bool *stop;   /* of struct run */
	atomic_bool *ending; /* of struct run */
};

struct run_deadline_timer {
	const struct run_deadline *deadline;
	uint64_t end_tsc; /* a duration is in TSC cycles; the kernel's clock differs slightly */
	timer_t id;
	bool armed;
};

/*
 * Choose a signal if *d has none yet, and install its handler. Returns false if every real-time
 * signal already has a handler. Thread: control.
 */
bool run_deadline_prepare(struct run_deadline *d);

/*
 * Arm a timer that ends the run in d->ms from now. If the kernel gives no timer, only the control
 * thread ends the run. *d and *t must not move until disarmed. Thread: the lcore.
 */
void run_deadline_arm(const struct run_deadline *d, struct run_deadline_timer *t);

/* Delete the timer; its signal cannot arrive afterwards. Thread: the one that armed it. */
void run_deadline_disarm(struct run_deadline_timer *t);

/*
 * Streams move to other lcores while they run. A queue may have one lcore at a time, and its packets
 * must not overtake each other, so all lcores leave their loops between two polls and wait: the mover
 * raises asked and sets stop of struct run. When every lcore has written asked to its parked of struct
 * run_work, no queue is polled. Then the mover gives the lcores their streams, clears stop, and raises
 * done to asked. An lcore that waits for a full Tx ring rests there (struct stream_rest); it keeps its
 * streams. A run that ends meanwhile has set ending before stop; lcores look at it last.
 */
struct run_moving {
	atomic_uint asked, done; /* written by the mover, which holds the run's lock */
	atomic_bool now;         /* lcores that wait for a full Tx ring rest; written as asked */
	/* The streams by lcore, after each move, the last one first; NULL: as in the plan. */
	struct run_moved *moved;
};

/* Kept until the run is over: an lcore that rests in a poll goes on with its old ones. */
struct run_moved {
	struct run_moved *before;
	struct stream *streams[];
};

/* Mirrored ports; all zero: none. */
struct run_mirror {
	struct {
		bool on;
		uint16_t to;        /* port */
	} target[RTE_MAX_ETHPORTS]; /* by the mirrored port */
	/* of the current or last run, each on its lcore's socket */
	struct run_mirror_queue **queues;
	unsigned int n_queues;
	struct run_mirror_queue **next; /* of the run being started */
	unsigned int n_next;
	struct rte_mempool *pool; /* for clones and copies; created once */
};

/* Callbacks of the recorder. Thread: control. */
struct run_observer {
	void (*begin)(void *context); /* streams exist, workers do not run yet */
	void (*end)(void *context);   /* workers have ended, streams still exist */
	bool (*wants)(void *context, unsigned int stream); /* is the stream recorded? */
	void (*set)(void *context, const char *setting);   /* a setting changed, at any time */
	void *context;
};

/* The place of a run in a comparison, for recordings. */
struct run_trial {
	unsigned int comparison;   /* of this process, from 1 */
	unsigned int round;        /* from 1; each round runs every combination once */
	unsigned int combination;  /* from 0 */
	const char *const *names;  /* compared settings, or "engine", "cores", "queues", "driver" */
	const char *const *values; /* of the names, in this run */
	unsigned int n_names;
	bool cut; /* ended early; set before the observer's end() */
};

struct run {
	/*
	 * Protects engine, running, engine_run, plan, streams, base and the streams' feeds: the
	 * control thread holds it to change them, other threads to read them. Workers never take
	 * it.
	 */
	pthread_mutex_t lock;
	const struct engine *const *engines; /* NULL-terminated */
	double tsc_hz;                       /* of struct ports */
	void **configs;                      /* of the engines, in their order; run_engines.h */
	const struct engine *engine;         /* of the next run; run_engine_choose() */
	bool retry;                          /* set fwd X retry */
	struct settings *settings;
	struct ports *ports;
	struct pools *pools;
	struct extmems *extmems;
	const struct routes *routes; /* for layer 3 engines */
	/* Assign the streams of a plan to lcores of the choice; NULL: they are divided evenly. */
	int (*assign)(void *context, const struct plan_choice *c, struct plan *plan, struct err *e);
	void *assign_context;
	struct run_observer observer;  /* all NULL: none */
	const struct run_trial *trial; /* NULL: not part of a comparison */
	unsigned int n_comparisons;    /* so far */
	struct out *out;
	struct interrupt *interrupt;  /* ends long operations; NULL: nothing does */
	bool odd_warned;              /* run_odd_warn() has printed its warning */
	bool known[RTE_MAX_ETHPORTS]; /* ports at the last run_ports_changed() */
	struct run_mirror mirror;     /* ports whose packets another port sends too */
	/* per stream, to copy read-only data; NULL: the engine does not write, or there is none */
	struct run_writable_queue *writable;
	unsigned int n_writable;
	/* per stream, where receive queues split packets; n_split 0: none do */
	struct run_split_queue *split;
	unsigned int n_split;
	/* Tx queues whose drivers must not see packets that are too long; NULL: none */
	struct tx_frame_queue *frames;
	unsigned int n_frames;
	struct recycle_named recycle; /* pairs of queues in runs that recycle */
	struct plan_choice choice;    /* ports and lcores, their order, and the topology */

	bool check;          /* check the packet balance at each stop */
	unsigned int broken; /* streams with a wrong packet balance so far */
	bool secondary;      /* secondary process: lends lcores to the primary, has no runs */
	/* EAL options that the program chose for this host, a blank before each; "": none. */
	char eal_chosen[RUN_EAL_CHOSEN];
	atomic_bool lending; /* lcores are lent now; written by the control thread */

	/* The current or last run. A secondary process has none, see run_busy(). */
	bool running;
	uint64_t n_runs;             /* runs so far; counters begin at zero with each */
	uint64_t flushed;            /* packets that flush_rx discarded at its start */
	uint64_t begin_tsc, end_tsc; /* of the run; end_tsc while not running */
	const struct engine *engine_run;
	struct plan plan;
	struct stream **streams;         /* plan.n_streams of them, NULL before the first start */
	struct run_count *base;          /* one per stream: counters at the start or last clear */
	uint64_t base_tsc;               /* TSC at that time */
	struct stream_count *timed_base; /* one per stream: counters when cycles began to count */
	uint64_t timed_tsc;              /* TSC at that time */
	struct run_work *work;           /* the work of each lcore */
	struct run_moving moving;
	struct run_cpus *cpus; /* CPU times of each lcore; NULL: unknown; run_cpu.h */
	uint64_t limit; /* packets after which the next run stops; 0: none; its setter clears it */
	atomic_llong limit_left;      /* packets left of the limit; written by workers */
	struct run_deadline deadline; /* of the next run; the caller that sets its ms clears it */
	/* written by the control thread, or an engine that ends; read by every worker */
	atomic_bool stop;
	/*
	 * As stop, but set only when the run has to end. For single polls stop is set before they
	 * begin.
	 */
	atomic_bool ending;
};

/*
 * Initialise: engine io over all ports, paired, on one lcore. The caller sets engines, settings,
 * ports, pools and out before, and keeps owning them. Thread: control, for all of this file.
 */
void run_init(struct run *r);

/* Make every lcore except the main one available for forwarding, and use one. */
void run_lcores_default(struct run *r);

/*
 * Update the choice after ports were added or removed. The operator's list keeps its order; ports
 * that it leaves out are not added again.
 */
void run_ports_changed(struct run *r);

/* Return whether a port of the current run is still there: not all devices were removed. */
bool run_ports_remain(const struct run *r);

/* Warn once that the last of an odd number of paired ports forwards to itself. */
void run_odd_warn(struct run *r);

/* Return the engine of that name, or NULL. */
const struct engine *run_engine(const struct run *r, const char *name);

/*
 * Return the engine that sends at a rate and counts losses. NULL with ENOTSUP: this build has none;
 * with the error of its may(): not now.
 */
const struct engine *run_engine_trial(const struct run *r, struct err *e);

/* Use that engine from the next start on, with or without transmit retries. */
void run_engine_choose(struct run *r, const struct engine *engine, bool retry);

/* Return what the chosen ports and lcores need from the pools. */
struct pool_need run_pool_need(const struct run *r);

/*
 * Return whether lcores forward, or are lent by a secondary process. Thread: control, or any that
 * holds the run's lock.
 */
bool run_busy(const struct run *r);
