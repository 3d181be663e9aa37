/* Gives lanes to the streams of a run, and changes them while lcores send. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/lane_run.h"

#include "base/err.h"
#include "engines/measure/sender.h"

#include <rte_cycles.h>
#include <rte_malloc.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How long a command waits for an lcore to adopt a change; one that is preempted takes that long. */
#define ADOPT_MS 500
/* The first packets of lanes are spread over their gap, at most over this. */
#define SPREAD_MS 1

/* Plans. */

/* Make the plan of a lane. NULL: no memory. */
static struct lane_plan *
plan_new(const struct lane *l, const struct stream *s, const struct lane_change *change)
{
	const struct traffic *t = &l->traffic;
	struct lane_plan *p = calloc(1, sizeof(*p) + t->n_sizes * sizeof(p->sizes[0]));

	if (p == NULL)
		return NULL;
	p->pps = lane_pps(l, s->tx_end.line_bps);
	p->on = l->on;
	p->renews = change != NULL && change->renews;
	p->wakes = change != NULL && change->wakes;
	p->count = l->count;
	p->ticks = (uint64_t)(l->seconds * s->tsc_hz);
	p->delay = (uint64_t)(l->delay * s->tsc_hz);
	pace_open(&p->pace, p->pps, &l->gaps, 0, s->tsc_hz, (uint64_t)t->seed << 32 | l->serial);
	p->n_sizes = t->n_sizes;
	memcpy(p->sizes, t->sizes, t->n_sizes * sizeof(p->sizes[0]));
	return p;
}

/* Check that a lane fits the stream that sends it. */
static int
lane_check(const struct lane *l, const struct stream *s, struct err *e)
{
	const double pps = lane_pps(l, s->tx_end.line_bps);

	if (pps < 0)
		return err_set(e, EINVAL,
			"generate stream %s: rate in %%: the link speed of port %u is unknown: expected packets or bits per second",
			l->name, s->tx_port);
	if (pps > 0 && (pps < PACE_PPS_MIN || pps > PACE_PPS_MAX))
		return err_set(e, ERANGE,
			"generate stream %s: %g packets/s of %.1f bytes: expected %g to %g packets/s",
			l->name, pps, l->traffic.size_mean, PACE_PPS_MIN, PACE_PPS_MAX);
	return sender_size_check(&l->traffic, s, e) != 0
		? err_context(e, "generate stream %s", l->name)
		: 0;
}

/*
 * Check that the sum of the rates of a port's lanes is at most its line rate. instead: what the lane of
 * that name becomes; NULL: nothing.
 */
static int
line_check(const struct lanes *lanes, const struct lane *instead, const struct stream *s,
	struct err *e)
{
	const double line = s->tx_end.line_bps;
	double sum = 0;

	for (unsigned int i = 0; i < lanes->n; i++) {
		const struct lane *l = lanes->lane[i];

		if (instead != NULL && instead->serial == l->serial)
			l = instead;
		if (l->on && l->port == s->tx_port)
			sum += fmax(lane_pps(l, line), 0) * 8 * (l->traffic.size_mean + L1_BYTES);
	}
	if (line <= 0 || sum <= line * 1.0001)
		return 0;
	return err_set(e, ERANGE,
		"generate streams of port %u: rates of %.6g Mbit/s in sum, with gaps: expected at most %.6g, the line rate",
		s->tx_port, sum / 1e6, line / 1e6);
}

/* During a run. */

/* Wait until condition holds, at most until end. */
#define AWAIT(condition, end) \
	while (!(condition) && (int64_t)((end)-rte_rdtsc()) > 0) \
	rte_delay_us_sleep(50)

/*
 * Wait until the lane is sent by the newest plan, and no lcore can read the plans before the current
 * two, and free these. Without effect if an lcore does not come to it in time.
 */
static void
plans_settle(struct lanes_run *set, struct lane_run *run)
{
	const uint64_t end = rte_rdtsc() + (uint64_t)(set->tsc_hz * ADOPT_MS / MS_PER_S);
	struct lane_origin *origin = &set->origins[run->place];
	struct lane_plan **at = &run->plans;

	AWAIT(atomic_load(&origin->now) == run->plans, end);
	for (unsigned int i = 0; i < set->n_streams; i++) {
		const struct lane_sender *d =
			((const struct sender *)set->streams[i]->state)->lanes;
		const uint64_t polls = counter_read(&d->polls);

		AWAIT(counter_read(&d->polls) > polls + 1, end);
	}
	if ((int64_t)(end - rte_rdtsc()) <= 0 || atomic_load(&origin->now) != run->plans)
		return;
	while (*at != NULL) {
		struct lane_plan *p = *at;

		if (p == atomic_load(&origin->now) || p == atomic_load(&origin->before)) {
			at = &p->older;
		} else {
			*at = p->older;
			free(p);
		}
	}
}

/* Let a lane send as described in l, and wait until it does. */
static int
change_live(const struct lanes *lanes, const struct lane *l, const struct lane_change *change,
	struct err *e)
{
	struct lanes_run *set = lanes->live;
	struct lane_run *run = NULL;
	struct lane_plan *p;

	for (unsigned int i = 0; i < set->n && run == NULL; i++)
		if (set->run[i]->serial == l->serial)
			run = set->run[i];
	if (run == NULL || run->stream == NULL)
		return err_set(e, ENODEV,
			"generate stream %s: port %u does not send in this run: Please stop forwarding first",
			l->name, l->port);
	if (lane_check(l, run->stream, e) != 0 || line_check(lanes, l, run->stream, e) != 0)
		return -e->code;
	p = plan_new(l, run->stream, change);
	if (p == NULL)
		return err_set(e, ENOMEM, "generate stream %s: no memory", l->name);
	/* Not adopted yet: it does not begin anew what this one does not. */
	if (atomic_load(&set->origins[run->place].now) != run->plans) {
		p->renews |= run->plans->renews;
		p->wakes |= run->plans->wakes;
	}
	p->older = run->plans;
	run->plans = p;
	atomic_store_explicit(&run->next, p, memory_order_release);
	/* Pairs with the acquire in lane_send_source_due(). */
	atomic_fetch_add_explicit(&((struct sender *)run->stream->state)->lanes->asked, 1,
		memory_order_release);
	plans_settle(set, run);
	return 0;
}

/* Before a run. */

/* Return the stream that sends to the port and has the fewest lanes; NULL: none sends to it. */
static const struct stream *
stream_choose(struct stream *const *streams, unsigned int n, uint16_t port)
{
	const struct stream *best = NULL;

	for (unsigned int i = 0; i < n; i++) {
		const struct sender *d = streams[i]->state;

		if (streams[i]->tx_port == port &&
			(best == NULL ||
				d->lanes->n_mine <
					((const struct sender *)best->state)->lanes->n_mine))
			best = streams[i];
	}
	return best;
}

static void
lane_free(struct lane_run *run)
{
	if (run == NULL)
		return;
	while (run->plans != NULL) {
		struct lane_plan *older = run->plans->older;

		free(run->plans);
		run->plans = older;
	}
	rte_free(run->heads);
	rte_free(run);
}

static void
set_free(struct lanes_run *set)
{
	for (unsigned int i = 0; set->run != NULL && i < set->n; i++)
		lane_free(set->run[i]);
	free(set->run);
	rte_free(set->origins);
	rte_free(set->place_of);
	free(set);
}

/* The headers of a lane's flows. Checksums in them are completed for each packet's length. */
static int
heads_make(struct lane_run *run, const struct lane *l, struct err *e)
{
	const struct traffic *t = &l->traffic;
	const struct stream_end *end = &run->stream->tx_end;

	run->head_bytes = t->head_bytes;
	run->stride = RTE_ALIGN_CEIL(t->head_bytes, 64u);
	run->n_patches = traffic_patches(t, run->patches);
	run->heads =
		rte_zmalloc_socket("lane headers", (size_t)t->flows * run->stride, 64, end->socket);
	if (run->heads == NULL)
		return err_set(e, ENOMEM,
			"generate stream %s: flows %u: no memory for %" PRIu64 " bytes of headers",
			l->name, t->flows, (uint64_t)t->flows * run->stride);
	for (uint32_t i = 0; i < t->flows; i++)
		traffic_head(t, i, &end->mac, &end->peer, run->heads + (size_t)i * run->stride);
	return 0;
}

/* Add a lane to the set, and to the stream that sends it. */
static int
lane_add(struct lanes_run *set, const struct lane *l, uint16_t place, struct err *e)
{
	const struct stream *s = stream_choose(set->streams, set->n_streams, l->port);
	struct lane_run *run;
	struct lane_sender *d;

	if (s == NULL && l->on)
		return err_set(e, ENODEV,
			"generate stream %s: port %u does not send in this run: expected a port with a Tx queue that forwarding uses (see \"show config fwd\"), or state off",
			l->name, l->port);
	run = rte_zmalloc_socket("lane", sizeof(*run), CACHE_PAIR,
		s != NULL ? s->tx_end.socket : SOCKET_ID_ANY);
	if (run == NULL)
		return err_set(e, ENOMEM, "generate stream %s: no memory", l->name);
	set->run[place] = run;
	run->serial = l->serial;
	run->place = place;
	run->stream = s;
	run->latency = l->latency;
	if (s == NULL)
		return 0;
	d = ((const struct sender *)s->state)->lanes;
	d->mine[d->n_mine++] = place;
	run->flows = l->traffic.flows;
	if (lane_check(l, s, e) != 0 || heads_make(run, l, e) != 0)
		return -e->code;
	run->plans = plan_new(l, s, NULL);
	if (run->plans == NULL)
		return err_set(e, ENOMEM, "generate stream %s: no memory", l->name);
	atomic_store(&run->next, run->plans);
	set->origins[place].head_bytes = run->head_bytes;
	atomic_store(&set->origins[place].now, run->plans);
	return 0;
}

/* Number the flows of all lanes, so that those of a stream follow each other. */
static int
flows_number(struct lanes_run *set, uint32_t mark, uint32_t key, struct err *e)
{
	uint64_t base = 0;

	for (unsigned int i = 0; i < set->n_streams; i++) {
		struct sender *d = set->streams[i]->state;

		d->mark = mark;
		d->key = key;
		d->base = (uint32_t)base;
		for (unsigned int k = 0; k < d->lanes->n_mine; k++) {
			struct lane_run *run = set->run[d->lanes->mine[k]];

			run->base = (uint32_t)base;
			set->origins[run->place].base = run->base;
			set->origins[run->place].flows = run->flows;
			base += run->flows;
			if (base > PROBE_FLOWS_MAX)
				return err_set(e, ERANGE,
					"generate: too many flows of all streams: expected at most %u",
					PROBE_FLOWS_MAX);
		}
		d->flows = (uint32_t)base - d->base;
	}
	set->place_of = rte_malloc("lanes of flows", RTE_MAX(base, UINT64_C(1)) * 2, 64);
	if (set->place_of == NULL)
		return err_set(e, ENOMEM, "generate: no memory for %" PRIu64 " flows", base);
	for (unsigned int i = 0; i < set->n; i++)
		for (uint32_t k = 0; k < set->run[i]->flows; k++)
			set->place_of[set->run[i]->base + k] = (uint16_t)i;
	return 0;
}

/* A run of a number of packets ends only if a lane goes on until then. */
static int
limit_check(const struct lanes *lanes, const struct stream *s, struct err *e)
{
	if (s->limit.left == NULL)
		return 0;
	for (unsigned int i = 0; i < lanes->n; i++)
		if (lanes->lane[i]->on && lanes->lane[i]->count == 0 &&
			lanes->lane[i]->seconds == 0)
			return 0;
	return err_set(e, EINVAL,
		"a run of N packets might never end, because every generate stream ends or is off: use \"start for SECONDS\"");
}

/* Make what each stream needs to send its lanes. */
static int
senders_make(struct lanes_run *set, struct err *e)
{
	for (unsigned int i = 0; i < set->n_streams; i++) {
		const struct stream *s = set->streams[i];
		struct sender *sender = s->state;
		/* One block: the struct, then the heap, then the places. */
		struct lane_sender *d = rte_zmalloc_socket("lanes of a queue",
			sizeof(*d) + set->n * (sizeof(d->heap[0]) + 2 * sizeof(d->mine[0])),
			CACHE_PAIR, s->tx_end.socket);

		if (d == NULL)
			return err_set(e, ENOMEM, "generate: no memory for %u streams", set->n);
		d->set = set;
		d->heap = (struct lane_due *)(d + 1);
		d->mine = (uint16_t *)(d->heap + set->n);
		d->greedy = d->mine + set->n;
		atomic_store(&d->asked, 1); /* adopted at the first poll */
		sender->lanes = d;
	}
	return 0;
}

static struct lanes_run *
set_new(struct lanes *lanes, struct stream *const *streams, unsigned int n)
{
	struct lanes_run *set = calloc(1, sizeof(*set));

	if (set == NULL)
		return NULL;
	*set = (struct lanes_run){ .lanes = lanes,
		.streams = streams,
		.n_streams = n,
		.n = lanes->n,
		.run = calloc(lanes->n, sizeof(*set->run)),
		.origins = rte_zmalloc("lane origins", lanes->n * sizeof(*set->origins), 64),
		.tsc_hz = streams[0]->tsc_hz };
	if (set->run != NULL && set->origins != NULL)
		return set;
	set_free(set);
	return NULL;
}

int
lane_run_begin(struct lanes *lanes, struct stream *const *streams, unsigned int n, uint32_t mark,
	uint32_t key, struct lanes_run **made, struct err *e)
{
	struct lanes_run *set = set_new(lanes, streams, n);
	int ret;

	*made = set;
	if (set == NULL)
		return err_set(e, ENOMEM, "generate: no memory for %u streams", lanes->n);
	/* From here on lane_run_forget() frees it. */
	set->before = lanes->last;
	lanes->last = set;
	ret = limit_check(lanes, streams[0], e);
	if (ret == 0)
		ret = senders_make(set, e);
	for (unsigned int i = 0; i < lanes->n && ret == 0; i++)
		ret = lane_add(set, lanes->lane[i], (uint16_t)i, e);
	for (unsigned int i = 0; i < n && ret == 0; i++)
		ret = line_check(lanes, NULL, streams[i], e);
	if (ret == 0)
		ret = flows_number(set, mark, key, e);
	if (ret == 0) {
		lanes->live = set;
		lanes->change = change_live;
	}
	return ret;
}

void
lane_run_over(void *config)
{
	if (config != NULL)
		((struct lanes *)config)->live = NULL;
}

void
lane_run_forget(struct lanes_run *set)
{
	struct lanes_run **at;

	if (set == NULL)
		return;
	for (at = &set->lanes->last; *at != NULL && *at != set;)
		at = &(*at)->before;
	if (*at != NULL)
		*at = set->before;
	set_free(set);
}

/* The worker's side. */

static bool
due_before(const struct lane_due *a, const struct lane_due *b)
{
	return (int64_t)(a->due - b->due) < 0;
}

void
lane_run_sift(struct lane_sender *d)
{
	struct lane_due *heap = d->heap, moved = heap[0];
	unsigned int at = 0;

	for (;;) {
		unsigned int child = 2 * at + 1;

		if (child + 1 < d->n_heap && due_before(&heap[child + 1], &heap[child]))
			child++;
		if (child >= d->n_heap || !due_before(&heap[child], &moved))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

/* Let a lane send. */
static void
lane_insert(struct lane_sender *d, const struct lane_run *run)
{
	unsigned int at = d->n_heap;
	const struct lane_due added = { run->plan->pace.due, run->place };

	if (!run->plan->pace.paced) {
		d->greedy[d->n_greedy++] = run->place;
		return;
	}
	d->n_heap++;
	for (; at > 0 && due_before(&added, &d->heap[(at - 1) / 2]); at = (at - 1) / 2)
		d->heap[at] = d->heap[(at - 1) / 2];
	d->heap[at] = added;
}

static void
phase_set(struct lane_run *run, enum lane_phase phase)
{
	/* Who sees that a lane is done sees all that it has sent (lane_show.c). */
	atomic_store_explicit(&run->phase, (unsigned char)phase, memory_order_release);
}

void
lane_run_done(struct lane_sender *d, struct lane_run *run, uint64_t at)
{
	counter_set(&run->end_tsc, at);
	run->ending = d->ends = true;
	if (run->plan->pace.paced) {
		/* It is the first one. */
		d->heap[0] = d->heap[--d->n_heap];
		if (d->n_heap > 0)
			lane_run_sift(d);
		return;
	}
	for (unsigned int i = 0; i < d->n_greedy; i++)
		if (d->greedy[i] == run->place) {
			memmove(&d->greedy[i], &d->greedy[i + 1],
				(--d->n_greedy - i) * sizeof(d->greedy[0]));
			d->next_greedy -= i < d->next_greedy;
		}
}

void
lane_run_return(struct lane_sender *d, struct lane_run *run, uint64_t now)
{
	if (run->plan->ticks > 0 &&
		(int64_t)((run->plan->pace.paced ? run->plan->pace.due : now) - run->end) >= 0)
		return;
	if (run->ending)
		run->ending = false;
	else
		phase_set(run, LANE_SENDING);
	lane_insert(d, run);
}

void
lane_run_ended(struct lane_sender *d)
{
	for (unsigned int i = 0; i < d->n_mine; i++) {
		struct lane_run *run = d->set->run[d->mine[i]];

		if (run->ending)
			phase_set(run, LANE_DONE);
		run->ending = false;
	}
	d->ends = false;
}

/* Whether packets are due at the same times by both. */
static bool
pace_equal(const struct pace *a, const struct pace *b)
{
	return a->paced == b->paced && a->gaps == b->gaps && a->burst == b->burst &&
		a->pause == b->pause && a->step == b->step && a->step_part == b->step_part;
}

/*
 * Go on with the schedule of the plan before: the next packet is due when it was, or a gap of a new rate
 * from now on if that is sooner. waits: that packet is the first one, which no rate makes sooner.
 */
static void
pace_carry(struct pace *to, const struct pace *from, bool waits, uint64_t now)
{
	if (pace_equal(to, from)) {
		*to = *from;
		return;
	}
	to->due = now;
	if (!to->paced || !from->paced)
		return;
	to->random = from->random;
	to->due = from->due;
	to->due_part = from->due_part;
	if (!waits && (int64_t)(from->due - now) > (int64_t)to->step)
		to->due = now + to->step;
}

/* The first packet of each lane is due at a time of its own, so that equal rates make no bursts. */
static uint64_t
first_due(const struct lane_run *run, const struct pace *pace, uint64_t now)
{
	const uint64_t most = (uint64_t)(run->stream->tsc_hz * SPREAD_MS / MS_PER_S),
		       spread = RTE_MIN(pace->step, most);
	/* Fractions of the golden ratio are far from each other, however many there are. */
	const uint32_t part = (uint32_t)run->place * UINT32_C(2654435769);

	return now + (uint64_t)((double)spread * part / 4294967296.0);
}

/* Send by a new plan. */
static void
lane_adopt(struct lane_sender *d, struct lane_run *run, struct lane_plan *p, uint64_t now)
{
	struct lane_origin *origin = &d->set->origins[run->place];
	const struct lane_plan *old = run->plan;
	const enum lane_phase was = atomic_load_explicit(&run->phase, memory_order_relaxed);
	const bool begins = was == LANE_OFF || (was == LANE_DONE && p->wakes) || p->renews,
		   waits = was == LANE_SENDING &&
		(int64_t)(counter_read(&run->begin_tsc) - now) > 0;

	if (old != NULL &&
		(old->n_sizes != p->n_sizes ||
			memcmp(old->sizes, p->sizes, p->n_sizes * sizeof(p->sizes[0])) != 0))
		atomic_store(&origin->before, run->plan);
	atomic_store(&origin->now, p);
	run->plan = p;
	if (!p->on) {
		if (was == LANE_SENDING)
			counter_set(&run->end_tsc, now);
		phase_set(run, LANE_OFF);
		return;
	}
	if (was == LANE_DONE && !begins)
		return;
	if (was == LANE_SENDING)
		pace_carry(&p->pace, &old->pace, waits, now);
	else
		p->pace.due = old == NULL && p->pace.paced ? first_due(run, &p->pace, now) : now;
	if (begins) {
		if (was != LANE_SENDING)
			p->pace.due += p->delay;
		run->left = p->count > 0 ? p->count : UINT64_MAX;
		run->end = p->pace.due + p->ticks;
	}
	/* A new delay takes the place of the one that is waited for. */
	if (waits && p->pace.paced && p->delay != old->delay) {
		p->pace.due += p->delay - old->delay;
		if ((int64_t)(p->pace.due - now) < 0)
			p->pace.due = now;
		run->end = p->pace.due + p->ticks;
	}
	if (begins || waits || old->pps != p->pps) {
		counter_set(&run->begin_tsc, begins || waits ? p->pace.due : now);
		counter_set(&run->begin_sent, counter_read(&run->sent));
	}
	phase_set(run, LANE_SENDING);
}

void
lane_run_adopt(struct lane_sender *d, uint64_t now)
{
	d->adopted = atomic_load_explicit(&d->asked, memory_order_acquire);
	d->n_heap = d->n_greedy = 0;
	for (unsigned int i = 0; i < d->n_mine; i++) {
		struct lane_run *run = d->set->run[d->mine[i]];
		struct lane_plan *p = atomic_load_explicit(&run->next, memory_order_acquire);

		if (p != run->plan)
			lane_adopt(d, run, p, now);
		if (atomic_load_explicit(&run->phase, memory_order_relaxed) == LANE_SENDING)
			lane_insert(d, run);
	}
}

void
lane_run_end(struct stream *s, struct lane_sender *d, uint64_t late, uint64_t ended_tsc)
{
	uint64_t all = 0;

	lane_run_ended(d);
	/* Each lcore writes it; they differ by microseconds. */
	counter_set(&d->set->ended_tsc, ended_tsc);
	/* A run of a number of packets ends when these are sent; no others are due. */
	if (s->limit.left != NULL && atomic_load(s->limit.left) <= 0)
		return;
	for (unsigned int i = 0; i < d->n_heap; i++) {
		struct lane_run *run = d->set->run[d->heap[i].place];
		struct pace *pace = &run->plan->pace;
		uint64_t unsent = 0;

		for (; (int64_t)(ended_tsc - pace->due) > (int64_t)late &&
			(run->plan->ticks == 0 || (int64_t)(pace->due - run->end) < 0);
			unsent++)
			pace_next(pace);
		counter_add(&run->unsent, unsent);
		all += unsent;
	}
	stream_count_named(s, SENDER_UNSENT, all);
}

void
lane_run_end_all(struct stream *const *streams, unsigned int n, uint64_t ended_tsc)
{
	for (unsigned int i = 0; i < n; i++) {
		struct sender *d = streams[i]->state;

		if (d->lanes != NULL)
			lane_run_end(streams[i], d->lanes, d->late, ended_tsc);
		else
			sender_end(streams[i], d, ended_tsc);
	}
}
