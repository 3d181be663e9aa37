/* The engine l3fwd: routes packets, run to completion, to any port on which the lcore has a Tx
 * queue, by longest prefix or exact match. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"
#include "base/out.h"
#include "engines/common/l3/l3_rows.h"
#include "engines/engine.h"
#include "engines/l3fwd/l3fwd_lcore.h"
#include "engines/l3fwd/l3fwd_poll.h"

#include <rte_cycles.h>
#include <rte_malloc.h>

#include <errno.h>

static const struct stat_row counters[] = {
	L3_DROP_ROWS,
	{ .name = "no_tx_queue",
		.label = "No-TX-queue",
		.help = "packets dropped because the lcore has no Tx queue on the route's port",
		.drop = true },
	L3_MOVE_ROWS,
	{ .name = "left_at_stop",
		.drop = true,
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

/* Warn about lcores without a Tx queue on a port to which routes lead. */
static void
ways_warn(const struct l3fwd *run, const struct l3_paths *paths, struct out *out)
{
	for (unsigned int i = 0; i < run->n_lcores; i++) {
		const struct l3fwd_lcore *l = run->lcores[i];
		bool warned[RTE_MAX_ETHPORTS] = { false };

		for (unsigned int k = 1; k <= paths->tables.n_hops; k++) {
			const uint16_t port = paths->next[k].port;

			if (warned[port] || l3fwd_lcore_reaches(l, port))
				continue;
			warned[port] = true;
			out_warn(out,
				"l3fwd: lcore %u has no Tx queue on port %u and drops packets routed there (no_tx_queue); use as many queues as lcores\n",
				l->outs[0].stream->lcore, port);
		}
	}
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
	ways_warn(run, paths, c->out);
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

const struct engine engine_l3fwd = {
	.name = "l3fwd",
	.help = "route IPv4 and IPv6 packets to any port on which the lcore has a Tx queue",
	.flags = ENGINE_WRITES,
	.state_size = sizeof(struct l3fwd_stream),
	.init = l3fwd_init,
	.loop = l3fwd_loop,
	.recycling = l3fwd_recycling,
	.sent = l3fwd_sent,
	.fini = l3fwd_fini,
	.config_size = sizeof(struct l3fwd_config),
	.open = l3fwd_open,
	.apply = l3fwd_apply,
	.settings = settings,
	.n_settings = ARRAY_SIZE(settings),
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters),
};
