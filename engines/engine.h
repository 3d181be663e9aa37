/* All that an engine sees: what it fills in, and the loop that the core runs over its streams. */
#pragma once

#include "base/err.h"
#include "base/setting.h"
#include "base/stat.h"
#include "stream/stream_turn.h"

#include <errno.h>
#include <stdatomic.h>
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
};

/* Run all streams of one lcore until *stop; at least one turn each. Thread: that lcore. */
typedef void engine_loop(struct stream *const *streams, unsigned int n, const atomic_bool *stop);

struct plan;
struct plan_choice;

/* What an engine adds some of whose lcores own no stream: they help those that do. */
struct engine_team {
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
};

/*
 * What an engine knows beyond its streams' own counters: members of one kind, a struct of statistics
 * and a table of its rows for each. Thread of all: any that holds the run's lock.
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
	engine_loop *loop; /* by ENGINE_LOOP() */
	/*
	 * Per stream after the run, also when a later init() failed: lets go of every mbuf held.
	 * Thread: control, stopped.
	 */
	void (*fini)(struct stream *s);
	/* knobs of this engine; any engine may read any setting in init() */
	const struct setting *settings;
	size_t n_settings;
	/* the number that start shows for every port, by its unit ("flows"); NULL: none */
	const struct setting *shown;
	const struct engine_team *team;  /* NULL: every lcore owns streams and runs loop */
	const struct stat_row *counters; /* row i is stream_count.named[i] */
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

/* Instantiate the loop NAME_loop() of an engine from its stages; see stream_turn(). */
#define ENGINE_LOOP(engine, source, work, sink) \
	static void engine##_loop(struct stream *const *streams, unsigned int n, \
		const atomic_bool *stop) \
	{ \
		uint64_t ended = 0; \
\
		do { \
			for (unsigned int i = 0; i < n; i++) \
				ended = stream_turn(streams[i], ended, source, work, sink); \
		} while (!atomic_load_explicit(stop, memory_order_relaxed)); \
	}
