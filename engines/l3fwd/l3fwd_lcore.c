/* Creates the shared state of a run. Streams of an lcore are adjacent among their siblings, and the
 * lcore uses the Tx queues of all of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/l3fwd/l3fwd_lcore.h"

#include "base/err.h"

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include <errno.h>
#include <string.h>

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
		return err_set(e, E2BIG, "l3fwd: %u queues on lcore %u: expected at most %u", n,
			streams[0]->lcore, L3FWD_OUTS_MAX);
	l = rte_zmalloc_socket("l3fwd_lcore", sizeof(*l) + (n + 1) * sizeof(l->outs[0]), CACHE_PAIR,
		socket);
	if (l == NULL)
		return err_set(e, ENOMEM, "l3fwd: no memory for %u queues of lcore %u", n,
			streams[0]->lcore);
	l->run = run;
	l->index = run->n_lcores;
	l->burst = streams[0]->burst;
	l->drain_tsc = drain_us * rte_get_tsc_hz() / 1000000;
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

int
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

struct l3fwd *
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

void
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

bool
l3fwd_lcore_reaches(const struct l3fwd_lcore *l, uint16_t port)
{
	for (unsigned int i = 0; i < l->n_outs; i++)
		if (l->outs[i].stream->tx_port == port)
			return true;
	return false;
}
