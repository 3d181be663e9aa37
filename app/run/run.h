/* A run: engine and plan made real as streams on lcores, from start to stop, and the figures that
 * stay after it. */
#pragma once

#include "base/setting.h"
#include "engines/ring/ring_routes.h"
#include "run/run_attach.h"
#include "run/run_mirror.h"
#include "run/run_recycle.h"
#include "stream/plan.h"
#include "stream/stream.h"

#include <rte_ethdev.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct engine;
struct err;
struct extmems;
struct out;
struct pools;
struct ports;
struct record;
struct settings;

/* A stream's counters at one moment, or the difference of two. */
struct run_count {
	uint64_t rx, tx, made, absorbed, tx_dropped, tx_retried, busy_cycles, rx_bytes, tx_bytes;
	uint64_t named[STREAM_NAMED_MAX];
	struct hist_copy rx_bursts, tx_bursts;
};

struct run {
	/*
	 * What other threads look at: the control thread holds it while it changes engine, running,
	 * engine_run, plan, streams, base and what feeds streams, they hold it while they read
	 * them. Workers never do.
	 */
	pthread_mutex_t lock;
	const struct engine *const *engines; /* NULL-terminated */
	const struct engine *engine;         /* of the next start; run_engine_choose() */
	bool retry;                          /* set fwd X retry */
	struct settings *settings;
	struct ports *ports;
	struct pools *pools;
	struct extmems *extmems;
	struct record *record; /* told of every run; NULL: nobody is */
	struct out *out;
	int interrupt_fd;             /* readable: what takes long shall end; -1: nobody says so */
	bool odd_warned;              /* run_odd_warn() has spoken */
	bool known[RTE_MAX_ETHPORTS]; /* ports that were there when choice was last adapted */
	struct run_recycle recycle;   /* pairs that the operator named */
	struct run_mirror mirror;     /* ports whose packets another port sends too */
	struct run_attach attach;     /* what processes share */
	struct ring_routes routes;    /* of the stage l3fwd */
	struct plan_choice choice; /* which ports and lcores, in which order, over which topology */

	/* The current run, or the last one when not running. A secondary never runs: run_busy(). */
	bool running;
	uint64_t n_runs;             /* starts so far: counters begin at zero with each */
	uint64_t begin_tsc, end_tsc; /* of the run; end_tsc while not running */
	const struct engine *engine_run;
	struct plan plan;
	struct stream **streams; /* plan.n_routes of them, NULL before the first start */
	struct run_count *base;  /* one per stream: what clear remembered */
	struct rte_eth_stats port_base[RTE_MAX_ETHPORTS]; /* ethdev counters at start or clear */
	struct run_work *work;                            /* what each lcore was handed */
	atomic_bool stop; /* written by the control thread, read by every worker */
	/*
	 * The same, and set no later than the run is to end: stop may be set before it begins, for
	 * one turn each.
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

/* Make the plan that a start would use now; free it with plan_free(). Errors: as plan_make(). */
int run_plan(const struct run *r, const struct engine *engine, struct plan *plan, struct err *e);

/*
 * Start forwarding with the chosen engine. tx_first: bursts that every stream sends by txonly
 * before, 0: none. Shows testpmd's configuration blocks. Errors: EALREADY "Packet forwarding
 * already started"; ENETDOWN "Not all ports were started"; EINVAL for an engine that the queues
 * cannot serve; what init() of the engine says; EINTR a signal came before all the bursts; ENOMEM.
 */
int run_start(struct run *r, unsigned int tx_first, struct err *e);

/*
 * Whether a start has no stop yet: lcores forward, or a secondary lends them. Thread: any; of a
 * run, with the lock.
 */
bool run_busy(const struct run *r);

/* Stop, let the engine finish, show the statistics. ENOENT "Packet forwarding not started". */
int run_stop(struct run *r, struct err *e);

/* Stop if need be, and free all; nothing is said of what does not stop. */
void run_end(struct run *r);

/* Free the streams of the last run. */
void run_close(struct run *r);

/* Counters of a stream since it was made. Thread: any, while the stream stays. */
void run_count_read(const struct stream *s, struct run_count *count);

/* c -= base, counter by counter. */
void run_count_subtract(struct run_count *c, const struct run_count *base);

/* Counters of stream i since the start or the last clear. */
void run_count(const struct run *r, unsigned int i, struct run_count *count);

/* Remember the counters of now, so that run_count() counts from here. */
void run_count_clear(struct run *r);

/*
 * Tell the streams what to record, by the settings and by the recording that is on; acts at once.
 */
void run_count_record(struct run *r);

/* The settings of this file, for settings_add(). */
extern const struct setting run_settings[];
extern const size_t run_settings_n;
