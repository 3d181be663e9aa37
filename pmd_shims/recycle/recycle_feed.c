/* All pairs that feed one Rx queue, in one block behind one pointer: control publishes a new block
 * and frees the old one once the lcore uses the new one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/recycle_feed.h"

#include "base/base.h"
#include "base/err.h"

#include <rte_cycles.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* Which transmit queues feed a receive queue: a queue joins at once but leaves only after a while,
 * so that it still feeds if its traffic comes back. */

static bool
feeds(const struct recycle_traffic *t, unsigned int i)
{
	return (t->feeds >> i & 1) != 0;
}

void
recycle_traffic_begin(struct recycle_traffic *t, unsigned int n, uint32_t can, unsigned int first,
	uint64_t hz)
{
	*t = (struct recycle_traffic){ .n = n,
		.can = can,
		.feeds = can & UINT32_C(1) << first,
		.hz = hz };
	t->order[0] = (uint8_t)first;
	t->n_order = t->feeds != 0;
}

/* The candidate among the bits of with the most packets; t->n: there is none. */
static unsigned int
most(const struct recycle_traffic *t, const uint64_t *packets, uint32_t of)
{
	unsigned int found = t->n;

	for (unsigned int i = 0; i < t->n; i++)
		if ((of >> i & 1) != 0 && (found == t->n || packets[i] > packets[found]))
			found = i;
	return found;
}

/* The feeding candidate with the fewest packets. */
static unsigned int
fewest(const struct recycle_traffic *t, const uint64_t *packets)
{
	unsigned int found = t->n;

	for (unsigned int i = 0; i < t->n; i++)
		if (feeds(t, i) && (found == t->n || packets[i] < packets[found]))
			found = i;
	return found;
}

/* Insert candidate i at place at, or ahead of each one that it exceeds by more than 25 %. */
static void
place(struct recycle_traffic *t, const uint64_t *packets, unsigned int at, uint8_t i)
{
	for (; at > 0 && packets[i] * 4 > packets[t->order[at - 1]] * 5; at--)
		t->order[at] = t->order[at - 1];
	t->order[at] = i;
}

/*
 * Sort the feeding candidates by packets, but keep the order of those with similar numbers:
 * otherwise receive queues that share transmit queues evenly would all take from the same one, and
 * the mbufs of the others would go to the pool.
 */
static void
order(struct recycle_traffic *t, const uint64_t *packets)
{
	const unsigned int before = t->n_order;
	uint32_t rest = t->feeds;

	t->n_order = 0;
	for (unsigned int i = 0; i < before; i++)
		if (feeds(t, t->order[i])) {
			rest &= ~(UINT32_C(1) << t->order[i]);
			place(t, packets, t->n_order++, t->order[i]);
		}
	for (unsigned int i = 0; i < t->n; i++)
		if ((rest >> i & 1) != 0)
			place(t, packets, t->n_order++, (uint8_t)i);
}

/* Remove candidates that have been idle for long enough, but keep at least one. */
static void
leave(struct recycle_traffic *t)
{
	for (unsigned int i = 0; i < t->n; i++)
		if (feeds(t, i) && t->idle[i] >= RECYCLE_TRAFFIC_IDLE &&
			(t->feeds & (t->feeds - 1)) != 0)
			t->feeds &= ~(UINT32_C(1) << i);
}

/* Add candidates that have a share of the packets, those with the most packets first. */
static void
join(struct recycle_traffic *t, const uint64_t *packets, uint64_t all)
{
	unsigned int n = (unsigned int)__builtin_popcount(t->feeds), i;
	uint32_t others = t->can & ~t->feeds;

	while ((i = most(t, packets, others)) < t->n && packets[i] * RECYCLE_TRAFFIC_JOIN >= all) {
		unsigned int last;

		if (n == RECYCLE_TRAFFIC_FED) {
			last = fewest(t, packets);
			if (packets[i] <= 2 * packets[last])
				return;
			t->feeds &= ~(UINT32_C(1) << last);
			n--;
		}
		t->feeds |= UINT32_C(1) << i;
		others &= ~(UINT32_C(1) << i);
		n++;
	}
}

/* True if a change now would exceed RECYCLE_TRAFFIC_CHANGES within a second. */
static bool
too_often(const struct recycle_traffic *t, uint64_t now)
{
	return t->n_changes >= RECYCLE_TRAFFIC_CHANGES &&
		now - t->changed[t->n_changes % RECYCLE_TRAFFIC_CHANGES] < t->hz;
}

bool
recycle_traffic_sample(struct recycle_traffic *t, const uint64_t *sent, uint64_t now)
{
	uint64_t packets[RECYCLE_TRAFFIC_QUEUES] = { 0 }, all = 0;
	const uint32_t before = t->feeds;

	if (now < t->next)
		return false;
	t->next = now + t->hz / RECYCLE_TRAFFIC_HZ;
	if (!t->begun) {
		memcpy(t->before, sent, t->n * sizeof(sent[0]));
		t->begun = true;
		return false;
	}
	for (unsigned int i = 0; i < t->n; i++)
		all += packets[i] = sent[i] - t->before[i];
	if (all < RECYCLE_TRAFFIC_LEAST)
		return false;
	memcpy(t->before, sent, t->n * sizeof(sent[0]));
	for (unsigned int i = 0; i < t->n; i++)
		if (packets[i] * RECYCLE_TRAFFIC_LEAVE >= all)
			t->idle[i] = 0;
		else if (t->idle[i] < RECYCLE_TRAFFIC_IDLE)
			t->idle[i]++;
	if (!too_often(t, now)) {
		join(t, packets, all);
		leave(t);
	}
	order(t, packets);
	if (t->feeds == before)
		return false;
	t->changed[t->n_changes++ % RECYCLE_TRAFFIC_CHANGES] = now;
	return true;
}

/* Whether mode RECYCLE_CONTIG_AUTO uses blocks. */

enum tuned { TUNED_DRIVER, TUNED_BLOCKS, TUNED_N };

bool
recycle_tuning_poll(struct recycle_tuning *t, uint64_t now)
{
	const uint64_t rx = counter_read(t->rx);
	/* A poll without packets only waits for traffic. */
	const uint64_t cycles = rx != t->rx_before ? now - t->began : 0;

	t->rx_before = rx;
	t->began = now;
	return autotune_poll(&t->autotune, now, cycles, rx) == TUNED_BLOCKS;
}

enum { WAIT_MS = 1000 };

#define ROW(member, line, of, text) \
	{ .name = #member, .help = text, .unit = of, .at = offsetof(struct recycle_total, member) },

#define LEVEL(member, of, text) \
	{ \
		.name = #member, .help = text, .unit = of, .kind = STAT_GAUGE, \
		.at = offsetof(struct recycle_total, member) \
	}

static const struct stat_row rows[] = {
	RECYCLE_COUNTS(ROW) POOL_BLOCKS_COUNTS(ROW)
		LEVEL(window, "descriptors", "Rx descriptors that the window keeps armed"),
	LEVEL(armed, "descriptors", "Rx descriptors armed now, with a window"),
	LEVEL(in_flight, "mbufs", "mbufs in the Tx rings of the pairs, sent or not, with a window"),
	LEVEL(working_set, "bytes",
		"memory of the mbufs armed and in flight, with the first cache line of each packet")
};

const struct stat_table recycle_feed_stats = { "recycle", rows, ARRAY_SIZE(rows), false };

/* Run all pairs that could be bound; used if the lcore does not choose among them. */
static void
pairs_run_all(struct recycle_pairs *p)
{
	for (unsigned int i = 0; i < p->n; i++)
		if (p->pair[i].pair != NULL) {
			p->bound[p->n_bound++] = p->pair[i].pair;
			atomic_fetch_or(&p->feeds, UINT32_C(1) << i);
		}
}

/*
 * Run the chosen pairs, the one with the most packets first. Thread: the lcore, or control before
 * the lcore uses p.
 */
static void
pairs_run_chosen(struct recycle_pairs *p)
{
	for (unsigned int i = 0; i < p->traffic.n_order; i++)
		p->bound[i] = p->pair[p->traffic.order[i]].pair;
	p->n_bound = p->traffic.n_order;
	atomic_store_explicit(&p->feeds, p->traffic.feeds, memory_order_relaxed);
}

/*
 * Let the lcore choose between the one pair, which must be bound, and the driver's own refill.
 * Returns false if memory is short.
 */
static bool
pairs_tune(struct recycle_pairs *p, const struct recycle_feed_request *request, int socket)
{
	p->tuning = rte_zmalloc_socket("recycle_tuning", sizeof(*p->tuning), CACHE_PAIR, socket);
	if (p->tuning == NULL)
		return false;
	p->tuning->rx = request->rx;
	autotune_open(&p->tuning->autotune, TUNED_N, TUNED_DRIVER, rte_get_tsc_hz());
	p->bound[0] = p->pair[0].pair;
	p->chooses = true;
	return true;
}

static void
pairs_free(struct recycle_pairs *p)
{
	if (p == NULL)
		return;
	for (unsigned int i = 0; i < p->n; i++)
		recycle_unbind(p->pair[i].pair);
	rte_free(p->tuning);
	rte_free(p);
}

/* The first bound pair; NULL: none was bound. */
static struct recycle *
pairs_first(const struct recycle_pairs *p)
{
	for (unsigned int i = 0; i < p->n; i++)
		if (p->pair[i].pair != NULL)
			return p->pair[i].pair;
	return NULL;
}

/* Whether the bound pairs can have the requested window. */
static int
pairs_window_valid(const struct recycle_pairs *p, const struct recycle_feed_request *request,
	struct err *e)
{
	const struct recycle *const first = pairs_first(p);

	return request->mode != RECYCLE_RING || first == NULL
		? 0
		: recycle_window_valid(first, request->window, request->burst, e);
}

/* Open the window of the Rx queue, if one is requested and a pair is bound. */
static void
pairs_window_open(struct recycle_pairs *p, const struct recycle_feed_request *request)
{
	struct recycle *const first = pairs_first(p);

	if (request->window == WINDOW_OFF || request->mode != RECYCLE_RING || first == NULL)
		return;
	recycle_window_open(&p->window, first, request->window, request->burst);
	for (unsigned int i = 0; i < p->n && p->window.pair != NULL; i++)
		if (p->pair[i].pair != NULL)
			recycle_window_use(p->pair[i].pair, &p->window);
}

static struct recycle_pairs *
pairs_new(const struct recycle_feed_request *request, int socket)
{
	struct recycle_pairs *p = rte_zmalloc_socket("recycle_pairs",
		sizeof(*p) + request->n * sizeof(p->pair[0]), CACHE_PAIR, socket);
	const bool tune = request->mode == RECYCLE_CONTIG_AUTO;
	uint32_t can = 0;

	if (p == NULL)
		return NULL;
	p->n = request->n;
	p->mode = request->mode;
	p->look = RECYCLE_LOOK - 1;
	for (unsigned int i = 0; i < request->n; i++) {
		struct recycle_feed_pair *one = &p->pair[i];
		struct err e = { 0 };

		one->ends = request->ends[i];
		if (request->mode == RECYCLE_OFF) {
			snprintf(one->why, sizeof(one->why), "recycling is off");
			continue;
		}
		one->pair = recycle_bind(&request->ends[i], tune ? RECYCLE_CONTIG : request->mode,
			request->known, &e);
		if (one->pair == NULL)
			snprintf(one->why, sizeof(one->why), "%.*s", RECYCLE_WHY - 1, e.text);
		else
			can |= UINT32_C(1) << i;
	}
	if (tune && can != 0 && !pairs_tune(p, request, socket)) {
		pairs_free(p);
		return NULL;
	}
	if (tune)
		return p;
	if (request->sent == NULL) {
		pairs_run_all(p);
		return p;
	}
	/* An engine may be writing request->sent: only the lcore reads it. */
	recycle_traffic_begin(&p->traffic, request->n, can, request->first, rte_get_tsc_hz());
	pairs_run_chosen(p);
	p->sent = request->sent;
	p->chooses = true;
	return p;
}

struct recycle_total
recycle_feed_pair_total(const struct recycle_feed_pair *p)
{
	struct recycle_total now = { 0 };

	if (p->pair != NULL) {
		stat_read(&now, recycle_count(p->pair), sizeof(struct recycle_count));
		stat_read(&now.contig_gets, recycle_blocks_count(p->pair),
			sizeof(struct pool_blocks_count));
	}
	return now;
}

/* Add the counts of all pairs to *t. */
static void
pairs_add(struct recycle_total *t, const struct recycle_pairs *p)
{
	for (unsigned int i = 0; i < p->n; i++) {
		const struct recycle_total now = recycle_feed_pair_total(&p->pair[i]);

		stat_add(&recycle_feed_stats, t, &now);
	}
}

static const struct recycle_feed_request nothing = { .mode = RECYCLE_OFF };

struct recycle_feed *
recycle_feed_open(int socket)
{
	struct recycle_feed *f = rte_zmalloc_socket("recycle_feed", sizeof(*f), CACHE_PAIR, socket);

	if (f == NULL)
		return NULL;
	f->socket = socket;
	atomic_store(&f->published, pairs_new(&nothing, socket));
	atomic_store(&f->used, atomic_load(&f->published));
	if (atomic_load(&f->published) == NULL) {
		rte_free(f);
		return NULL;
	}
	return f;
}

void
recycle_feed_switch(struct recycle_feed *f, struct recycle_pairs *p)
{
	struct recycle_pairs *const old = atomic_load_explicit(&f->used, memory_order_relaxed);

	recycle_window_close(&old->window, false);
	/* Pairs with the acquire in taken_up(). */
	atomic_store_explicit(&f->used, p, memory_order_release);
}

void
recycle_feed_close(struct recycle_feed *f)
{
	if (f == NULL)
		return;
	pairs_free(atomic_load(&f->published));
	rte_free(f);
}

/* Wait up to WAIT_MS for the lcore to use the published pairs. Returns true if it does. */
static bool
taken_up(struct recycle_feed *f)
{
	/* Pairs with the release in recycle_feed_run(). */
	for (unsigned int ms = 0;
		atomic_load_explicit(&f->used, memory_order_acquire) != atomic_load(&f->published);
		ms++) {
		if (ms == WAIT_MS)
			return false;
		rte_delay_us_sleep(1000);
	}
	return true;
}

/*
 * Let the lcore use new pairs, and free the old ones. Errors: ENOMEM if new is NULL; ETIMEDOUT, then
 * the old ones remain in use, and new is never freed, since the lcore may use either.
 */
static int
publish(struct recycle_feed *f, struct recycle_pairs *new, bool live, struct err *e)
{
	struct recycle_pairs *const old = atomic_load(&f->published);

	if (new == NULL)
		return err_set(e, ENOMEM, "no memory to pair queues");
	/* Pairs with the acquire in recycle_feed_run(). */
	atomic_store_explicit(&f->published, new, memory_order_release);
	if (!live) {
		recycle_feed_switch(f, new);
	} else if (!taken_up(f)) {
		atomic_store(&f->published, old);
		return err_set(e, ETIMEDOUT, "the lcore did not poll for %u ms", WAIT_MS);
	}
	pairs_add(&f->before, old);
	pairs_free(old);
	return 0;
}

int
recycle_feed_set(struct recycle_feed *f, const struct recycle_feed_request *request, bool live,
	struct err *e)
{
	const unsigned int most = request->sent != NULL ? RECYCLE_TRAFFIC_QUEUES
							: RECYCLE_PAIRS_MAX;
	struct recycle_pairs *new;
	int ret;

	if (request->n > most)
		return err_set(e, EINVAL,
			"%u transmit queues to feed one receive queue: expected at most %u",
			request->n, most);
	/* Queues can be bound only if their drivers count all free slots. */
	if (live && atomic_load(&f->published)->window.pair != NULL) {
		ret = pairs_window_valid(atomic_load(&f->published), request, e);
		if (ret == 0)
			ret = publish(f, pairs_new(&nothing, f->socket), live, e);
		if (ret != 0)
			return ret;
	}
	new = pairs_new(request, f->socket);
	ret = new != NULL ? pairs_window_valid(new, request, e) : 0;
	if (ret != 0) {
		pairs_free(new);
		return ret;
	}
	if (new != NULL) {
		pairs_window_open(new, request);
		new->watched = new->chooses || new->window.pair != NULL;
	}
	return publish(f, new, live, e);
}

static void
history_add(struct recycle_history *h, const struct recycle_change *c)
{
	const uint64_t n = counter_read(&h->n);
	const unsigned int at = n % RECYCLE_HISTORY;

	atomic_store_explicit(&h->change[at].tsc, c->tsc, memory_order_relaxed);
	atomic_store_explicit(&h->change[at].from, c->from, memory_order_relaxed);
	atomic_store_explicit(&h->change[at].to, c->to, memory_order_relaxed);
	/* Pairs with the acquire in recycle_feed_history(). */
	atomic_store_explicit(&h->n, n + 1, memory_order_release);
}

void
recycle_feed_look(struct recycle_pairs *p, uint64_t now)
{
	const uint32_t from = p->traffic.feeds;

	if (p->tuning != NULL) {
		p->n_bound = recycle_tuning_poll(p->tuning, now);
		p->look = p->tuning->autotune.slicing ? 0 : RECYCLE_LOOK - 1;
		atomic_store_explicit(&p->feeds, p->n_bound, memory_order_relaxed);
		return;
	}
	if (recycle_traffic_sample(&p->traffic, p->sent, now))
		history_add(&p->history, &(struct recycle_change){ now, from, p->traffic.feeds });
	pairs_run_chosen(p);
}

void
recycle_feed_look_now(struct recycle_pairs *p)
{
	recycle_feed_look(p, rte_rdtsc());
}

const struct autotune *
recycle_feed_tuning(const struct recycle_feed *f)
{
	const struct recycle_pairs *p = atomic_load(&f->published);

	return p->tuning != NULL ? &p->tuning->autotune : NULL;
}

bool
recycle_feed_window(const struct recycle_feed *f, struct recycle_feed_window *w)
{
	const struct recycle_pairs *p = atomic_load(&f->published);
	const struct recycle_window *const now = &p->window;
	const uint16_t open = now->open;

	if (now->pair == NULL || open == 0)
		return false;
	*w = (struct recycle_feed_window){ .automatic = now->automatic,
		.size = now->now,
		.ring = now->ring,
		.armed = now->ring - open };
	for (unsigned int i = 0; i < p->n; i++)
		if (p->pair[i].pair != NULL)
			w->in_flight += recycle_in_flight(p->pair[i].pair);
	w->working_set = ((uint64_t)w->armed + w->in_flight) *
		(sizeof(struct rte_mbuf) + RTE_CACHE_LINE_SIZE);
	return true;
}

unsigned int
recycle_feed_history(const struct recycle_feed *f, struct recycle_change change[RECYCLE_HISTORY])
{
	const struct recycle_history *h = &atomic_load(&f->published)->history;
	/* Pairs with the release in history_add(). */
	const uint64_t end = atomic_load_explicit(&h->n, memory_order_acquire);
	const uint64_t begin = end < RECYCLE_HISTORY ? 0 : end - RECYCLE_HISTORY + 1;

	for (uint64_t i = begin; i < end; i++) {
		const unsigned int at = i % RECYCLE_HISTORY;

		change[i - begin] = (struct recycle_change){ counter_read(&h->change[at].tsc),
			counter_read(&h->change[at].from), counter_read(&h->change[at].to) };
	}
	return (unsigned int)(end - begin);
}

void
recycle_feed_rest(const struct recycle_feed *f)
{
	struct recycle_pairs *p = atomic_load(&f->published);

	recycle_window_close(&p->window, true);
	for (unsigned int i = 0; i < p->n; i++)
		if (p->pair[i].pair != NULL)
			recycle_rest(p->pair[i].pair);
}

const struct recycle_feed_pair *
recycle_feed_pairs(const struct recycle_feed *f, unsigned int *n)
{
	const struct recycle_pairs *p = atomic_load(&f->published);

	*n = p->n;
	return p->pair;
}

uint32_t
recycle_feed_feeds(const struct recycle_feed *f)
{
	return atomic_load(&atomic_load(&f->published)->feeds);
}

bool
recycle_feed_chooses(const struct recycle_feed *f)
{
	return atomic_load(&f->published)->sent != NULL;
}

enum recycle_mode
recycle_feed_mode(const struct recycle_feed *f)
{
	return atomic_load(&f->published)->mode;
}

struct recycle_total
recycle_feed_total(const struct recycle_feed *f)
{
	const struct recycle_pairs *p = atomic_load(&f->published);
	struct recycle_total t = f->before;

	pairs_add(&t, p);
	t.window = t.armed = t.in_flight = t.working_set = STAT_NONE;
	return t;
}
