/* Worker slots in shared memory: taking one, leaving it, and recovering that of a process that
 * died, by its rings and journal. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/processes/ring_worker_slot.h"

#include "base/err.h"
#include "engines/ring/processes/ring_journal.h"

#include <rte_alarm.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_memzone.h>
#include <rte_pause.h>
#include <rte_version.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#define ZONE "zcfwd_pipeline"

enum { WATCH_US = 20000 };

/* Processes whose structures differ must not meet. */
static void
version_text(char *text, size_t bytes, const char *version)
{
	snprintf(text, bytes, "zcfwd %s, %s, %zu-%zu-%zu-%zu", version, rte_version(),
		sizeof(struct ring_pipeline), sizeof(struct ring_worker), sizeof(struct ring_link),
		sizeof(struct stream));
}

static int
no_answer(const struct rte_mp_msg *msg, const void *peer)
{
	return 0;
}

/* Huge pages in files are shared, where EAL's processes can talk to each other; ordinary pages never. */
static bool
memory_is_shared(void)
{
	if (rte_eal_has_hugepages() == 0 || rte_mp_action_register(ZONE, no_answer) != 0)
		return false;
	rte_mp_action_unregister(ZONE);
	return true;
}

void
ring_worker_slot_offer(struct ring_config *c, const char *version)
{
	const struct rte_memzone *zone = memory_is_shared()
		? rte_memzone_reserve(ZONE, sizeof(*c->shared), SOCKET_ID_ANY, 0)
		: NULL;
	struct ring_shared *shared = zone != NULL ? zone->addr : NULL;
	char path[PATH_MAX];

	if (shared == NULL)
		return;
	ring_process_path(path);
	if (ring_process_found(&c->process, path, NULL) != 0)
		return;
	memset(shared, 0, sizeof(*shared));
	version_text(shared->version, sizeof(shared->version), version);
	atomic_store(&shared->processes, RING_PRIMARY);
	c->shared = shared;
}

int
ring_worker_slot_find(struct ring_config *c, const char *version, struct err *e)
{
	const struct rte_memzone *zone = rte_memzone_lookup(ZONE);
	struct ring_shared *shared = zone != NULL ? zone->addr : NULL;
	char own[sizeof(shared->version)], path[PATH_MAX];

	version_text(own, sizeof(own), version);
	if (rte_eal_primary_proc_alive(NULL) != 1)
		return err_set(e, ESRCH, "the primary process has ended: want it to run first");
	if (shared == NULL)
		return err_set(e, ENOENT,
			"the primary process is no zcfwd that shares a pipeline: want one of this version, %s",
			own);
	if (strncmp(shared->version, own, sizeof(own)) != 0)
		return err_set(e, ENOEXEC, "the primary process is %.*s: want this version, %s",
			(int)sizeof(own) - 1, shared->version, own);
	ring_process_path(path);
	if (ring_process_join(&c->process, path, &shared->processes, e) != 0)
		return -e->code;
	c->shared = shared;
	return 0;
}

bool
ring_worker_slot_orphaned(const struct ring_config *c)
{
	return !ring_process_lives(&c->process, RING_PRIMARY);
}

void
ring_worker_slot_abandon(struct ring_shared *shared)
{
	struct ring_pipeline *p = atomic_load(&shared->pipeline);

	if (p != NULL)
		atomic_store(&p->abandoned, true);
}

/*
 * Be the one who looks at the pipeline; in place of one that died meanwhile, too. false: another is.
 * It is but a moment.
 */
static bool
look_begin(const struct ring_config *c)
{
	ring_number other = 0;

	if (atomic_compare_exchange_strong(&c->shared->claiming, &other, c->process.number))
		return true;
	return !ring_process_lives(&c->process, other) &&
		atomic_compare_exchange_strong(&c->shared->claiming, &other, c->process.number);
}

static void
look_end(const struct ring_config *c)
{
	atomic_store(&c->shared->claiming, 0);
}

static void
look_wait(const struct ring_config *c)
{
	while (!look_begin(c))
		rte_pause();
}

void
ring_worker_slot_withdraw(const struct ring_config *c)
{
	atomic_store(&c->shared->pipeline, NULL);
	look_wait(c);
	look_end(c);
}

unsigned int
ring_worker_slot_vacant(const struct ring_config *c, unsigned int *all)
{
	struct ring_pipeline *p;
	unsigned int n = 0;

	look_wait(c);
	p = atomic_load(&c->shared->pipeline);
	*all = p != NULL ? p->n_workers : 0;
	for (unsigned int i = 0; i < *all; i++)
		n += !ring_worker_slot_taken(&p->workers[i]);
	look_end(c);
	return n;
}

static struct ring_worker *
claim(struct ring_pipeline *p, ring_number own)
{
	for (unsigned int i = 0; p != NULL && i < p->n_workers; i++) {
		struct ring_worker *w = &p->workers[i];
		ring_number nobody = 0;

		if (atomic_load(&p->ending) ||
			!atomic_compare_exchange_strong(&w->holder, &nobody, own))
			continue;
		/* Either the I/O lcores see the holder, or this sees that they are ending. */
		if (!atomic_load(&p->ending)) {
			atomic_store(&w->pid, (int32_t)getpid());
			for (unsigned int k = 0; k < w->n_outs; k++)
				w->outs[k].room = 0;
			return w;
		}
		atomic_store(&w->holder, 0);
	}
	return NULL;
}

struct ring_worker *
ring_worker_slot_claim(const struct ring_config *c)
{
	struct ring_worker *w;

	if (!look_begin(c))
		return NULL;
	w = claim(atomic_load(&c->shared->pipeline), c->process.number);
	look_end(c);
	return w;
}

void
ring_worker_slot_leave(struct ring_worker *w)
{
	atomic_store(&w->pid, 0);
	atomic_store(&w->holder, 0);
}

/* Raise a count to what it would be if the worker had come to it. */
static void
complete(counter *c, uint64_t to)
{
	counter_add(c, to - counter_read(c));
}

/* Stage l3fwd: what the burst in hand put into each ring; the tallies are brought up to that. */
static void
put_count(struct ring_worker *w, struct ring_feed *f, uint32_t *put)
{
	unsigned int own = (unsigned int)(f->out - w->outs);
	uint32_t all = 0;

	for (unsigned int i = 0; i < w->n_outs; i++) {
		put[i] = ring_journal_put_of(&w->outs[i]);
		all += put[i];
		if (i != own && put[i] > 0)
			complete(&w->per_stream[w->outs[i].stream].routed_in,
				w->journal[i].routed_in + put[i]);
	}
	complete(&w->per_stream[f->stream->index].routed_out, w->routed_out + all - put[own]);
}

/*
 * Of n packets that were taken, those that reached a ring did so in their order; the others are
 * freed. Returns how many.
 */
static uint32_t
take_back(struct ring_worker *w, struct ring_feed *f, uint32_t n)
{
	const struct rte_ring *in = f->in->ring;
	struct rte_mbuf *const *slots = (struct rte_mbuf *const *)(uintptr_t)&in[1];
	uint32_t put[UINT8_MAX + 1] = { 0 }, lost = 0;

	if (f->hop == NULL)
		put[0] = ring_journal_put_of(f->out);
	else
		put_count(w, f, put);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t *left = &put[f->hop != NULL ? w->which[k] : 0];

		if (*left > 0) {
			--*left;
			continue;
		}
		rte_pktmbuf_free(ring_unmarked(slots[(in->cons.tail + k) & in->mask]));
		lost++;
	}
	return lost;
}

void
ring_worker_slot_recover(struct ring_worker *w)
{
	for (unsigned int i = 0; i < w->n_feeds; i++) {
		struct ring_feed *f = &w->feeds[i];
		struct rte_ring *in = f->in->ring;
		uint32_t n = in->cons.head - in->cons.tail;

		if (n > 0)
			counter_add(&w->per_stream[f->stream->index].lost, take_back(w, f, n));
		__atomic_store_n(&in->cons.tail, in->cons.head, __ATOMIC_RELEASE);
	}
	for (unsigned int i = 0; i < w->n_outs; i++)
		if (w->outs[i].link != NULL)
			ring_journal_clear(&w->outs[i]);
	counter_add(&w->deaths, 1);
	ring_worker_slot_leave(w);
}

static void
watch(void *arg)
{
	struct ring_pipeline *p = arg;
	const struct ring_config *c = p->streams[0]->config;

	for (unsigned int i = 0; i < p->n_workers; i++) {
		struct ring_worker *w = &p->workers[i];
		ring_number holder = atomic_load(&w->holder);

		if (holder != 0 && !ring_process_lives(&c->process, holder) &&
			atomic_load(&w->holder) == holder)
			ring_worker_slot_recover(w);
	}
	rte_eal_alarm_set(WATCH_US, watch, p);
}

int
ring_worker_slot_watch(struct ring_pipeline *p, struct err *e)
{
	int ret = rte_eal_alarm_set(WATCH_US, watch, p);

	return ret == 0 ? 0
			: err_set(e, -ret, "no alarm to look after workers: %s", strerror(-ret));
}

void
ring_worker_slot_unwatch(struct ring_pipeline *p)
{
	rte_eal_alarm_cancel(watch, p);
}
