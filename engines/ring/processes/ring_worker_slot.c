/* Worker slots in shared memory: claims, releases and recovers them. Recovery reads the rings and
 * the journal of the process that died. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/processes/ring_worker_slot.h"

#include "base/err.h"
#include "engines/ring/processes/ring_journal.h"
#include "engines/ring/ring_in_place.h"
#include "stream/hw_counters.h"

#include <rte_alarm.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>
#include <rte_memzone.h>
#include <rte_pause.h>
#include <rte_version.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#define ZONE "zcfwd_pipeline"

enum { WATCH_US = 20000 };

/* The version includes sizes of structs, so that processes with other layouts are refused. */
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

/* Huge pages are shared if EAL's multi-process channel works; ordinary pages never are. */
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
	struct err e;

	if (shared == NULL)
		return;
	ring_process_path(path);
	if (ring_process_found(&c->process, path, &e) != 0) {
		rte_log(RTE_LOG_WARNING, RTE_LOGTYPE_USER1,
			"zcfwd: workers in other processes are disabled: %s\n", e.text);
		rte_memzone_free(zone);
		return;
	}
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
		return err_set(e, ESRCH, "the primary process has ended; start it first");
	if (shared == NULL)
		return err_set(e, ENOENT,
			"the primary process does not share a pipeline; it has to be zcfwd of this version, %s",
			own);
	if (strncmp(shared->version, own, sizeof(own)) != 0)
		return err_set(e, ENOEXEC,
			"the primary process is %.*s, but this version is required: %s",
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
 * Try to take the pipeline lock. The lock of a process that has died is taken over. Returns false
 * if another process holds it, which is only for microseconds.
 */
static bool
pipeline_trylock(const struct ring_config *c)
{
	ring_number other = 0;

	if (atomic_compare_exchange_strong(&c->shared->claiming, &other, c->process.number))
		return true;
	return !ring_process_lives(&c->process, other) &&
		atomic_compare_exchange_strong(&c->shared->claiming, &other, c->process.number);
}

static void
pipeline_unlock(const struct ring_config *c)
{
	atomic_store(&c->shared->claiming, 0);
}

static void
pipeline_lock(const struct ring_config *c)
{
	while (!pipeline_trylock(c))
		rte_pause();
}

void
ring_worker_slot_withdraw(const struct ring_config *c)
{
	atomic_store(&c->shared->pipeline, NULL);
	pipeline_lock(c);
	pipeline_unlock(c);
}

unsigned int
ring_worker_slot_vacant(const struct ring_config *c, unsigned int *all)
{
	struct ring_pipeline *p;
	unsigned int n = 0;

	pipeline_lock(c);
	p = atomic_load(&c->shared->pipeline);
	*all = p != NULL ? p->n_workers : 0;
	for (unsigned int i = 0; i < *all; i++)
		n += !ring_worker_slot_taken(&p->workers[i]);
	pipeline_unlock(c);
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
		/* Check again: either the I/O lcores see the holder, or this sees ending. */
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

	if (!pipeline_trylock(c))
		return NULL;
	w = claim(atomic_load(&c->shared->pipeline), c->process.number);
	pipeline_unlock(c);
	return w;
}

void
ring_worker_slot_leave(struct ring_worker *w)
{
	hw_counters_inherit(w->hw);
	atomic_store(&w->pid, 0);
	atomic_store(&w->holder, 0);
}

/* Raise a counter to the value that the worker would have counted. */
static void
complete(counter *c, uint64_t to)
{
	counter_add(c, to - counter_read(c));
}

/* Stage l3fwd: get how many packets of the burst were put into each ring, and count them. */
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

/* Get how many packets of the burst were put into each ring. */
static void
put_all(struct ring_worker *w, struct ring_feed *f, uint32_t *put)
{
	if (f->hop == NULL)
		put[f->out - w->outs] = ring_journal_put_of(f->out);
	else
		put_count(w, f, put);
}

/*
 * Free the packets of the burst that were not put into a ring. Packets for the same ring are put in
 * order, so the first ones reached it. Returns the number freed.
 */
static uint32_t
take_back(struct ring_worker *w, struct ring_feed *f, const struct ring_slots *hand)
{
	const size_t own = (size_t)(f->out - w->outs);
	uint32_t put[UINT8_MAX + 1] = { 0 }, lost = 0;

	put_all(w, f, put);
	for (uint16_t k = 0; k < hand->n; k++) {
		uint32_t *left = &put[f->hop != NULL ? w->which[k] : own];

		if (*left > 0) {
			--*left;
			continue;
		}
		rte_pktmbuf_free(ring_unmarked(*ring_slots_at(hand, k)));
		lost++;
	}
	return lost;
}

/* Whether the worker died while it held the lock of a feed's shared ring. */
static bool
holds(const struct ring_worker *w, const struct ring_feed *f)
{
	return f->hold != NULL && atomic_load(&f->hold->by) == w->index + 1;
}

/* Recover a burst copied from a shared ring, from which others may have taken packets since. */
static void
recover_copied(struct ring_worker *w, struct ring_feed *f)
{
	struct ring_slots hand = ring_slots_flat(w->buffer, w->hand_n);

	counter_add(&w->per_stream[f->stream->index].lost, take_back(w, f, &hand));
}

/* Recover a burst that is in the slots of its ring or was copied from there, and remove it. */
static void
recover_moved(struct ring_worker *w, struct ring_feed *f)
{
	struct rte_ring *in = f->in->ring;
	uint16_t n = (uint16_t)(in->cons.head - in->cons.tail);
	struct ring_slots hand;

	/* The copy is complete once the ring's tail has moved. */
	if (n == 0 && w->hand_is == RING_HAND_COPIED)
		hand = ring_slots_flat(w->buffer, (uint16_t)(in->cons.tail - w->hand_at));
	else
		hand = ring_link_look(f->in, in->cons.tail, n, w->buffer);
	if (hand.n > 0)
		counter_add(&w->per_stream[f->stream->index].lost, take_back(w, f, &hand));
	__atomic_store_n(&in->cons.tail, in->cons.head, __ATOMIC_RELEASE);
}

/*
 * Recover a burst that is processed in place: mark packets that were not put into another ring, so
 * that the I/O lcore drops them, and pass the slots on to it.
 */
static void
recover_in_place(struct ring_worker *w, struct ring_feed *f)
{
	const size_t own = (size_t)(f->out - w->outs);
	struct ring_link *back = f->out->link;
	struct ring_slots hand = ring_link_look(back->origin, w->hand_at, w->hand_n, w->buffer);
	uint32_t put[UINT8_MAX + 1] = { 0 };

	/* The worker had passed them on already. */
	if (w->hand_n == 0 || ring_in_place_at(back) != w->hand_at)
		return;
	put_all(w, f, put);
	for (uint16_t k = 0; k < hand.n; k++) {
		struct rte_mbuf **slot = ring_slots_at(&hand, k);
		uint32_t *left = &put[f->hop != NULL ? w->which[k] : own];
		bool gone = *left > 0;

		*left -= gone;
		*slot = ring_mark(ring_unmarked(*slot), gone ? RING_ROUTED_OUT : RING_LOST);
	}
	ring_in_place_mark(back, &hand);
	ring_in_place_pass(back, hand.n);
}

static void
recover_hand(struct ring_worker *w)
{
	struct ring_feed *f = w->hand;
	const bool in_place = f != NULL && ring_in_place(f->out->link);

	/* If the mode has changed since, the burst was complete. */
	if (f != NULL && in_place == (w->hand_is == RING_HAND_IN_PLACE)) {
		if (in_place)
			recover_in_place(w, f);
		else if (f->hold != NULL && !holds(w, f))
			recover_copied(w, f);
		else
			recover_moved(w, f);
	}
	w->hand = NULL;
}

void
ring_worker_slot_recover(struct ring_worker *w)
{
	recover_hand(w);
	for (unsigned int i = 0; i < w->n_feeds; i++)
		if (holds(w, &w->feeds[i]))
			atomic_store_explicit(&w->feeds[i].hold->by, 0, memory_order_release);
	for (unsigned int i = 0; i < w->n_outs; i++) {
		if (w->outs[i].link == NULL)
			continue;
		ring_journal_clear(&w->outs[i]);
		ring_in_place_left(w->outs[i].link);
	}
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

	return ret == 0
		? 0
		: err_set(e, -ret, "cannot set an alarm to monitor workers: %s", strerror(-ret));
}

void
ring_worker_slot_unwatch(struct ring_pipeline *p)
{
	rte_eal_alarm_cancel(watch, p);
}
