/* The engine l3fwd: routes packets, run to completion, to any port on which the lcore has a Tx queue, by longest prefix or exact match. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"
#include "engines/common/l3/l3_burst.h"
#include "engines/engine.h"
#include "engines/l3fwd/l3fwd_poll.h"

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include <errno.h>
#include <string.h>

/* Creates the shared state of a run. Streams of an lcore are adjacent among their siblings, and the
 * lcore uses the Tx queues of all of them. */

static void l3fwd_lcore_free(struct l3fwd *run);

/* The number of streams, starting with first, on the same lcore. */
static unsigned int
neighbours(const struct stream *s, unsigned int first)
{
	unsigned int n = 0;

	while (first + n < s->n_siblings &&
		s->siblings[first + n]->lcore == s->siblings[first]->lcore)
		n++;
	return n;
}

static void
ways_find(struct l3fwd_lcore *l, struct stream *const *streams, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		struct l3fwd_stream *st = streams[i]->state;

		l->outs[i].stream = streams[i];
		st->lcore = l;
		st->own = (uint8_t)i;
		for (uint16_t port = 0; port < RTE_MAX_ETHPORTS; port++) {
			const struct stream *to = l3_paths_way(streams, n, port, streams[i]);

			st->way[port] = (uint8_t)(to != NULL ? to->index - streams[0]->index : n);
		}
	}
}

static int
lcore_make(struct l3fwd *run, struct stream *const *streams, unsigned int n, uint64_t drain_us,
	struct err *e)
{
	const int socket = (int)rte_lcore_to_socket_id(streams[0]->lcore);
	struct l3fwd_lcore *l;

	if (n > L3FWD_OUTS_MAX)
		return err_set(e, E2BIG,
			"l3fwd: %u queues on lcore %u: expected at most %u; use more lcores (--nb-cores)",
			n, streams[0]->lcore, L3FWD_OUTS_MAX);
	l = rte_zmalloc_socket("l3fwd_lcore", sizeof(*l) + (n + 1) * sizeof(l->outs[0]), CACHE_PAIR,
		socket);
	if (l == NULL)
		return err_set(e, ENOMEM, "l3fwd: no memory for %u queues of lcore %u", n,
			streams[0]->lcore);
	l->run = run;
	l->index = run->n_lcores;
	l->burst = streams[0]->burst;
	l->drain_tsc = drain_us * (uint64_t)streams[0]->tsc_hz / 1000000;
	l->n_outs = n;
	ways_find(l, streams, n);
	run->lcores[run->n_lcores++] = l;
	rte_rcu_qsbr_thread_register(run->readers, l->index);
	return 0;
}

static struct l3fwd *
run_make(const struct stream *s)
{
	const size_t bytes = rte_rcu_qsbr_get_memsize(s->n_siblings);
	struct l3fwd *run = rte_zmalloc("l3fwd", sizeof(*run), CACHE_PAIR);

	if (run == NULL)
		return NULL;
	run->readers = rte_zmalloc("l3fwd_readers", bytes, RTE_CACHE_LINE_SIZE);
	run->lcores = rte_calloc("l3fwd_lcores", s->n_siblings, sizeof(struct l3fwd_lcore *), 0);
	if (run->readers != NULL && run->lcores != NULL &&
		rte_rcu_qsbr_init(run->readers, s->n_siblings) == 0)
		return run;
	l3fwd_lcore_free(run);
	return NULL;
}

/*
 * Initialise the state of s and all its siblings; paths remains NULL. Errors: ENOMEM, E2BIG for too
 * many streams on an lcore; l3fwd_lcore_free() has to be called even then. Thread: control.
 */
static int
l3fwd_lcore_make(struct stream *s, enum l3_lookup lookup, uint64_t drain_us, struct err *e)
{
	struct l3fwd *run = run_make(s);
	int ret = 0;

	if (run == NULL)
		return err_set(e, ENOMEM, "l3fwd: no memory for %u streams", s->n_siblings);
	run->lookup = lookup;
	s->kept = run;
	for (unsigned int i = 0, n; i < s->n_siblings && ret == 0; i += n) {
		n = neighbours(s, i);
		ret = lcore_make(run, s->siblings + i, n, drain_us, e);
	}
	return ret;
}

/* The run that the stream belongs to; NULL if none was created. Thread: control. */
static struct l3fwd *
l3fwd_lcore_run(const struct stream *s)
{
	return s->siblings[0]->kept;
}

/* Free waiting packets, and count them for the stream that would have sent them. */
static void
out_clear(struct l3fwd_out *o)
{
	if (o->n == 0)
		return;
	stream_count_named(o->stream, L3FWD_LEFT, o->n);
	stream_absorb(o->stream, o->pkts, o->n);
	o->n = o->counted = 0;
}

/* Free waiting packets, counted as absorbed, and everything else except the paths. */
static void
l3fwd_lcore_free(struct l3fwd *run)
{
	for (unsigned int i = 0; i < run->n_lcores; i++) {
		struct l3fwd_lcore *l = run->lcores[i];

		for (unsigned int k = 0; k < l->n_outs; k++)
			out_clear(&l->outs[k]);
		rte_free(l);
	}
	rte_free(run->lcores);
	rte_free(run->readers);
	rte_free(run);
}

static const struct stat_row counters[] = {
	L3_DROP_ROWS,
	L3_NO_TX_QUEUE_ROW,
	L3_MOVE_ROWS,
	{ .name = "left_at_stop",
		.part = STAT_DROPPED,
		.help = "packets waiting to be sent at stop, freed without being sent" },
};

/* clang-format off */
static const struct setting settings[] = {
	{ .name = "l3fwd-lookup", .words = "l3fwd lookup", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES([L3_FIB] = "fib", [L3_LPM] = "lpm", [L3_EXACT] = "em"),
		.help = "l3fwd: fib, lpm = longest prefix match with rte_fib or rte_lpm; em = exact match of five-tuples with rte_hash" },
	{ .name = "l3fwd-drain", .words = "l3fwd drain", .unit = "us", .max = 1000000, .value = 10,
		.help = "l3fwd: maximum time that packets wait for a full burst before they are sent; 0: none" },
};
/* clang-format on */

struct l3fwd_config {
	const struct routes *routes;
	struct out *out;
};

static int
l3fwd_open(void *config, const struct engine_env *env, struct err *e)
{
	*(struct l3fwd_config *)config = (struct l3fwd_config){ env->routes, env->out };
	return 0;
}

static void
paths_free(struct l3_paths *paths)
{
	if (paths == NULL)
		return;
	l3_paths_free(paths);
	rte_free(paths);
}

static void
l3fwd_fini(struct stream *s)
{
	struct l3fwd *run = s->kept;

	if (run == NULL)
		return;
	paths_free(atomic_load(&run->paths));
	l3fwd_lcore_free(run);
	s->kept = NULL;
}

/* Replace the tables. The old ones are freed when no lcore uses them any more. */
static int
paths_renew(struct l3fwd *run, struct stream *const *streams, unsigned int n,
	const struct l3fwd_config *c, struct err *e)
{
	struct l3_paths *paths = rte_zmalloc("l3fwd_paths", sizeof(*paths), CACHE_PAIR), *old;

	if (paths == NULL)
		return err_set(e, ENOMEM, "l3fwd: no memory for routes");
	if (l3_paths_make(paths, c->routes, run->lookup, streams, n, SOCKET_ID_ANY, e) != 0) {
		rte_free(paths);
		return -e->code;
	}
	l3_paths_warn(paths, "l3fwd", streams, n, c->out);
	/* Pairs with the acquire in l3fwd_take(). */
	old = atomic_exchange_explicit(&run->paths, paths, memory_order_acq_rel);
	/*
	 * This does not wait for lcores outside their loop, which are offline. It is
	 * rte_rcu_qsbr_synchronize(), inlined so that the thread sanitizer sees it.
	 */
	rte_rcu_qsbr_check(run->readers, rte_rcu_qsbr_start(run->readers), true);
	paths_free(old);
	return 0;
}

/* The first stream creates the shared state, the last one the tables. */
static int
l3fwd_init(struct stream *s, struct err *e)
{
	int ret = 0;

	if (s->index == 0)
		ret = l3fwd_lcore_make(s, (enum l3_lookup)setting_u64(s->settings, "l3fwd-lookup"),
			setting_u64(s->settings, "l3fwd-drain"), e);
	if (ret == 0 && s->index + 1 == s->n_siblings)
		ret = paths_renew(l3fwd_lcore_run(s), s->siblings, s->n_siblings, s->config, e);
	return ret;
}

/* Replace the tables of a running engine; at start init() has created them. */
static int
l3fwd_apply(struct stream *const *streams, unsigned int n, const void *config, bool live,
	struct err *e)
{
	return live ? paths_renew(l3fwd_lcore_run(streams[0]), streams, n, config, e) : 0;
}

/* Get the current paths while the lcore holds none. */
static __rte_always_inline void
l3fwd_take(struct l3fwd_lcore *l)
{
	rte_rcu_qsbr_quiescent(l->run->readers, l->index);
	/* Pairs with the release in paths_renew(). */
	l->paths = atomic_load_explicit(&l->run->paths, memory_order_acquire);
}

static __rte_always_inline void
polls(struct l3fwd_lcore *l, struct stream *const *streams, unsigned int n, const atomic_bool *stop,
	stream_first *first, stream_work *work)
{
	uint64_t ended = 0;

	do {
		l3fwd_take(l);
		for (unsigned int i = 0; i < n; i++)
			ended = stream_poll(streams[i], ended, first, NULL, work, NULL);
		if (l->waiting)
			l3fwd_poll_drain(l, rte_rdtsc());
	} while (!atomic_load_explicit(stop, memory_order_relaxed));
}

/* Run an lcore, and send all waiting packets at the end. */
static __rte_always_inline void
loop(struct stream *const *streams, unsigned int n, const atomic_bool *stop, stream_first *first)
{
	struct l3fwd_lcore *l = ((struct l3fwd_stream *)streams[0]->state)->lcore;

	rte_rcu_qsbr_thread_online(l->run->readers, l->index);
	if (l->run->lookup == L3_EXACT)
		polls(l, streams, n, stop, first, l3fwd_poll_exact);
	else
		polls(l, streams, n, stop, first, l3fwd_poll_prefix);
	l3fwd_poll_flush(l);
	rte_rcu_qsbr_thread_offline(l->run->readers, l->index);
}

static void
l3fwd_loop(struct stream *const *streams, unsigned int n, const atomic_bool *stop)
{
	loop(streams, n, stop, NULL);
}

static void
l3fwd_recycling(struct stream *const *streams, unsigned int n, const atomic_bool *stop)
{
	loop(streams, n, stop, engine_recycle);
}

static const uint64_t *
l3fwd_sent(const struct stream *s)
{
	return ((const struct l3fwd_stream *)s->state)->sent_by;
}

/* Any packet may be routed to any queue of the lcore, since routes may change during a run. */
static enum engine_reach
l3fwd_reach(const struct settings *all)
{
	return ENGINE_REACH_LCORE;
}

const struct engine engine_l3fwd = {
	.name = "l3fwd",
	.help = "route IPv4 and IPv6 packets to any port on which the lcore has a Tx queue",
	.state_size = sizeof(struct l3fwd_stream),
	.init = l3fwd_init,
	.written = pkt_head_written,
	.loop = l3fwd_loop,
	.recycling = l3fwd_recycling,
	.sent = l3fwd_sent,
	.reach = l3fwd_reach,
	.fini = l3fwd_fini,
	.config_size = sizeof(struct l3fwd_config),
	.open = l3fwd_open,
	.apply = l3fwd_apply,
	.settings = SETTING_TABLE("Engines", settings),
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters),
};
