/* `bench mempool`: the benchmark published for the bucket mempool driver, run on every mempool
 * driver: get bulks, read each object, put them back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "base/setting.h"
#include "cmdline/grammar/grammar.h"
#include "memory/pool_ops.h"

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_mempool.h>
#include <rte_pause.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One time slice of the benchmark on one lcore. */

#define KEEP_MAX 64
#define LOOK 8 /* passes between two reads of the TSC */

/* What an lcore repeats. */
struct work {
	struct rte_mempool *pool;
	bool contiguous;             /* get whole blocks */
	unsigned int block;          /* objects per block */
	uint32_t stride;             /* bytes from object to object in a block */
	unsigned int get, put, keep; /* objects; keep is a multiple of both */
};

/* One lcore's part of a slice. */
struct slice {
	struct work work;
	struct rte_mempool_cache *cache; /* of this lcore; NULL: none */
	atomic_uint *arrived;            /* number of lcores that are ready */
	unsigned int lcores;             /* number of lcores in this slice */
	uint64_t warm_tsc, count_tsc;    /* duration of the warm-up and of the measurement */
	double rate;                     /* objects per TSC cycle; 0: the pool became empty */
};

/* Read an object, the least that its user does. */
static __rte_always_inline void
object_read(const void *object)
{
	(void)*(const volatile uint64_t *)object;
}

/*
 * Get a bulk from contiguous blocks, computing the objects' addresses instead of reading a table.
 */
static __rte_always_inline bool
blocks_get(const struct work *w, void **objects)
{
	for (unsigned int n = w->get; n > 0; n -= w->block) {
		void *object;

		if (unlikely(rte_mempool_get_contig_blocks(w->pool, &object, 1) != 0)) {
			rte_mempool_generic_put(w->pool, objects - (w->get - n), w->get - n, NULL);
			return false;
		}
		for (unsigned int k = 0; k < w->block; k++) {
			*objects++ = object;
			object_read(object);
			object = RTE_PTR_ADD(object, w->stride);
		}
	}
	return true;
}

static __rte_always_inline bool
bulk_get(const struct work *w, struct rte_mempool_cache *cache, void **objects)
{
	if (unlikely(rte_mempool_generic_get(w->pool, objects, w->get, cache) != 0))
		return false;
	for (unsigned int i = 0; i < w->get; i++)
		object_read(objects[i]);
	return true;
}

/* Get the objects, read them, put them back. False: the pool became empty; all were put back. */
static __rte_always_inline bool
pass(const struct work *w, struct rte_mempool_cache *cache, bool contiguous)
{
	void *objects[KEEP_MAX];
	unsigned int n = 0;

	for (; n < w->keep; n += w->get) {
		if (contiguous ? !blocks_get(w, &objects[n]) : !bulk_get(w, cache, &objects[n])) {
			rte_mempool_generic_put(w->pool, objects, n, cache);
			return false;
		}
	}
	for (n = 0; n < w->keep; n += w->put)
		rte_mempool_generic_put(w->pool, &objects[n], w->put, cache);
	return true;
}

static __rte_always_inline double
run(struct slice *s, bool contiguous)
{
	const uint64_t count_at = rte_rdtsc() + s->warm_tsc;
	uint64_t begin = 0, now, passes = 0;

	for (;;) {
		for (unsigned int i = 0; i < LOOK; i++)
			if (unlikely(!pass(&s->work, s->cache, contiguous)))
				return 0;
		now = rte_rdtsc();
		if (unlikely(begin == 0)) {
			begin = now >= count_at ? now : 0;
			continue;
		}
		passes += LOOK;
		if (now - begin >= s->count_tsc)
			return (double)passes * s->work.keep / (double)(now - begin);
	}
}

/* Run a struct slice; all lcores begin together. Thread: the lcore. Returns 0. */
static int
slice_run(void *slice)
{
	struct slice *s = slice;

	atomic_fetch_add(s->arrived, 1);
	while (atomic_load(s->arrived) < s->lcores)
		rte_pause();
	s->rate = s->work.contiguous ? run(s, true) : run(s, false);
	if (s->cache != NULL)
		rte_mempool_cache_flush(s->cache, s->work.pool);
	return 0;
}

enum {
	BLOCK = 15,     /* objects of a block, and of a bulk that is aligned to blocks */
	UNALIGNED = 16, /* objects of a bulk that is not, as in DPDK's own benchmark */
	DRIVERS_MAX = 16,
	VARIANTS_MAX = 2 * DRIVERS_MAX + 2,
	WARM_US = 500,
	COUNT_US = 4000,
	PROGRESS_COLUMNS = 52,
};

/*
 * Millions of objects per second, cache 0, get 15, driver bucket. Source: dpdk-dev, 25 April 2018,
 * "mempool: add bucket driver", v3.
 */
static const struct {
	unsigned int lcores, put, keep;
	double plain, contiguous;
} published[] = {
	{ 1, 1, 30, 111.9, 122.9 },
	{ 1, 1, 60, 115.3, 126.5 },
	{ 1, 15, 30, 353.1, 374.3 },
	{ 1, 15, 60, 353.3, 377.3 },
	{ 2, 1, 30, 224.7, 244.8 },
	{ 2, 1, 60, 230.4, 251.6 },
	{ 2, 15, 30, 706.7, 751.2 },
	{ 2, 15, 60, 703.7, 756.2 },
	{ 4, 1, 30, 425.2, 462.1 },
	{ 4, 1, 60, 437.3, 477.0 },
	{ 4, 15, 30, 1343.4, 1432.2 },
	{ 4, 15, 60, 1336.6, 1438.8 },
};

struct ask {
	unsigned int samples;        /* per variant, interleaved; odd, for a median */
	unsigned int objects;        /* per pool; slightly more if the driver needs whole buckets */
	unsigned int cache;          /* cache size of the variants with a cache */
	const char *driver;          /* measure only this mempool driver; NULL: all */
	struct interrupt *interrupt; /* readable: end the benchmark with the results so far */
	bool progress;               /* print a progress bar on a terminal */
};

struct variant {
	struct rte_mempool *pool;
	unsigned int cache; /* 0: none */
	bool contiguous;
	double *rate; /* of each sample, 0: not measured */
};

struct bench {
	const struct ask *ask;
	struct out *out;
	struct rte_mempool *pool[DRIVERS_MAX];
	unsigned int n_pools;
	struct variant variant[VARIANTS_MAX];
	unsigned int n_variants;
	unsigned int lcore[RTE_MAX_LCORE]; /* workers first, the main lcore last */
	unsigned int n_lcores;
	struct rte_mempool_cache *cache[RTE_MAX_LCORE];
	struct slice *slice; /* of each lcore */
	double *rates;       /* of all variants */
	uint32_t element;    /* bytes of one, header included */
	unsigned int cells, cells_done;
	bool stopped;
};

/* Quartiles of the samples of one variant, or of a ratio. */
struct quartiles {
	double p25, median, p75;
};

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct quartiles
quartiles_of(const double *from, unsigned int n)
{
	double *sorted = malloc(n * sizeof(*sorted));
	struct quartiles q = { 0 };

	if (sorted == NULL)
		return q;
	memcpy(sorted, from, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare);
	q = (struct quartiles){ sorted[n / 4], sorted[n / 2], sorted[n * 3 / 4] };
	free(sorted);
	return q;
}

/*
 * Choose an element size with 15 elements per block, and an odd number of cache lines if possible.
 */
static uint32_t
element_choose(void)
{
	const uint32_t most = pool_ops_element(BLOCK), less = most - RTE_CACHE_LINE_SIZE,
		       has = pool_ops_bucket() - RTE_CACHE_LINE_SIZE;

	return most / RTE_CACHE_LINE_SIZE % 2 == 0 && has / less == BLOCK ? less : most;
}

static struct rte_mempool *
pool_new(const struct bench *b, const char *driver, struct err *e)
{
	const uint32_t header = sizeof(struct rte_mempool_objhdr) <= RTE_CACHE_LINE_SIZE
		? RTE_CACHE_LINE_SIZE
		: 2 * RTE_CACHE_LINE_SIZE;
	char name[RTE_MEMPOOL_NAMESIZE];
	struct rte_mempool *mp;

	snprintf(name, sizeof(name), "bench_%s", driver);
	mp = rte_mempool_create_empty(name, pool_ops_round(driver, b->ask->objects, b->element),
		b->element - header, 0, 0, SOCKET_ID_ANY, RTE_MEMPOOL_F_NO_SPREAD);
	if (mp != NULL && rte_mempool_set_ops_byname(mp, driver, NULL) == 0 &&
		rte_mempool_populate_default(mp) > 0)
		return mp;
	rte_mempool_free(mp);
	err_set(e, ENOMEM,
		"mempool %s: no memory for %u objects of %u bytes, %.1f MiB per driver: use fewer with \"bench mempool samples N objects N\"",
		name, b->ask->objects, b->element, (double)b->ask->objects * b->element / 1048576.);
	return NULL;
}

static void
variant_add(struct bench *b, struct rte_mempool *mp, unsigned int cache, bool contiguous)
{
	b->variant[b->n_variants] = (struct variant){ .pool = mp,
		.cache = cache,
		.contiguous = contiguous,
		.rate = b->rates + (size_t)b->n_variants * b->ask->samples };
	b->n_variants++;
}

static int
pools_make(struct bench *b, struct err *e)
{
	const unsigned int caches[] = { 0, b->ask->cache };
	const char *driver;

	for (unsigned int i = 0; (driver = pool_ops_at(i)) != NULL && b->n_pools < DRIVERS_MAX;
		i++) {
		struct rte_mempool *mp;

		if (b->ask->driver != NULL && strcmp(driver, b->ask->driver) != 0)
			continue;
		mp = pool_new(b, driver, e);
		if (mp == NULL)
			return -e->code;
		b->pool[b->n_pools++] = mp;
		for (unsigned int k = 0; k < (b->ask->cache > 0 ? 2u : 1u); k++) {
			variant_add(b, mp, caches[k], false);
			if (pool_ops_has_blocks(driver))
				variant_add(b, mp, caches[k], true);
		}
	}
	return b->n_pools > 0 ? 0 : pool_ops_check(b->ask->driver, e);
}

/* Use all lcores; the main lcore last, as it runs the shell too. */
static int
lcores_take(struct bench *b, struct err *e)
{
	unsigned int lcore;

	RTE_LCORE_FOREACH_WORKER(lcore) {
		if (rte_eal_get_lcore_state(lcore) != WAIT)
			return err_set(e, EBUSY, "lcore %u is busy: use \"stop\" first", lcore);
		b->lcore[b->n_lcores++] = lcore;
	}
	b->lcore[b->n_lcores++] = rte_get_main_lcore();
	for (unsigned int i = 0; i < b->n_lcores && b->ask->cache > 0; i++) {
		b->cache[i] = rte_mempool_cache_create(b->ask->cache, SOCKET_ID_ANY);
		if (b->cache[i] == NULL)
			return err_set(e, ENOMEM, "no memory for caches of %u objects",
				b->ask->cache);
	}
	return 0;
}

/*
 * Run one slice of a variant on the first n lcores. Returns millions of objects per second, or 0.
 */
static double
measure(struct bench *b, const struct variant *v, const struct work *cell, unsigned int n)
{
	const double hz = (double)rte_get_tsc_hz();
	struct work work = *cell;
	atomic_uint arrived = 0;
	double sum = 0;

	work.pool = v->pool;
	work.contiguous = v->contiguous;
	work.block = pool_ops_block(v->pool);
	work.stride = pool_ops_stride(v->pool);
	for (unsigned int i = 0; i < n; i++) {
		b->slice[i] = (struct slice){ .work = work,
			.cache = v->cache > 0 ? b->cache[i] : NULL,
			.arrived = &arrived,
			.lcores = n,
			.warm_tsc = (uint64_t)(hz * WARM_US / 1e6),
			.count_tsc = (uint64_t)(hz * COUNT_US / 1e6) };
		if (b->lcore[i] != rte_get_main_lcore())
			rte_eal_remote_launch(slice_run, &b->slice[i], b->lcore[i]);
	}
	if (n == b->n_lcores)
		slice_run(&b->slice[n - 1]);
	for (unsigned int i = 0; i < n; i++)
		rte_eal_wait_lcore(b->lcore[i]);
	for (unsigned int i = 0; i < n; i++) {
		if (b->slice[i].rate == 0)
			return 0; /* the pool became empty */
		sum += b->slice[i].rate;
	}
	return sum * hz / 1e6;
}

/* Return whether a variant can run a cell. */
static bool
fits(const struct variant *v, const struct work *cell, unsigned int lcores)
{
	if (lcores > 1 && pool_ops_one_lcore(pool_ops_name(v->pool)))
		return false;
	return !v->contiguous || cell->get % pool_ops_block(v->pool) == 0;
}

/* Print a progress bar of at most PROGRESS_COLUMNS on a terminal. */
static void
progress(const struct bench *b, unsigned int samples)
{
	static const char bar[] = "##############################";
	const unsigned int all = b->cells * b->ask->samples;

	if (b->ask->progress)
		out_prompt(b->out, "\rbench mempool [%-*.*s] %3u %%", (int)sizeof(bar) - 1,
			(int)((sizeof(bar) - 1) * samples / all), bar, samples * 100 / all);
}

/*
 * Take all samples of a cell, interleaving the variants; each sample reverses the last one's order.
 */
static void
cell_measure(struct bench *b, const struct work *cell, unsigned int lcores)
{
	for (unsigned int s = 0; s < b->ask->samples && !b->stopped; s++) {
		progress(b, b->cells_done * b->ask->samples + s);
		for (unsigned int i = 0; i < b->n_variants && !b->stopped; i++) {
			struct variant *v = &b->variant[s % 2 == 0 ? i : b->n_variants - 1 - i];

			v->rate[s] = fits(v, cell, lcores) ? measure(b, v, cell, lcores) : 0;
			b->stopped = interrupt_pending(b->ask->interrupt);
		}
	}
	b->cells_done++;
}

static void
published_show(struct out *o, const struct work *cell, unsigned int lcores)
{
	for (size_t i = 0; i < ARRAY_SIZE(published); i++) {
		if (cell->get != BLOCK || published[i].lcores != lcores ||
			published[i].put != cell->put || published[i].keep != cell->keep)
			continue;
		out_nest(o, "published", OUT_OBJECT);
		out_f64(o, "plain", "  published: bucket %.1f", published[i].plain);
		out_f64(o, "contiguous", ", contiguous %.1f", published[i].contiguous);
		out_f64(o, "ratio", ", ratio %.3f\n", published[i].contiguous / published[i].plain);
		out_unnest(o);
	}
}

static void
variant_show(struct out *o, const struct variant *v, unsigned int samples)
{
	const struct quartiles q = quartiles_of(v->rate, samples);

	if (q.p25 == 0)
		return; /* the variant did not run */
	out_nest(o, NULL, OUT_OBJECT);
	out_str(o, "driver", "  %-12s", pool_ops_name(v->pool));
	out_u64(o, "cache", " cache %3" PRIu64, v->cache);
	out_bool(o, "contiguous", " %-10s", v->contiguous, "contiguous", "");
	out_f64(o, "rate", " %8.1f", q.median);
	out_f64(o, "p25", " [%.1f", q.p25);
	out_f64(o, "p75", "..%.1f]\n", q.p75);
	out_unnest(o);
}

/* Print the ratio of contiguous to plain rates, sample by sample, without cache. */
static void
ratio_show(struct bench *b)
{
	const struct variant *plain = NULL, *contiguous = NULL;
	struct quartiles q;

	for (unsigned int i = 0; i < b->n_variants; i++) {
		const struct variant *v = &b->variant[i];

		if (v->cache == 0 && pool_ops_has_blocks(pool_ops_name(v->pool)))
			*(v->contiguous ? &contiguous : &plain) = v;
	}
	if (plain == NULL || contiguous == NULL)
		return;
	for (unsigned int s = 0; s < b->ask->samples; s++) {
		if (plain->rate[s] == 0 || contiguous->rate[s] == 0)
			return;
		contiguous->rate[s] /= plain->rate[s];
	}
	q = quartiles_of(contiguous->rate, b->ask->samples);
	out_f64(b->out, "ratio", "  contiguous / plain, without cache: %.3f", q.median);
	out_f64(b->out, "ratio_p25", " [%.3f", q.p25);
	out_f64(b->out, "ratio_p75", "..%.3f]\n", q.p75);
}

static void
cell_show(struct bench *b, const struct work *cell, unsigned int lcores)
{
	struct out *o = b->out;

	if (b->ask->progress)
		out_prompt(o, "\r%*s\r", PROGRESS_COLUMNS, "");
	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "lcores", "%" PRIu64 " lcores", lcores);
	out_u64(o, "get", ", get %" PRIu64, cell->get);
	out_u64(o, "put", ", put %" PRIu64, cell->put);
	out_u64(o, "keep", ", keep %" PRIu64, cell->keep);
	out_text(o, cell->get == BLOCK ? "\n" : ": bulks not aligned to blocks\n");
	published_show(o, cell, lcores);
	out_nest(o, "results", OUT_ARRAY);
	for (unsigned int i = 0; i < b->n_variants; i++)
		variant_show(o, &b->variant[i], b->ask->samples);
	out_unnest(o);
	ratio_show(b);
	out_unnest(o);
}

/* Run the cells of one number of lcores. */
static void
cells_run(struct bench *b, unsigned int lcores)
{
	static const unsigned int gets[] = { BLOCK, UNALIGNED };

	for (unsigned int i = 0; i < 8 && !b->stopped; i++) {
		const unsigned int get = gets[i / 4];
		const struct work cell = { .get = get,
			.put = i / 2 % 2 == 0 ? 1 : get,
			.keep = i % 2 == 0 ? 2 * get : 4 * get };

		cell_measure(b, &cell, lcores);
		if (!b->stopped)
			cell_show(b, &cell, lcores);
	}
}

/* Return the next number of lcores: powers of two, then all; 0 at the end. */
static unsigned int
lcores_next(const struct bench *b, unsigned int lcores)
{
	return lcores == b->n_lcores ? 0 : RTE_MIN(2 * lcores, b->n_lcores);
}

static void
all_run(struct bench *b)
{
	struct out *o = b->out;
	unsigned int n;

	for (n = 1; n > 0; n = lcores_next(b, n))
		b->cells += 8;
	out_u64(o, "block", "Millions of objects per second; blocks of %" PRIu64, BLOCK);
	out_u64(o, "element_bytes", ", elements of %" PRIu64 " bytes", b->element);
	out_str(o, "why", "%s",
		rte_eal_has_hugepages() ? "" : " (no huge pages: a bucket is one small page)");
	out_u64(o, "objects", ", pools of %" PRIu64, b->ask->objects);
	out_u64(o, "samples", ", medians and quartiles of %" PRIu64 " interleaved slices\n",
		b->ask->samples);
	out_nest(o, "cells", OUT_ARRAY);
	for (n = 1; n > 0 && !b->stopped; n = lcores_next(b, n))
		cells_run(b, n);
	out_unnest(o);
	out_nest(o, "left_out", OUT_ARRAY);
	for (size_t i = 0; i < ARRAY_SIZE(published); i += 4)
		if (published[i].lcores > b->n_lcores)
			out_u64(o, "lcores", "Skipped: %" PRIu64 " lcores, as EAL has fewer\n",
				published[i].lcores);
	out_unnest(o);
	out_bool(o, "stopped", "%s", b->stopped, "Stopped by a signal\n", "");
}

/*
 * Measure all cells on 1, 2, 4.. and all lcores, which must be idle, and print them with the
 * published figures; rates in millions of objects per second. EBUSY; ENOENT: no such driver;
 * ENOMEM.
 */
static int
pools_measure(const struct ask *ask, struct out *out, struct err *e)
{
	struct bench *b = calloc(1, sizeof(*b));
	int ret = ENOMEM;

	if (b == NULL)
		return err_set(e, ENOMEM, "no memory for a benchmark");
	b->ask = ask;
	b->out = out;
	b->element = element_choose();
	b->rates = calloc((size_t)VARIANTS_MAX * ask->samples, sizeof(*b->rates));
	b->slice = calloc(rte_lcore_count(), sizeof(*b->slice));
	ret = b->rates != NULL && b->slice != NULL
		? lcores_take(b, e)
		: err_set(e, ENOMEM, "no memory for %u samples", ask->samples);
	if (ret == 0)
		ret = pools_make(b, e);
	if (ret == 0)
		all_run(b);
	for (unsigned int i = 0; i < b->n_pools; i++)
		rte_mempool_free(b->pool[i]);
	for (unsigned int i = 0; i < b->n_lcores; i++)
		rte_mempool_cache_free(b->cache[i]);
	free(b->rates);
	free(b->slice);
	free(b);
	return ret;
}

static int
bench_mempool(struct app *app, const struct args *a, struct err *e)
{
	const struct ask ask = {
		.samples = (unsigned int)arg_u64(a, "samples", 11),
		.objects = (unsigned int)arg_u64(a, "objects", 8191),
		.cache = (unsigned int)setting_u64(app->settings, "mbcache"),
		.driver = arg_str(a, "driver", NULL),
		.interrupt = &app->interrupt,
		.progress = isatty(STDOUT_FILENO) != 0 && out_format(app->out) == OUT_TEXT,
	};

	if (run_busy(&app->run))
		return err_set(e, EBUSY, "Please stop forwarding first");
	return pools_measure(&ask, app->out, e);
}

static const struct cmd_row rows[] = {
	{ "bench mempool [samples <samples:uint 3..1001>] [objects <objects:uint 1023..1048575>] [driver <driver:str>]",
		bench_mempool,
		"benchmark get, read and put of every mempool driver, next to the published figures of bucket; a signal ends it early",
		"bench mempool samples 3 objects 1023 driver stack", NULL },
};

const struct cmd_table cmds_mempool_bench = { "mempool", "benchmark of mempools", rows,
	ARRAY_SIZE(rows) };
