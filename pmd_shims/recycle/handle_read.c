/* What control reads of a handle: statistics, its pairs, and how the feeding ones changed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/handle.h"
#include "pmd_shims/recycle/pool_blocks.h"

#include <rte_common.h>
#include <rte_mbuf.h>

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define ROW(name, unit, help) { #name, unit, help, false },
#define LEVEL(name, unit, help) { #name, unit, help, true },
static const struct zcfwd_recycle_row rows[] = { ZCFWD_RECYCLE_STATS(ROW, LEVEL) };

enum {
	N_ROWS = RTE_DIM(rows),
	N_MBUFS = offsetof(struct recycle_count, inlined) / sizeof(shim_counter),
	N_BLOCKS = sizeof(struct pool_blocks_count) / sizeof(shim_counter),
	N_COUNTERS = N_MBUFS + N_BLOCKS,
	N_LATER = sizeof(struct recycle_count) / sizeof(shim_counter) - N_MBUFS,
};
static_assert(sizeof(struct recycle_total) == N_ROWS * sizeof(uint64_t), "a value for each row");

unsigned int
zcfwd_recycle_version(void)
{
	return ZCFWD_RECYCLE_VERSION;
}

const struct zcfwd_recycle_row *
zcfwd_recycle_row(unsigned int i)
{
	return i < N_ROWS ? &rows[i] : NULL;
}

/*
 * Write a struct of this library to element i of a caller's array, whose elements have size bytes
 * and are of another version of the struct: what is longer there is cleared.
 */
static void
element_write(void *array, unsigned int i, size_t size, const void *ours, size_t our_size)
{
	char *const theirs = (char *)array + i * size;

	memcpy(theirs, ours, RTE_MIN(size, our_size));
	if (size > our_size)
		memset(theirs + our_size, 0, size - our_size);
}

static void
counters_add(uint64_t *values, const shim_counter *counters, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		values[i] += shim_counted(&counters[i]);
}

/* Add the counters of a pair, if it is bound, to values[0..N_COUNTERS) and later[0..N_LATER). */
static void
pair_add(uint64_t *values, uint64_t *later, const struct recycle_feed_pair *p)
{
	if (p->pair == NULL)
		return;
	counters_add(values, &recycle_count(p->pair)->moved, N_MBUFS);
	counters_add(values + N_MBUFS, &recycle_blocks_count(p->pair)->contig_gets, N_BLOCKS);
	counters_add(later, &recycle_count(p->pair)->inlined, N_LATER);
}

void
recycle_pairs_add(struct recycle_total *t, const struct recycle_pairs *p)
{
	for (unsigned int i = 0; i < p->n; i++)
		pair_add(&t->moved, &t->inlined, &p->pair[i]);
}

/* Read the levels of the window, if there is one and an lcore runs it. */
static void
levels_read(struct recycle_total *t, const struct recycle_pairs *p)
{
	const struct recycle_window *const w = &p->window;
	const uint16_t open = w->open;

	t->window = t->armed = t->in_flight = t->working_set = t->ring = ZCFWD_RECYCLE_NONE;
	if (w->pair == NULL || open == 0)
		return;
	t->window = w->now;
	t->armed = w->ring - open;
	t->ring = w->ring;
	t->in_flight = 0;
	for (unsigned int i = 0; i < p->n; i++)
		if (p->pair[i].pair != NULL)
			t->in_flight += recycle_in_flight(p->pair[i].pair);
	t->working_set =
		(t->armed + t->in_flight) * (sizeof(struct rte_mbuf) + RTE_CACHE_LINE_SIZE);
}

unsigned int
zcfwd_recycle_stats(const struct zcfwd_recycle *r, uint64_t *values, unsigned int n)
{
	const struct recycle_pairs *p;
	struct recycle_total t;

	n = RTE_MIN(n, (unsigned int)N_ROWS);
	if (r == NULL || n == 0)
		return 0;
	p = atomic_load(&r->published);
	t = r->before;
	recycle_pairs_add(&t, p);
	if (n > N_COUNTERS)
		levels_read(&t, p);
	memcpy(values, &t, n * sizeof(values[0]));
	return n;
}

unsigned int
zcfwd_recycle_pair_stats(const struct zcfwd_recycle *r, unsigned int i, uint64_t *values,
	unsigned int n)
{
	const struct recycle_pairs *const p = r != NULL ? atomic_load(&r->published) : NULL;
	uint64_t counters[N_COUNTERS + N_LATER] = { 0 };

	n = RTE_MIN(n, (unsigned int)(N_COUNTERS + N_LATER));
	if (p == NULL || i >= p->n || n == 0)
		return 0;
	pair_add(counters, counters + N_COUNTERS, &p->pair[i]);
	memcpy(values, counters, n * sizeof(values[0]));
	return n;
}

/* Describe pair i of a handle. */
static struct zcfwd_recycle_pair
pair_describe(const struct recycle_pairs *p, unsigned int i)
{
	const struct recycle_feed_pair *const one = &p->pair[i];
	struct zcfwd_recycle_pair d = { .tx = { one->ends.tx_port, one->ends.tx_queue },
		.bound = one->pair != NULL,
		.reason = one->reason,
		.text = one->why,
		.rx_function = "",
		.tx_function = "",
		.rx_layout = "",
		.tx_layout = "" };

	if (one->pair == NULL)
		return d;
	d.feeds = (atomic_load(&p->feeds) >> i & 1) != 0;
	d.proving = recycle_proof(one->pair) == RECYCLE_PROVING;
	d.reason = recycle_reason(one->pair, &d.text);
	d.rx_function = recycle_rx_path(one->pair);
	d.tx_function = recycle_tx_path(one->pair);
	d.rx_layout = recycle_rx_layout(one->pair);
	d.tx_layout = recycle_tx_layout(one->pair);
	return d;
}

unsigned int
zcfwd_recycle_pairs(const struct zcfwd_recycle *r, struct zcfwd_recycle_pair *pairs, size_t size,
	unsigned int n)
{
	const struct recycle_pairs *const p = r != NULL ? atomic_load(&r->published) : NULL;

	if (p == NULL)
		return 0;
	for (unsigned int i = 0; i < RTE_MIN(n, p->n); i++) {
		const struct zcfwd_recycle_pair d = pair_describe(p, i);

		element_write(pairs, i, size, &d, sizeof(d));
	}
	return p->n;
}

unsigned int
zcfwd_recycle_changes(const struct zcfwd_recycle *r, struct zcfwd_recycle_change *changes,
	size_t size, unsigned int n)
{
	const struct recycle_history *h;
	uint64_t end;

	if (r == NULL)
		return 0;
	h = &atomic_load(&r->published)->history;
	/* Pairs with the release in history_add(). */
	end = atomic_load_explicit(&h->n, memory_order_acquire);
	/* The oldest one may be overwritten meanwhile. */
	n = RTE_MIN(n, (unsigned int)RECYCLE_HISTORY - 1);
	if (n > end)
		n = (unsigned int)end;
	for (unsigned int i = 0; i < n; i++) {
		const unsigned int at = (end - n + i) % RECYCLE_HISTORY;

		const struct zcfwd_recycle_change c = { shim_counted(&h->change[at].tsc),
			shim_counted(&h->change[at].from), shim_counted(&h->change[at].to) };

		element_write(changes, i, size, &c, sizeof(c));
	}
	return n;
}
