/* All pairs that feed one Rx queue, in one block behind one pointer: control publishes a new block,
 * and frees the old one when the lcore uses the new. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle_feed.h"

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
	{ ROW(moved), .help = "sent mbufs that were armed again without the pool" },
	{ ROW(topped_up), .help = "mbufs from the pool that filled a batch up" },
	{ ROW(shared), .help = "sent mbufs that could not be moved: others held them, too" },
	{ ROW(foreign), .help = "sent mbufs that could not be moved: of another pool" },
	{ ROW(freed), .help = "sent mbufs that went to the pool: no room, or no full batch" },
	{ ROW(from_blocks), .help = "mbufs of the pool's contiguous blocks that were armed" },
};

const struct stat_table recycle_feed_stats = { "recycle", rows, ARRAY_SIZE(rows), false };

static struct recycle_pairs *
pairs_new(const struct recycle_ends *ends, unsigned int n, enum recycle_mode mode, int socket)
{
	struct recycle_pairs *p =
		rte_zmalloc_socket("recycle_pairs", sizeof(*p), CACHE_PAIR, socket);

	if (p == NULL)
		return NULL;
	p->n = n;
	p->mode = mode;
	for (unsigned int i = 0; i < n; i++) {
		struct recycle_feed_pair *one = &p->pair[i];
		struct err e = { 0 };

		one->ends = ends[i];
		if (mode == RECYCLE_OFF) {
			snprintf(one->why, sizeof(one->why), "recycling is off");
			continue;
		}
		one->pair = recycle_bind(&ends[i], mode, &e);
		if (one->pair == NULL)
			snprintf(one->why, sizeof(one->why), "%.*s", RECYCLE_WHY - 1, e.text);
		else
			p->bound[p->n_bound++] = one->pair;
	}
	return p;
}

static void
pair_add(struct recycle_total *t, const struct recycle *pair)
{
	struct recycle_total now;

	static_assert(sizeof(now) == sizeof(struct recycle_count), "the same counts, in order");
	stat_read(&now, recycle_count(pair), sizeof(now));
	stat_add(&recycle_feed_stats, t, &now);
}

static void
pairs_free(struct recycle_pairs *p)
{
	if (p == NULL)
		return;
	for (unsigned int i = 0; i < p->n_bound; i++)
		recycle_unbind(p->bound[i]);
	rte_free(p);
}

struct recycle_feed *
recycle_feed_open(int socket)
{
	struct recycle_feed *f = rte_zmalloc_socket("recycle_feed", sizeof(*f), CACHE_PAIR, socket);

	if (f == NULL)
		return NULL;
	f->socket = socket;
	atomic_store(&f->wanted, pairs_new(NULL, 0, RECYCLE_OFF, socket));
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

/* Whether the lcore came to use what is wanted, within WAIT_MS. */
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
recycle_feed_set(struct recycle_feed *f, const struct recycle_ends *ends, unsigned int n,
	enum recycle_mode mode, bool live, struct err *e)
{
	struct recycle_pairs *old = atomic_load(&f->wanted), *new;

	if (n > RECYCLE_PAIRS_MAX)
		return err_set(e, EINVAL,
			"%u transmit queues to feed one receive queue: want at most %u", n,
			RECYCLE_PAIRS_MAX);
	new = pairs_new(ends, n, mode, f->socket);
	if (new == NULL)
		return err_set(e, ENOMEM, "no memory to pair queues");
	/* Pairs with the acquire in recycle_feed_run(). */
	atomic_store_explicit(&f->wanted, new, memory_order_release);
	if (!live) {
		atomic_store(&f->used, new);
	} else if (!taken_up(f)) {
		/*
		 * It may take up either until it polls again: the old ones stay as well, so nothing
		 * is freed.
		 */
		atomic_store(&f->wanted, old);
		return err_set(e, ETIMEDOUT, "the lcore did not turn for %u ms", WAIT_MS);
	}
	for (unsigned int i = 0; i < old->n_bound; i++)
		pair_add(&f->before, old->bound[i]);
	pairs_free(old);
	return 0;
}

void
recycle_feed_rest(const struct recycle_feed *f)
{
	const struct recycle_pairs *p = atomic_load(&f->wanted);

	for (unsigned int i = 0; i < p->n_bound; i++)
		recycle_rest(p->bound[i]);
}

const struct recycle_feed_pair *
recycle_feed_pairs(const struct recycle_feed *f, unsigned int *n)
{
	const struct recycle_pairs *p = atomic_load(&f->wanted);

	*n = p->n;
	return p->pair;
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

	for (unsigned int i = 0; i < p->n_bound; i++)
		pair_add(&t, p->bound[i]);
	return t;
}
