/* All pairs that feed one Rx queue, in one block behind one pointer: control publishes a new block
 * and frees the old one once the lcore uses the new one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/recycle_feed.h"

#include "base/err.h"

#include <rte_cycles.h>
#include <rte_malloc.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { WAIT_MS = 1000 };

#define ROW(member) .name = #member, .unit = "mbufs", .at = offsetof(struct recycle_total, member)

static const struct stat_row rows[] = {
	{ ROW(moved), .help = "sent mbufs re-armed on the Rx ring without going through the pool" },
	{ ROW(topped_up), .help = "mbufs taken from the pool to complete a batch" },
	{ ROW(shared), .help = "sent mbufs not moved because they have other references" },
	{ ROW(foreign), .help = "sent mbufs not moved because they belong to another pool" },
	{ ROW(freed),
		.help = "sent mbufs returned to the pool: no free Rx slot, or no full batch" },
	{ ROW(from_blocks), .help = "mbufs armed out of the pool's contiguous blocks" },
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

static struct recycle_pairs *
pairs_new(const struct recycle_feed_want *want, int socket)
{
	struct recycle_pairs *p = rte_zmalloc_socket("recycle_pairs",
		sizeof(*p) + want->n * sizeof(p->pair[0]), CACHE_PAIR, socket);
	uint32_t can = 0;

	if (p == NULL)
		return NULL;
	p->n = want->n;
	p->mode = want->mode;
	for (unsigned int i = 0; i < want->n; i++) {
		struct recycle_feed_pair *one = &p->pair[i];
		struct err e = { 0 };

		one->ends = want->ends[i];
		if (want->mode == RECYCLE_OFF) {
			snprintf(one->why, sizeof(one->why), "recycling is off");
			continue;
		}
		one->pair = recycle_bind(&want->ends[i], want->mode, want->known, &e);
		if (one->pair == NULL)
			snprintf(one->why, sizeof(one->why), "%.*s", RECYCLE_WHY - 1, e.text);
		else
			can |= UINT32_C(1) << i;
	}
	if (want->sent == NULL) {
		pairs_run_all(p);
		return p;
	}
	/* An engine may be writing want->sent: only the lcore reads it. */
	recycle_traffic_begin(&p->traffic, want->n, can, want->first, rte_get_tsc_hz());
	pairs_run_chosen(p);
	p->sent = want->sent;
	return p;
}

struct recycle_total
recycle_feed_pair_total(const struct recycle_feed_pair *p)
{
	struct recycle_total now = { 0 };

	static_assert(sizeof(now) == sizeof(struct recycle_count),
		"both have these counts in this order");
	if (p->pair != NULL)
		stat_read(&now, recycle_count(p->pair), sizeof(now));
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

static void
pairs_free(struct recycle_pairs *p)
{
	if (p == NULL)
		return;
	for (unsigned int i = 0; i < p->n; i++)
		recycle_unbind(p->pair[i].pair);
	rte_free(p);
}

struct recycle_feed *
recycle_feed_open(int socket)
{
	static const struct recycle_feed_want nothing = { .mode = RECYCLE_OFF };
	struct recycle_feed *f = rte_zmalloc_socket("recycle_feed", sizeof(*f), CACHE_PAIR, socket);

	if (f == NULL)
		return NULL;
	f->socket = socket;
	atomic_store(&f->wanted, pairs_new(&nothing, socket));
	atomic_store(&f->used, atomic_load(&f->wanted));
	if (atomic_load(&f->wanted) == NULL) {
		rte_free(f);
		return NULL;
	}
	return f;
}

void
recycle_feed_close(struct recycle_feed *f)
{
	if (f == NULL)
		return;
	pairs_free(atomic_load(&f->wanted));
	rte_free(f);
}

/* Wait up to WAIT_MS for the lcore to use the published pairs. Returns true if it does. */
static bool
taken_up(struct recycle_feed *f)
{
	/* Pairs with the release in recycle_feed_run(). */
	for (unsigned int ms = 0;
		atomic_load_explicit(&f->used, memory_order_acquire) != atomic_load(&f->wanted);
		ms++) {
		if (ms == WAIT_MS)
			return false;
		rte_delay_us_sleep(1000);
	}
	return true;
}

int
recycle_feed_set(struct recycle_feed *f, const struct recycle_feed_want *want, bool live,
	struct err *e)
{
	const unsigned int most = want->sent != NULL ? RECYCLE_TRAFFIC_QUEUES : RECYCLE_PAIRS_MAX;
	struct recycle_pairs *old = atomic_load(&f->wanted), *new;

	if (want->n > most)
		return err_set(e, EINVAL,
			"%u transmit queues to feed one receive queue: expected at most %u",
			want->n, most);
	new = pairs_new(want, f->socket);
	if (new == NULL)
		return err_set(e, ENOMEM, "no memory to pair queues");
	/* Pairs with the acquire in recycle_feed_run(). */
	atomic_store_explicit(&f->wanted, new, memory_order_release);
	if (!live) {
		atomic_store(&f->used, new);
	} else if (!taken_up(f)) {
		/*
		 * Until its next poll the lcore may use either block, so neither is freed.
		 */
		atomic_store(&f->wanted, old);
		return err_set(e, ETIMEDOUT, "the lcore did not poll for %u ms", WAIT_MS);
	}
	pairs_add(&f->before, old);
	pairs_free(old);
	return 0;
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

	if (recycle_traffic_sample(&p->traffic, p->sent, now))
		history_add(&p->history, &(struct recycle_change){ now, from, p->traffic.feeds });
	pairs_run_chosen(p);
}

void
recycle_feed_look_now(struct recycle_pairs *p)
{
	recycle_feed_look(p, rte_rdtsc());
}

unsigned int
recycle_feed_history(const struct recycle_feed *f, struct recycle_change change[RECYCLE_HISTORY])
{
	const struct recycle_history *h = &atomic_load(&f->wanted)->history;
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
	const struct recycle_pairs *p = atomic_load(&f->wanted);

	for (unsigned int i = 0; i < p->n; i++)
		if (p->pair[i].pair != NULL)
			recycle_rest(p->pair[i].pair);
}

const struct recycle_feed_pair *
recycle_feed_pairs(const struct recycle_feed *f, unsigned int *n)
{
	const struct recycle_pairs *p = atomic_load(&f->wanted);

	*n = p->n;
	return p->pair;
}

uint32_t
recycle_feed_feeds(const struct recycle_feed *f)
{
	return atomic_load(&atomic_load(&f->wanted)->feeds);
}

bool
recycle_feed_chooses(const struct recycle_feed *f)
{
	return atomic_load(&f->wanted)->sent != NULL;
}

enum recycle_mode
recycle_feed_mode(const struct recycle_feed *f)
{
	return atomic_load(&f->wanted)->mode;
}

struct recycle_total
recycle_feed_total(const struct recycle_feed *f)
{
	const struct recycle_pairs *p = atomic_load(&f->wanted);
	struct recycle_total t = f->before;

	pairs_add(&t, p);
	return t;
}
