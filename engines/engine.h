/* All that an engine sees: what it fills in, and the loop that the core runs over its streams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/err.h"
#include "base/setting.h"
#include "base/stat.h"
#include "pmd_shims/recycle/recycle_feed.h"
#include "stream/stream_poll.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum engine_flag {
	ENGINE_NO_RX = 1 << 0, /* never receives: works without receive queues */
	ENGINE_NO_TX = 1 << 1, /* never transmits: works without transmit queues */
	/* makes packets: their length and segments belong to the configuration */
	ENGINE_MAKES = 1 << 2,
	/* answers on the port of arrival: streams lead back where they come from */
	ENGINE_ECHOES = 1 << 3,
	/* writes into packets that it received: who else has them must have copies */
	ENGINE_WRITES = 1 << 4,
	ENGINE_TX_FIRST = 1 << 5, /* sends what `start tx_first` asks for; one engine does */
	ENGINE_RECYCLES = 1 << 6, /* whatever the setting recycle says */
};

/* Run all streams of one lcore until *stop; at least one poll each. Thread: that lcore. */
typedef void engine_loop(struct stream *const *streams, unsigned int n, const atomic_bool *stop);

struct extmems;
struct out;
struct plan;
struct plan_choice;
struct pool_need;
struct routes;

/* What the program has for engines, from open() to close(). */
struct engine_env {
	const struct settings *settings;
	struct extmems *extmems;
	const struct routes *routes; /* as they are now; control thread only */
	const char *version;         /* of the program */
	struct out *out;             /* where the control thread says what a start decided */
	atomic_bool *stop;           /* true: lcores are to leave whatever they run */
};

/* The ports before a run, for prepare(). */
struct engine_ports {
	const uint16_t *ids; /* of all there are, n of them */
	unsigned int n;
	const struct pool_need *need; /* of those that forward */
	struct rte_mempool *usual; /* what ports receive into by default; NULL: there is no pool */
	const struct rte_mempool *instead; /* what they all receive into now; NULL: that default */
};

/* What an engine adds some of whose lcores own no stream: they help those that do. */
struct engine_helpers {
	/*
	 * Divide the lcores in use: those that shall own streams stay in c->lcores[0..use_lcores),
	 * those that help go to c->helpers; an lcore may be in both. 0, or -errno with e filled.
	 * Thread: control.
	 */
	int (*split)(const struct settings *settings, struct plan_choice *c, struct err *e);
	/*
	 * Once every stream has been through init(): make what the lcores share; fini() undoes it.
	 * As init().
	 */
	int (*join)(struct stream *const *streams, const struct plan *plan, struct err *e);
	engine_loop *help; /* of a helper that owns no stream; gets all streams of the run */
	/*
	 * In a secondary process: launch the lcores as helpers of the primary's runs, until *stop
	 * of struct engine_env, and say so. NULL: the primary cannot be helped. 0, or -errno with e
	 * filled and no lcore launched. Thread: control.
	 */
	int (*lend)(void *config, const unsigned int *lcores, unsigned int n, struct out *out,
		struct err *e);
	/*
	 * What became of all streams of this run or the last one, n 0: there was none; in a
	 * secondary process of the primary's. ENOENT: there is nothing to show. Thread: control.
	 */
	int (*show)(struct stream *const *streams, unsigned int n, const void *config,
		struct out *out, struct err *e);
};

/*
 * What an engine knows beyond its streams' own counters: members of one kind, a struct of
 * statistics and a table of its rows for each. Thread of all: any that holds the run's lock.
 */
struct engine_group {
	const struct stat_table *stats; /* its name is the group's: "pipeline_worker" */
	size_t size;                    /* bytes of the struct */
	/* members are the run's, found through its first stream; else each stream has its own */
	bool per_run;
	bool fixed; /* decided before the run: recordings have it once in each */
	/* How many members there may be; NULL: one. */
	unsigned int (*members)(const struct stream *s);
	/*
	 * Read member i into *to, zeroed; running: the run is not over. False: there is none of
	 * that number, throughout a run.
	 */
	bool (*read)(const struct stream *s, unsigned int i, bool running, void *to);
	/* Tell what it is, in words and numbers that no row has; NULL: its stream says it. */
	void (*words)(const struct stream *s, unsigned int i, const struct stat_sink *sink);
};

struct engine {
	const char *name;   /* set fwd NAME */
	const char *help;   /* one line: TAB, manual */
	unsigned int flags; /* enum engine_flag */
	size_t state_size;  /* bytes of zeroed, cache-aligned state per stream on its socket */
	/*
	 * Per stream before the run; NULL: nothing. 0, or -errno with e filled. Thread: control,
	 * stopped.
	 */
	int (*init)(struct stream *s, struct err *e);
	engine_loop *loop; /* by ENGINE_LOOP() or ENGINE_LOOPS() */
	/*
	 * The same for streams that have a feed, by ENGINE_LOOPS(). NULL: the engine cannot
	 * recycle, as its lcores do not send the mbufs that they receive.
	 */
	engine_loop *recycling;
	/*
	 * How many of a stream's packets went out by each transmit queue of its lcore: element i is
	 * of the queue of the lcore's stream number i, 0 for the first that siblings have of that
	 * lcore. Never reset; the array is there from init() to fini() and written by the worker,
	 * which also reads it. NULL: all went by the stream's own queue.
	 */
	const uint64_t *(*sent)(const struct stream *s);
	/*
	 * Per stream after the run, also when a later init() failed: lets go of every mbuf held.
	 * Thread: control, stopped.
	 */
	void (*fini)(struct stream *s);
	/*
	 * Per stream, in the order of siblings, when its statistics are no longer wanted: frees what
	 * it has in kept, which may be of a run that init() refused. NULL: nothing. Thread:
	 * control, after fini().
	 */
	void (*forget)(struct stream *s);
	/*
	 * Configuration that outlasts runs: so many zeroed bytes, made once, which streams have as
	 * config and commands ask run_engines.h for. open() and close() begin and end it with the
	 * program, close() also when open() failed. All may be 0 or NULL. Thread of all that take
	 * it: control.
	 */
	size_t config_size;
	int (*open)(void *config, const struct engine_env *env, struct err *e);
	void (*close)(void *config);
	/*
	 * Before a run: the pool that all ports are to receive into, *pool := NULL for the usual
	 * one. NULL: always that. 0, or -errno with e filled.
	 */
	int (*prepare)(const void *config, const struct engine_ports *ports,
		struct rte_mempool **pool, struct err *e);
	/*
	 * Let the streams, one at least, go by config: at each start behind init(), and when it
	 * changes. live: lcores run them. 0, or -errno with e filled; then some of them may
	 * go by it and others as before.
	 */
	int (*apply)(struct stream *const *streams, unsigned int n, const void *config, bool live,
		struct err *e);
	/*
	 * What became of a stream of this run, or of the last one when not running: members of an
	 * object, lines. NULL: the helpers show, or nobody.
	 */
	void (*show)(struct out *out, const struct stream *s, bool running);
	/* settings of this engine; any engine may read any setting in init() */
	const struct setting *settings;
	size_t n_settings;
	/* the number that start shows for every port, by its unit ("flows"); NULL: none */
	const struct setting *shown;
	const struct engine_helpers *helpers; /* NULL: every lcore owns streams and runs loop */
	const struct stat_row *counters;      /* row i is stream_count.named[i] */
	size_t n_counters;
	const struct engine_group *groups; /* of other statistics; n_groups 0: none */
	size_t n_groups;
};

/* The rows of an engine's own counters: of stream_count.named. */
static inline struct stat_table
engine_counters(const struct engine *engine)
{
	return (struct stat_table){ engine->name, engine->counters, engine->n_counters, true };
}

/* The first stage of polls that recycle. */
static __rte_always_inline void
engine_recycle(struct stream *s)
{
	recycle_feed_run(s->feed);
}

/* The loop that runs a stream and its siblings. */
static inline engine_loop *
engine_loop_of(const struct stream *s)
{
	return s->feed != NULL ? s->engine->recycling : s->engine->loop;
}

#define ENGINE_LOOP_WITH(name, first, source, work, sink) \
	static void name(struct stream *const *streams, unsigned int n, const atomic_bool *stop) \
	{ \
		uint64_t ended = 0; \
\
		do { \
			for (unsigned int i = 0; i < n; i++) \
				ended = stream_poll(streams[i], ended, first, source, work, sink); \
		} while (!atomic_load_explicit(stop, memory_order_relaxed)); \
	}

/* Instantiate the loop NAME_loop() of an engine from its stages; see stream_poll(). */
#define ENGINE_LOOP(engine, source, work, sink) \
	ENGINE_LOOP_WITH(engine##_loop, NULL, source, work, sink)

/*
 * NAME_loop() and, for the same engine when it recycles, NAME_recycling(). For engines that send
 * the mbufs that they receive, by transmit queues of the lcore that received them.
 */
#define ENGINE_LOOPS(engine, source, work, sink) \
	ENGINE_LOOP_WITH(engine##_loop, NULL, source, work, sink) \
	ENGINE_LOOP_WITH(engine##_recycling, engine_recycle, source, work, sink)
