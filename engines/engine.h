/* The interface of engines: the struct that each fills in, and the loop that runs its streams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/err.h"
#include "base/setting.h"
#include "base/stat.h"
#include "stream/recycle_tuning.h"
#include "stream/stream_poll.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zcfwd/recycle.h>

enum engine_flag {
	ENGINE_NO_RX = 1 << 0, /* never receives: works without Rx queues */
	ENGINE_NO_TX = 1 << 1, /* never transmits: works without Tx queues */
	/* creates packets; the length and segments of txpkts are shown with the configuration */
	ENGINE_MAKES = 1 << 2,
	/* sends on the port of arrival, so that each stream's Tx port is its Rx port */
	ENGINE_ECHOES = 1 << 3,
	ENGINE_TX_FIRST = 1 << 4, /* the one engine that sends for `start tx_first` */
	ENGINE_RECYCLES = 1 << 5, /* recycles regardless of the setting recycle */
	ENGINE_NO_MBUFS = 1 << 6, /* its packets have no mbufs, so mirrors cannot see them */
	/* describes created packets by its own settings, not by txpkts */
	ENGINE_DESCRIBES = 1 << 7,
	/* may end the run: sets *stop of struct engine_env when it has nothing more to send */
	ENGINE_ENDS = 1 << 8,
	/* its streams may move to other lcores during a run: they share nothing and keep no lcore */
	ENGINE_MOVES = 1 << 9,
};

/* Where the mbufs that an engine sends come from. */
enum engine_sends {
	ENGINE_SENDS_RECEIVED = 1 << 0, /* the pools that it receives into */
	ENGINE_SENDS_TAKEN = 1 << 1,    /* the stream's pool */
};

/* The streams whose packets a Tx queue may get. */
enum engine_reach {
	ENGINE_REACH_OWN,   /* its own stream */
	ENGINE_REACH_LCORE, /* all streams of its lcore */
	ENGINE_REACH_RUN,   /* all streams */
};

/* Run all streams of an lcore until *stop, but poll each at least once. Thread: that lcore. */
typedef void engine_loop(struct stream *const *streams, unsigned int n, const atomic_bool *stop);

struct cmd_table;
struct extmems;
struct hdr;
struct out;
struct plan;
struct plan_choice;
struct pool_need;
struct routes;

/* The program's objects that engines may use, valid from open() to close(). */
struct engine_env {
	const struct settings *settings;
	struct extmems *extmems;
	const struct routes *routes; /* current routes; control thread only */
	const char *version;         /* of the program */
	struct out *out;             /* for messages of the control thread at start */
	atomic_bool *stop;           /* true: all lcores have to stop; see ENGINE_ENDS */
};

/* The ports before a run, for prepare(). */
struct engine_ports {
	const uint16_t *ids; /* all ports */
	unsigned int n;
	const struct pool_need *need;      /* mbufs that the forwarding ports need */
	struct rte_mempool *usual;         /* default Rx pool; NULL: there is none */
	const struct rte_mempool *instead; /* current Rx pool of all ports; NULL: the default */
};

/* Functions of an engine with helper lcores, which own no streams but work for those of others. */
struct engine_helpers {
	/*
	 * Divide the lcores: leave those that own streams in c->lcores[0..use_lcores), and store
	 * helpers in c->helpers; an lcore may be in both. Returns 0, or -errno with e set. Thread:
	 * control.
	 */
	int (*split)(const struct settings *settings, struct plan_choice *c, struct err *e);
	/*
	 * Create state that the lcores share, after init() of all streams; fini() frees it. Returns
	 * 0, or -errno with e set. Thread: control, stopped.
	 */
	int (*join)(struct stream *const *streams, const struct plan *plan, struct err *e);
	engine_loop *help; /* loop of a helper without streams; gets all streams of the run */
	/*
	 * In a secondary process: launch the lcores as helpers in the primary's runs, until *stop
	 * of struct engine_env, and print a line about it. NULL: not supported. Returns 0, or
	 * -errno with e set and no lcore launched. Thread: control.
	 */
	int (*lend)(void *config, const unsigned int *lcores, unsigned int n, struct out *out,
		struct err *e);
	/*
	 * Show the current or last run; n is 0 if there was none. A secondary process shows the
	 * primary's run. Errors: ENOENT if there is nothing to show. Thread: control.
	 */
	int (*show)(struct stream *const *streams, unsigned int n, const void *config,
		struct out *out, struct err *e);
};

/*
 * Engine statistics beyond the streams' counters: a group of members, each a struct with the same
 * table of rows. Thread: any that holds the run's lock.
 */
struct engine_group {
	const struct stat_table *stats; /* its name is the group's name: "pipeline_worker" */
	size_t size;                    /* bytes of the struct */
	/* members belong to the run and are read through its first stream; else to each stream */
	bool per_run;
	bool fixed; /* constant in a run: recordings have it once per run */
	/* The maximum number of members; NULL: one. */
	unsigned int (*members)(const struct stream *s);
	/*
	 * Read member i into *to, which is zeroed. Returns false if there is no such member; this
	 * does not change during a run.
	 */
	bool (*read)(const struct stream *s, unsigned int i, bool running, void *to);
	/* Write what identifies the member and is in no row; NULL: the stream identifies it. */
	void (*words)(const struct stream *s, unsigned int i, const struct stat_sink *sink);
};

/*
 * A histogram of times in ns that each stream keeps; recordings write it to an HdrHistogram log. Thread:
 * any that holds the run's lock.
 */
struct engine_times {
	const char *name; /* the end of the log's tag: "latency" */
	bool sent;        /* the tag has the stream's Tx queue, else its Rx queue */
	const struct hdr *(*of)(const struct stream *s);
};

/*
 * Packets of a run of an engine that measures: due to be sent, sent, received intact, and received
 * from another source.
 */
struct engine_sums {
	uint64_t due, sent, arrived, foreign;
};

/* What searches with trials need of an engine that sends and measures traffic. Thread: control. */
struct engine_trial {
	/* Return 0, or -errno with e set if config lets no trial send what it wants. NULL: never. */
	int (*may)(const void *config, struct err *e);
	/*
	 * Set *bytes to the mean length of the packets that a port would send, 0: none. size: value
	 * of the setting size that would apply. Returns 0, or -errno with e set.
	 */
	int (*traffic)(const struct settings *settings, const char *size, uint16_t port,
		double *bytes, struct err *e);
	/* Return the sums over all streams of the last run. */
	struct engine_sums (*sums)(struct stream *const *streams, unsigned int n);
	const struct engine_times *latency; /* one of the engine's */
	const char *rate, *size; /* names of the settings: packets per second ("2pps"); sizes */
};

/*
 * A part of what an engine sends, with a rate of its own: what was asked of it, and what it has reached
 * in the current or last run.
 */
struct engine_part {
	const char *name;      /* valid until the next command */
	uint16_t port;         /* that sends it */
	double asked, reached; /* packets per second; INFINITY: as many as possible; NAN: unknown */
	uint64_t sent, unsent, refused;
};

struct engine {
	const char *name;   /* set fwd NAME */
	const char *help;   /* one line, for TAB and the manual */
	unsigned int flags; /* enum engine_flag */
	size_t state_size;  /* bytes of zeroed, cache-aligned state per stream on its socket */
	/*
	 * Prepare a stream for a run. NULL: nothing to do. Returns 0, or -errno with e set. Thread:
	 * control, stopped.
	 */
	int (*init)(struct stream *s, struct err *e);
	/*
	 * Return how many bytes from the start of a received packet the engine may write; it may
	 * write all of the first segment. Read-only segments there are copied before the engine
	 * gets the packet, and mirrors copy packets instead of cloning them. NULL: the engine never
	 * writes into received packets. Thread: the stream's worker.
	 */
	uint32_t (*written)(const struct stream *s, const struct rte_mbuf *m);
	engine_loop *loop; /* by ENGINE_LOOP() or ENGINE_LOOPS() */
	/*
	 * Count what was due at the end of loop, ended_tsc, and receive what is still under way; not
	 * part of the run's time. NULL: nothing to do. Thread: the lcore.
	 */
	void (*drain)(struct stream *const *streams, unsigned int n, uint64_t ended_tsc);
	/*
	 * The loop for streams with recycling, by ENGINE_LOOPS(). NULL: the engine cannot recycle,
	 * because its lcores do not send the mbufs that they receive.
	 */
	engine_loop *recycling;
	/*
	 * The number of a stream's packets sent by each Tx queue of its lcore. Element i is for the
	 * queue of the lcore's i-th stream in the order of siblings. Never reset; the array exists
	 * from init() to fini() and is written and read by the worker. NULL: the stream sends only
	 * by its own queue.
	 */
	const uint64_t *(*sent)(const struct stream *s);
	/*
	 * Return which streams' packets the settings let a Tx queue get. NULL: ENGINE_REACH_OWN; also
	 * for engines that check the pools of their packets themselves. Thread: control.
	 */
	enum engine_reach (*reach)(const struct settings *settings);
	/*
	 * Return a set of enum engine_sends. NULL: ENGINE_SENDS_TAKEN with ENGINE_MAKES, else
	 * ENGINE_SENDS_RECEIVED. Thread: control.
	 */
	unsigned int (*sends)(const struct settings *settings);
	/*
	 * Return why packets that the engine creates or cuts have several segments ("creates packets of
	 * several segments (txpkts)"), NULL: they have one. port: options of the Tx port. NULL: always one;
	 * also for engines that check their Tx queues themselves. Thread: control.
	 */
	const char *(*segments)(const struct settings *settings, const struct stream_csum *port);
	/*
	 * Release all mbufs that a stream holds, after the run or after a later init() failed.
	 * Thread: control, stopped.
	 */
	void (*fini)(struct stream *s);
	/*
	 * Free the stream's member kept when its statistics are no longer needed; also called if
	 * init() failed. Streams come in the order of siblings. NULL: nothing to do. Thread:
	 * control, after fini().
	 */
	void (*forget)(struct stream *s);
	/*
	 * Configuration that outlives runs: config_size zeroed bytes, allocated once, which are the
	 * streams' member config; commands get it from run_engines.h. open() and close() are called
	 * at the begin and end of the program, close() also if open() failed. All may be 0 or NULL.
	 * Thread: control.
	 */
	size_t config_size;
	int (*open)(void *config, const struct engine_env *env, struct err *e);
	void (*close)(void *config);
	/* shares the configuration of that engine, and has none of its own; NULL: no */
	const struct engine *config_of;
	/*
	 * Print the commands that restore config after those of the settings, for `save config`. Returns
	 * how many. NULL: there are none.
	 */
	uint64_t (*save)(const void *config, struct out *to);
	/*
	 * Before a run, set *pool to the pool that all ports have to receive into, NULL for the
	 * default one. NULL: always the default. Returns 0, or -errno with e set.
	 */
	int (*prepare)(const void *config, const struct engine_ports *ports,
		struct rte_mempool **pool, struct err *e);
	/*
	 * Apply config to the streams, at each start after init() and when config changes. n: 1 or
	 * more. live: the streams are running. Returns 0, or -errno with e set, possibly with
	 * config applied to some of the streams.
	 */
	int (*apply)(struct stream *const *streams, unsigned int n, const void *config, bool live,
		struct err *e);
	/*
	 * Print a stream of the current run, or of the last one if not running, as members of an
	 * object and lines of text. NULL: helpers->show, or nothing.
	 */
	void (*show)(struct out *out, const struct stream *s, bool running);
	/* settings of this engine; any engine may read any setting in init() */
	struct setting_table settings;
	const struct cmd_table *commands; /* beside those of its settings; NULL: none */
	/* a setting that start shows for every port, named by its unit ("flows"); NULL: none */
	const struct setting *shown;
	const struct engine_helpers *helpers; /* NULL: every lcore owns streams and runs loop */
	const struct stat_row *counters;      /* row i is stream_count.named[i] */
	size_t n_counters;
	const struct engine_group *groups; /* of other statistics; n_groups 0: none */
	size_t n_groups;
	const struct engine_trial *trial; /* NULL: the engine does not measure */
	const struct engine_times *times; /* histograms of times; n_times 0: none */
	size_t n_times;
	/*
	 * Read part number i into *to. Returns false past the last one. NULL: the engine has no parts.
	 * Thread: control.
	 */
	bool (*part)(const void *config, unsigned int i, struct engine_part *to);
};

/* The table of an engine's own counters, which are in stream_count.named. */
static inline struct stat_table
engine_counters(const struct engine *engine)
{
	return (struct stat_table){ engine->name, engine->counters, engine->n_counters, true };
}

/* The first stage of a poll that recycles. */
static __rte_always_inline void
engine_recycle(struct stream *s)
{
	struct recycle_tuning *tuning;

	zcfwd_recycle_run(s->feed);
	/* Pairs with the release in recycle_named_apply(). */
	tuning = atomic_load_explicit(&s->tuning, memory_order_acquire);
	if (unlikely(tuning != NULL))
		recycle_tuning_poll(tuning, s->feed);
}

/* The loop that runs a stream and the others of its lcore. */
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

/* Define an engine's loop ENGINE_loop() from its stages; see stream_poll(). */
#define ENGINE_LOOP(engine, source, work, sink) \
	ENGINE_LOOP_WITH(engine##_loop, NULL, source, work, sink)

/*
 * Define ENGINE_loop() and ENGINE_recycling(). For engines that send the mbufs that they receive,
 * by Tx queues of the lcore that received them.
 */
#define ENGINE_LOOPS(engine, source, work, sink) \
	ENGINE_LOOP_WITH(engine##_loop, NULL, source, work, sink) \
	ENGINE_LOOP_WITH(engine##_recycling, engine_recycle, source, work, sink)
