/* All that an engine sees: what it fills in, and the loop that the core runs over its streams. */
#pragma once

#include "base/err.h"
#include "base/setting.h"
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

struct engine_counter {
	const char *name; /* in JSON: "bad_ipcsum" */
	/* in forward statistics: "Bad-ipcsum"; NULL: in JSON and show fwd counters only */
	const char *label;
	const char *help; /* one line */
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
	/*
	 * Per stream, in the order of mates, when its figures are no longer wanted: frees what it has
	 * in kept, which may be of a run that init() refused. NULL: nothing. Thread: control, after
	 * fini().
	 */
	void (*forget)(struct stream *s);
	/* knobs of this engine; any engine may read any setting in init() */
	const struct setting *settings;
	size_t n_settings;
	/* the number that start shows for every port, by its unit ("flows"); NULL: none */
	const struct setting *shown;
	const struct engine_team *team;        /* NULL: every lcore owns streams and runs loop */
	const struct engine_counter *counters; /* places in stream_count.named */
	size_t n_counters;
};

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
