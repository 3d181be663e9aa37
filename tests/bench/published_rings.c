/* The ring pipeline as it was published, for comparison with zcfwd's: the I/O lcore uses the API of
 * rte_ring at its end of both rings. Workers are those of ring_pipeline, which take and put by the
 * same API once no packets are processed in place. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"
#include "base/setting.h"
#include "engines/common/l3/l3_burst.h"
#include "engines/engine.h"
#include "engines/ring/processes/ring_worker_slot.h"
#include "engines/ring/ring_autotune.h"
#include "engines/ring/ring_loop.h"
#include "engines/ring/ring_setup.h"
#include "engines/ring/ring_worker.h"
#include "run/run.h"
#include "run/run_engines.h"

#include <rte_common.h>

#include <errno.h>
#include <stddef.h>

enum form { TRADITIONAL, ZC, HYBRID };

enum { FOLD_POLLS = 1024 };

extern const struct engine engine_ring_pipeline;

/* What ring_pipeline counts at the end of a ring, so that the figures differ by the form only. */
static __rte_always_inline void
put_count(struct ring_link *l, bool zero_copy, uint16_t n, unsigned int used)
{
	counter_add(zero_copy ? &l->put.zero_copy : &l->put.copied, 1);
	counter_add(&l->put.packets, n);
	counter_add(&l->put.fill[used >> l->fill_shift], 1);
}

/* Asks for no more than fits, so that all received packets do. */
static uint16_t
receive_traditional(struct ring_link *l, struct stream *s)
{
	unsigned int room = rte_ring_free_count(l->ring);
	struct rte_mbuf *pkts[BURST_MAX];
	uint16_t n = 0;

	if (room < s->burst)
		counter_add(&l->put.short_of, 1);
	if (room > 0)
		n = stream_rx(s, pkts, (uint16_t)RTE_MIN(room, s->burst));
	if (n == 0)
		return 0;
	rte_ring_sp_enqueue_burst(l->ring, (void *const *)pkts, n, &room);
	put_count(l, false, n, rte_ring_get_size(l->ring) - room);
	return n;
}

/*
 * Receive into an array and copy to both pieces of the slots. The published code asks for a whole
 * burst, copies n1 pointers even if fewer came, and then a negative number.
 */
static uint16_t
receive_apart(struct stream *s, const struct rte_ring_zc_data *z, uint16_t max)
{
	struct rte_mbuf *pkts[BURST_MAX];
	uint16_t n = stream_rx(s, pkts, max), first = (uint16_t)RTE_MIN((unsigned int)n, z->n1);

	memcpy(z->ptr1, pkts, first * sizeof(*pkts));
	memcpy(z->ptr2, pkts + first, (n - first) * sizeof(*pkts));
	return n;
}

/*
 * Form zc receives only into the first piece of slots that wrap. If the driver gives none, because
 * it refuses to receive so few, the form would wait forever; then it does what hybrid does.
 */
static __rte_always_inline uint16_t
receive_zc(struct ring_link *l, struct stream *s, enum form form)
{
	struct rte_ring_zc_data z;
	unsigned int room = 0;
	uint16_t max = (uint16_t)rte_ring_enqueue_zc_burst_start(l->ring, s->burst, &z, &room);
	uint16_t n = 0;
	bool apart;

	if (max < s->burst)
		counter_add(&l->put.short_of, 1);
	if (max == 0)
		return 0;
	if (z.ptr2 == NULL || form == ZC)
		n = stream_rx(s, z.ptr1, (uint16_t)z.n1);
	apart = unlikely(z.ptr2 != NULL) && n == 0;
	if (apart)
		n = receive_apart(s, &z, max);
	rte_ring_enqueue_zc_finish(l->ring, n);
	if (n == 0)
		return 0;
	counter_add(&l->put.wraps, unlikely(z.ptr2 != NULL));
	/* room is what was left if all max slots had been filled. */
	put_count(l, !apart, n, rte_ring_get_capacity(l->ring) - room - max + n);
	return n;
}

static __rte_always_inline void
send_out(struct stream *s, struct rte_mbuf **pkts, uint16_t n, ring_sift *sift)
{
	if (sift != NULL)
		n = sift(s, pkts, n);
	if (n > 0)
		stream_tx(s, pkts, n);
}

static uint16_t
transmit_traditional(struct ring_link *l, struct stream *s, ring_sift *sift)
{
	struct rte_mbuf *pkts[BURST_MAX];
	uint16_t n = (uint16_t)rte_ring_sc_dequeue_burst(l->ring, (void **)pkts, s->burst, NULL);

	if (n == 0) {
		counter_add(&l->take.short_of, 1);
		return 0;
	}
	ring_count_take(l, false, n);
	send_out(s, pkts, n, sift);
	return n;
}

/* Of slots that wrap, the second piece is sent by the next poll. */
static uint16_t
transmit_zc(struct ring_link *l, struct stream *s, ring_sift *sift)
{
	struct rte_ring_zc_data z;

	if (rte_ring_dequeue_zc_burst_start(l->ring, s->burst, &z, NULL) == 0) {
		counter_add(&l->take.short_of, 1);
		return 0;
	}
	counter_add(&l->take.wraps, unlikely(z.ptr2 != NULL));
	ring_count_take(l, true, (uint16_t)z.n1);
	send_out(s, z.ptr1, (uint16_t)z.n1, sift);
	rte_ring_dequeue_zc_finish(l->ring, z.n1);
	return (uint16_t)z.n1;
}

/* The order and the timing are those of ring_io_poll(). */
static __rte_always_inline unsigned int
poll(struct ring_io *io, bool receiving, enum form form)
{
	struct ring_pipeline *p = io->pipeline;
	struct stream **streams = p->streams + io->first;
	ring_sift *sift = p->stage == RING_L3FWD || p->remote ? ring_io_sift : NULL;
	unsigned int moved = 0;

	for (unsigned int i = 0; receiving && i < io->n; i++) {
		struct stream *s = streams[i];
		struct ring_link *l = *ring_in(p, s->index, s->index % p->n_workers);
		uint64_t begin = stream_begin(s, 0);
		uint16_t n;

		if (stream_ran_out(s, begin))
			continue;
		n = form == TRADITIONAL ? receive_traditional(l, s) : receive_zc(l, s, form);
		ring_io_timed(s, begin, n, &io->count.rx_cycles, &io->count.timed_rx);
		moved += n;
	}
	if (io->own != NULL) {
		uint64_t begin = unlikely(stream_timed(streams[0])) ? rte_rdtsc() : 0;
		uint16_t n = ring_worker_poll(io->own);

		if (unlikely(begin != 0) && n > 0)
			counter_add(&streams[0]->count.busy_cycles, rte_rdtsc() - begin);
		moved += n;
	}
	for (unsigned int i = 0; i < io->n_backs; i++) {
		struct stream *s = p->streams[io->backs[i].stream];
		struct ring_link *l = io->backs[i].link;
		uint64_t begin = stream_begin(s, 0);
		uint16_t n = form == TRADITIONAL ? transmit_traditional(l, s, sift)
						 : transmit_zc(l, s, sift);

		ring_io_timed(s, begin, n, &io->count.tx_cycles, &io->count.timed_tx);
		moved += n;
	}
	return moved;
}

/* Whether the only lcore has nothing left in its rings. */
static bool
alone_and_empty(const struct ring_io *io)
{
	const struct ring_pipeline *p = io->pipeline;
	unsigned int left = 0;

	if (io->own == NULL || p->n_workers > 1 || p->n_io > 1)
		return false;
	for (unsigned int i = 0; i < p->n_streams; i++)
		left += rte_ring_count(p->in[i]->ring) + rte_ring_count(p->back[i]->ring);
	return left == 0;
}

static bool
worker_ended(const struct ring_pipeline *p, const struct ring_worker *w)
{
	/* Pairs with the release in ring_worker_finished(). */
	return atomic_load_explicit(&w->done, memory_order_acquire) ||
		(p->remote && !ring_worker_slot_taken(w));
}

/* After the last receive call: wait for all workers, and send what they return. */
static __rte_always_inline void
drain(struct ring_io *io, enum form form)
{
	struct ring_pipeline *p = io->pipeline;
	unsigned int ended = 0;

	atomic_store(&p->ending, true);
	/* Pairs with the acquire in sources_closed(). */
	atomic_store_explicit(&io->closed, true, memory_order_release);
	while (ended < p->n_workers) {
		poll(io, false, form);
		if (io->own != NULL)
			ring_worker_finished(io->own);
		while (ended < p->n_workers && worker_ended(p, &p->workers[ended]))
			ended++;
	}
	while (poll(io, false, form) > 0)
		;
	ring_io_fold(io);
}

static __rte_always_inline void
run_form(struct stream *const *streams, const atomic_bool *stop, enum form form)
{
	struct ring_pipeline *p = streams[0]->kept;
	struct ring_io *io = p->io;

	while (io->first != streams[0]->index)
		io++;
	do {
		poll(io, true, form);
		if (unlikely(++io->polls % FOLD_POLLS == 0))
			ring_io_fold(io);
	} while (!atomic_load_explicit(stop, memory_order_relaxed));
	if (!alone_and_empty(io))
		drain(io, form);
}

static void
loop_traditional(struct stream *const *streams, unsigned int n, const atomic_bool *stop)
{
	run_form(streams, stop, TRADITIONAL);
}

static void
loop_zc(struct stream *const *streams, unsigned int n, const atomic_bool *stop)
{
	run_form(streams, stop, ZC);
}

static void
loop_hybrid(struct stream *const *streams, unsigned int n, const atomic_bool *stop)
{
	run_form(streams, stop, HYBRID);
}

/*
 * The configuration is a pointer to ring_pipeline's, which was opened before: its routes, and what it
 * shares with other processes. stop is a member of the run.
 */
static int
config_open(void *config, const struct engine_env *env, struct err *e)
{
	const struct run *r = (const struct run *)((char *)env->stop - offsetof(struct run, stop));

	*(void **)config = run_engines_config(r, &engine_ring_pipeline);
	return 0;
}

/*
 * Begin as ring_pipeline in mode copy. Then workers use the ring back in all forms, by the API that
 * the form uses.
 */
static int
join(struct stream *const *streams, const struct plan *plan, struct err *e)
{
	const struct stream *first = streams[0];
	void *config = *(void **)first->config;
	struct ring_pipeline *p;

	if (setting_u64(first->settings, "pipeline-mode") != RING_COPY ||
		setting_u64(first->settings, "pipeline-full") != 0)
		return err_set(e, EINVAL,
			"%s: expected the settings pipeline-mode=copy and pipeline-full=wait",
			first->engine->name);
	for (unsigned int i = 0; i < plan->n_streams; i++)
		streams[i]->config = config;
	if (ring_setup_join(streams, plan, e) != 0)
		return -e->code;
	p = first->kept;
	if (p->spread != RING_SPREAD_QUEUE)
		return err_set(e, EINVAL,
			"%s: expected no more workers than queues, and pipeline-spread=queue",
			first->engine->name);
	for (unsigned int i = 0; i < p->n_streams * p->n_workers; i++)
		if (p->back[i] != NULL)
			p->back[i]->origin = NULL;
	for (unsigned int i = 0; i < p->n_io; i++)
		ring_autotune_open(&p->io[i],
			first->engine->loop == loop_traditional ? RING_COPY : RING_ZC,
			first->tsc_hz);
	return 0;
}

/* In the order of the marks, see RING_FULL. */
static const struct stat_row counters[] = {
	{ .name = "ring_full",
		.help = "always 0: packets wait in the Rx queue",
		.part = STAT_DROPPED },
	L3_DROP_ROWS,
	L3_MOVE_ROWS,
	{ .name = "left_at_stop", .help = "packets in rings at stop", .part = STAT_DROPPED },
	{ .name = "lost_in_worker", .help = "packets of workers that died", .part = STAT_DROPPED },
};

static const struct engine_helpers helpers = { .split = ring_split,
	.join = join,
	.help = ring_loop_worker };

#define FORM(engine_name, engine_help, engine_loop) \
	{ \
		.name = engine_name, .help = engine_help, .written = pkt_head_written, \
		.loop = engine_loop, .fini = ring_setup_end, .forget = ring_setup_forget, \
		.config_size = sizeof(void *), .open = config_open, .helpers = &helpers, \
		.counters = counters, .n_counters = ARRAY_SIZE(counters), \
	}

const struct engine engine_published_traditional = FORM("published_traditional",
	"ring pipeline as published: arrays, rte_ring_sp_enqueue_burst() and sc_dequeue_burst()",
	loop_traditional);
const struct engine engine_published_zc = FORM("published_zc",
	"ring pipeline as published: received into and sent from slots of rte_ring_*_zc_burst_start()",
	loop_zc);
const struct engine engine_published_hybrid = FORM("published_hybrid",
	"ring pipeline as published: as published_zc, but through an array where slots wrap",
	loop_hybrid);
